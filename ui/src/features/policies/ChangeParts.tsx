// The parts of the pages of declared state: their heads with the three pages as tabs, what is open, tools of one document.
import { Pencil, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { useDeleteDeclared } from "@/api/declared";
import type { DeclaredDocument } from "@/api/types";
import { CopyButton } from "@/components/CopyButton";
import { Modal } from "@/components/Modal";
import { Needs } from "@/components/Needs";
import { ErrorNotice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { Tabs } from "@/components/Tabs";
import { ApplyBox } from "@/features/policies/ApplyBox";
import type { Change } from "@/features/policies/useChange";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";
import { toYaml } from "@/lib/yaml";

const PAGES = [
  { text: "Policies", to: links.policies() },
  { text: "Roles and people", to: links.policies("Role") },
  { text: "Declared documents", to: links.documents() },
] as const;

/** The head of a page of declared state: its name, the three pages, and the buttons that change something. */
export function DeclaredHead({
  title,
  lead,
  change,
  children,
}: {
  title: (typeof PAGES)[number]["text"];
  lead: string;
  change: Change;
  children?: ReactNode;
}) {
  const { form, yaml, openForm, openYaml, closeYaml } = change;
  return (
    <>
      <PageHead title={title} lead={lead}>
        {children}
        <Needs permission="manage" what="Changing what is declared">
          {form && (
            <button type="button" className="button primary" onClick={() => openForm()}>
              {form.add}
            </button>
          )}
          <button type="button" className="button" onClick={() => (yaml === null ? openYaml("") : closeYaml())}>
            {yaml === null ? "Try or apply a change" : "Close"}
          </button>
        </Needs>
      </PageHead>
      <Tabs label="Declared state" current={title}>
        {PAGES.map(({ text, to }) => (
          <Link key={text} to={to} aria-current={text === title ? "page" : undefined}>
            {text}
          </Link>
        ))}
      </Tabs>
    </>
  );
}

/** The form or the YAML that is open. */
export function OpenChange({ of: { form, byForm, edited, closeForm, yaml }, kind }: { of: Change; kind: string }) {
  return (
    <>
      {form && byForm && (
        <form.Editor key={`${kind} ${String(edited?.metadata.name ?? "")}`} known={edited} onClose={closeForm} />
      )}
      {yaml !== null && <ApplyBox key={yaml} text={yaml} />}
    </>
  );
}

/** The name of a document; a dataset's begins with its cluster. */
export function nameOf({ metadata }: DeclaredDocument): string {
  return metadata.cluster ? `${String(metadata.cluster)}/${metadata.name}` : String(metadata.name);
}

/** Change, delete, copy. */
export function DocumentTools({ of, change }: { of: DeclaredDocument; change: Change }) {
  const manages = useMay().may("manage");
  const text = toYaml(of);
  const byForm = change.form?.fits(of, change.masks) ?? false;
  return (
    <span className="row">
      {manages && (
        <>
          <button
            type="button"
            className="button quiet small"
            onClick={() => (byForm ? change.openForm(String(of.metadata.name)) : change.openYaml(text))}
          >
            <Pencil size={13} aria-hidden /> Change
          </button>
          <DeleteButton kind={of.kind} name={nameOf(of)} />
        </>
      )}
      <CopyButton text={text} what="YAML" />
    </span>
  );
}

/** The YAML of a document, folded. */
export function Yaml({ of }: { of: DeclaredDocument }) {
  return (
    <details>
      <summary className="small muted">YAML</summary>
      <pre className="small">{toYaml(of)}</pre>
    </details>
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
