// Who may read this dataset or a field of it, now or at a past moment, and by which rules.
import { Download } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { ApiError } from "@/api/client";
import { type AccessAsked, accessFile, PAGE, useEffectiveAccess, useVisibility } from "@/api/effective";
import type { Dataset, DatasetVisibility } from "@/api/types";
import { Answer } from "@/components/Answer";
import { AsOf } from "@/components/AsOf";
import { EffectiveTable, Notes, Pages } from "@/components/EffectiveTable";
import { Empty } from "@/components/Empty";
import { Notice } from "@/components/Notice";
import { Segments } from "@/components/Segments";
import { downloadBlob } from "@/lib/download";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";

const KINDS = [
  { value: "user" as const, text: "People" },
  { value: "group" as const, text: "Groups" },
  { value: "role" as const, text: "Roles" },
];

export function AccessTab({ dataset }: { dataset: Dataset }) {
  if (dataset.cluster == null) {
    return (
      <div className="panel">
        <Empty title="Nobody may read this here">
          <p>The dataset is known from lineage only, so nothing of it can be queried.</p>
        </Empty>
      </div>
    );
  }
  return (
    <div className="stack">
      <MaskedCopy dataset={dataset} />
      <Knowing dataset={dataset} />
      <Listing cluster={dataset.cluster} dataset={dataset} />
    </div>
  );
}

/** The way to give consumers a topic of what they may see. */
function MaskedCopy({ dataset }: { dataset: Dataset }) {
  if (!useMay().may("manage") || !dataset.namespace.startsWith("kafka://")) return null;
  return (
    <div className="row">
      <Link className="button" to={links.maskedCopy(dataset.reference)}>
        Make a masked copy
      </Link>
    </div>
  );
}

const ASPECTS = {
  existence: "that it exists",
  schema: "its schema",
  evidence: "its personal data",
  lineage: "its lineage",
};

/** Who may know of the dataset: nothing where everybody knows everything. */
function Knowing({ dataset }: { dataset: Dataset }) {
  const { data } = useVisibility(dataset.namespace, dataset.name);
  if (!data) return null;
  const spoken = data.aspects.some((each) => each.documents.length > 0);
  if (data.default === "open" && !spoken && data.unreadable.length === 0) return null;
  const rest = data.default === "open" ? "everybody" : "who may read it";
  return (
    <section className="panel stack-s" aria-labelledby="knowing">
      <h3 id="knowing">Who may know of it</h3>
      <table className="table">
        <tbody>
          {data.aspects.map(({ aspect, documents }) => (
            <tr key={aspect}>
              <th scope="row">{ASPECTS[aspect]}</th>
              <td>
                {documents.length === 0
                  ? rest
                  : documents.map((each) => `${audience(each)} (by ${each.name})`).join(", and of these ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted small">
        Owners, and those who manage, review, report or audit, know everything. Who may not know the schema is refused
        the rows.
      </p>
      {data.unreadable.length > 0 && (
        <Notice tone="warn">
          <p>
            {data.unreadable.join(", ")} cannot be read, so all others know nothing of it until it is declared again.
          </p>
        </Notice>
      )}
    </section>
  );
}

function audience(of: DatasetVisibility["aspects"][number]["documents"][number]): string {
  if (of.everyone) return "everybody";
  const named = [...of.users, ...of.groups.map((g) => `group ${g}`), ...of.roles.map((r) => `role ${r}`)];
  return named.length > 0 ? named.join(", ") : "its owners";
}

function Listing({ cluster, dataset }: { cluster: string; dataset: Dataset }) {
  const [asked, setAsked] = useState<AccessAsked>({ field: "", asOf: "", kind: "user", offset: 0 });
  const [problem, setProblem] = useState<string | null>(null);
  const access = useEffectiveAccess(cluster, dataset.name, asked);
  const change = (part: Partial<AccessAsked>) => setAsked({ ...asked, offset: 0, ...part });
  if (access.error instanceof ApiError && access.error.status === 403) {
    return (
      <Notice tone="warn">
        <p>{access.error.message}</p>
        <p>
          Owners of a dataset see who may read it. You can always{" "}
          <Link to={links.ask(dataset.reference)}>request access</Link>.
        </p>
      </Notice>
    );
  }
  const save = () =>
    accessFile(cluster, dataset.name, asked.field, asked.asOf).then(
      (file) => {
        setProblem(null);
        downloadBlob(`access-${dataset.name}.csv`, file);
      },
      (error: Error) => setProblem(error.message),
    );
  return (
    <div className="stack-s">
      <form className="row" onSubmit={(event) => event.preventDefault()}>
        <Segments label="Who" value={asked.kind} options={KINDS} onChange={(kind) => change({ kind })} />
        <input
          className="input"
          style={{ width: 260 }}
          aria-label="Field"
          placeholder="one field: value.customer.email"
          onKeyDown={(e) => e.key === "Enter" && change({ field: e.currentTarget.value.trim() })}
          onBlur={(e) => change({ field: e.currentTarget.value.trim() })}
        />
        <AsOf onChange={(asOf) => change({ asOf })} />
        <button type="button" className="button small" onClick={() => void save()}>
          <Download size={14} aria-hidden /> CSV
        </button>
        <Link to={links.rights({ show: "rights", dataset: `${cluster}/${dataset.name}` })}>Rights at the brokers</Link>
      </form>
      {problem && (
        <Notice tone="bad">
          <p>{problem}</p>
        </Notice>
      )}
      <Answer of={access}>
        {(found) => (
          <>
            <p className="muted" role="status">
              {found.people.clear} people see all of it unmasked, {found.people.partly} see part of it unmasked,{" "}
              {found.people.masked} see it masked, {found.people.none} see nothing.
            </p>
            {found.entries.length === 0 ? (
              <div className="panel">
                <Empty title="Nobody may read this">
                  <p>No role and no grant opens it. Reading is denied unless one does.</p>
                </Empty>
              </div>
            ) : (
              <EffectiveTable
                rows={found.entries}
                head="Who"
                name={(row) =>
                  row.kind === "user" ? (
                    <Link to={links.person(row.name)}>{row.name}</Link>
                  ) : (
                    <span className="strong">{row.name}</span>
                  )
                }
              />
            )}
            <Pages
              offset={asked.offset}
              total={found.total}
              size={PAGE}
              onMove={(offset) => setAsked({ ...asked, offset })}
            />
            <Notes notes={found.notes} />
          </>
        )}
      </Answer>
    </div>
  );
}
