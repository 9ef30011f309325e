// Declared state as it stands, and a place to try a change before it is applied.
import { Eye, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useDeclared, useDeleteDeclared, useMasks } from "@/api/declared";
import { useClusters } from "@/api/scans";
import type { DeclaredDocument } from "@/api/types";
import { Answer } from "@/components/Answer";
import { CopyButton } from "@/components/CopyButton";
import { Empty } from "@/components/Empty";
import { Modal } from "@/components/Modal";
import { Needs } from "@/components/Needs";
import { ErrorNotice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { Tabs } from "@/components/Tabs";
import { firstConnector } from "@/lib/connectors";
import { FIRST } from "@/lib/domains";
import { KINDS } from "@/lib/kinds";
import { useMay } from "@/lib/may";
import { inWords } from "@/lib/policyWords";
import { toYaml } from "@/lib/yaml";
import { ApplyBox } from "@/pages/policies/ApplyBox";
import { formOf } from "@/pages/policies/forms";
import { type Mask, MaskPreview } from "@/pages/policies/MaskPreview";
import { PurposeTable } from "@/pages/policies/PurposeTable";

export default function PoliciesPage() {
  const [params, setParams] = useSearchParams();
  const manages = useMay().may("manage");
  const kind = params.get("kind") ?? "Policy";
  const documents = useDeclared(kind);
  const clusters = useClusters().data;
  const [changed, setChanged] = useState<string | null>(null);
  // `change=new` in the address opens an empty change, or the first document of a kind that has one.
  const opened = manages && params.get("change") === "new";
  const begun =
    kind === "Connector"
      ? firstConnector(clusters?.find((each) => each.declared !== false)?.name)
      : kind === "Domain"
        ? FIRST
        : "";
  const trying = changed ?? (opened ? begun : null);
  const setTrying = (yaml: string | null) => {
    setChanged(yaml);
    const next = new URLSearchParams(params);
    next.delete("change");
    if (yaml === "") next.set("change", "new");
    setParams(next, { replace: true });
  };
  const [mask, setMask] = useState<Mask | null>(null);
  const change = (yaml: string) => {
    setTrying(yaml);
    window.scrollTo({ top: 0 });
  };
  // `change=form` opens the form of a new document, `edit=NAME` that of one that is declared.
  const openForm = (how: "form" | null, name?: string) => {
    setChanged(null);
    const next = new URLSearchParams(params);
    next.delete("change");
    next.delete("edit");
    if (how) next.set(name === undefined ? "change" : "edit", name ?? how);
    setParams(next, { replace: true });
    window.scrollTo({ top: 0 });
  };
  const form = formOf(kind);
  const masks = useMasks();
  const edited = documents.data?.find(
    (each) => form?.fits(each, masks.data ?? []) && each.metadata.name === params.get("edit"),
  );
  const byForm = manages && (params.get("change") === "form" || edited !== undefined);
  const tryMask = (of: Mask) => {
    setMask(of);
    window.scrollTo({ top: 0 });
  };
  return (
    <div className="page">
      <PageHead
        title="Policies"
        lead="Declared state: who may read what, and how much of it. Keep the same documents in git."
      >
        <button type="button" className="button" onClick={() => setMask(mask === null ? {} : null)}>
          {mask === null ? "Try a mask" : "Close the mask"}
        </button>
        <Needs permission="manage" what="Changing what is declared">
          {form && (
            <button type="button" className="button primary" onClick={() => openForm("form")}>
              {form.add}
            </button>
          )}
          <button type="button" className="button" onClick={() => setTrying(trying === null ? "" : null)}>
            {trying === null ? "Try or apply a change" : "Close"}
          </button>
        </Needs>
      </PageHead>
      {mask !== null && <MaskPreview key={JSON.stringify(mask)} start={mask} />}
      {form && byForm && (
        <form.Editor
          key={`${kind} ${String(edited?.metadata.name ?? "")}`}
          known={edited}
          onClose={() => openForm(null)}
        />
      )}
      {trying !== null && <ApplyBox key={trying} text={trying} />}
      <Tabs label="Kinds" current={kind}>
        {KINDS.map((k) => (
          <Link key={k} to={`/policies?kind=${k}`} aria-current={k === kind ? "page" : undefined}>
            {k}
          </Link>
        ))}
      </Tabs>
      {kind === "Purpose" && <PurposeTable />}
      <Answer of={documents}>
        {(list) =>
          list.length === 0 ? (
            <div className="panel">
              <Empty title={`No ${kind} is declared`}>
                <p>
                  {form ? "Add one by form" : "Write one as YAML"} above, or: <code>weir apply -f governance.yaml</code>
                </p>
              </Empty>
            </div>
          ) : (
            <ul className="stack">
              {list.map((document) => (
                <Document
                  key={`${document.kind} ${JSON.stringify(document.metadata)}`}
                  of={document}
                  onChange={change}
                  onMask={tryMask}
                  {...(form?.fits(document, masks.data ?? [])
                    ? { onForm: () => openForm("form", String(document.metadata.name)) }
                    : {})}
                />
              ))}
            </ul>
          )
        }
      </Answer>
    </div>
  );
}

function Document({
  of,
  onChange,
  onMask,
  onForm,
}: {
  of: DeclaredDocument;
  onChange: (yaml: string) => void;
  onMask: (mask: Mask) => void;
  /** Opens the form, for kinds that have one. */
  onForm?: () => void;
}) {
  const manages = useMay().may("manage");
  const text = toYaml(of);
  const words = inWords(of);
  const name = of.metadata.cluster ? `${String(of.metadata.cluster)}/${of.metadata.name}` : of.metadata.name;
  const mask = of.kind === "Policy" && of.spec.type === "mask" ? (of.spec.mask as Mask | undefined) : undefined;
  return (
    <li className="panel">
      <div className="spread">
        <h2>{name}</h2>
        <span className="row">
          {mask && (
            <button type="button" className="button quiet small" onClick={() => onMask(mask)}>
              <Eye size={13} aria-hidden /> Try the mask
            </button>
          )}
          {manages && (
            <>
              <button type="button" className="button quiet small" onClick={() => (onForm ? onForm() : onChange(text))}>
                <Pencil size={13} aria-hidden /> Change
              </button>
              <DeleteButton kind={of.kind} name={name} />
            </>
          )}
          <CopyButton text={text} what="YAML" />
        </span>
      </div>
      {words && <p>{words}</p>}
      <details>
        <summary className="small muted">YAML</summary>
        <pre className="small">{text}</pre>
      </details>
    </li>
  );
}

/** Deletes a document after a second word; a refusal says why in a dialog. */
function DeleteButton({ kind, name }: { kind: string; name: string }) {
  const [sure, setSure] = useState(false);
  const deleted = useDeleteDeclared();
  const close = () => {
    setSure(false);
    deleted.reset();
  };
  return (
    <>
      <button type="button" className="button quiet small" aria-label={`Delete ${name}`} onClick={() => setSure(true)}>
        <Trash2 size={13} aria-hidden />
      </button>
      <Modal
        open={sure}
        onClose={close}
        title={`Delete ${kind} ${name}?`}
        lead="It stops applying from the next query on. Scan results stay."
      >
        {deleted.isError && (
          <div style={{ marginTop: 12 }}>
            <ErrorNotice error={deleted.error} />
          </div>
        )}
        <div className="actions">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button
            type="button"
            className="button danger"
            disabled={deleted.isPending}
            onClick={() => deleted.mutate({ kind, name })}
          >
            {deleted.isPending ? "One moment …" : "Delete"}
          </button>
        </div>
      </Modal>
    </>
  );
}
