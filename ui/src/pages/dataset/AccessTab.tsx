// Who may read this dataset or a field of it, now or at a past moment, and by which rules.
import { Download } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { ApiError } from "@/api/client";
import { type AccessAsked, accessFile, PAGE, useEffectiveAccess } from "@/api/effective";
import type { Dataset } from "@/api/types";
import { Answer } from "@/components/Answer";
import { EffectiveTable, Notes, Pages } from "@/components/EffectiveTable";
import { Empty } from "@/components/Empty";
import { Notice } from "@/components/Notice";
import { Segments } from "@/components/Segments";
import { downloadBlob } from "@/lib/download";
import { links } from "@/lib/links";

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
  return <Listing cluster={dataset.cluster} dataset={dataset} />;
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
        <input
          className="input"
          type="datetime-local"
          aria-label="As of"
          onChange={(e) => change({ asOf: e.currentTarget.value && new Date(e.currentTarget.value).toISOString() })}
        />
        <button type="button" className="button small" onClick={() => void save()}>
          <Download size={14} aria-hidden /> CSV
        </button>
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
