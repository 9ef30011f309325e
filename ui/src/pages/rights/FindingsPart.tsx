// What is wrong between what is granted, possible and used, the worst first.
import { ShieldCheck } from "lucide-react";
import { RIGHTS_PAGE, type Severity, useRightsFindings } from "@/api/rights";
import type { RightsFinding } from "@/api/types";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Notes, Pages } from "@/components/EffectiveTable";
import { Empty } from "@/components/Empty";
import { type Change, Clusters, DatasetLink, Filter, type Filters } from "@/pages/rights/parts";

const SEVERITIES: Severity[] = ["high", "medium", "low", "info"];
const TONES = { high: "bad", medium: "warn", low: "", info: "" } as const;

export function FindingsPart({ filters, set }: { filters: Filters; set: Change }) {
  const severity = SEVERITIES.find((each) => each === filters.severity) ?? "";
  const findings = useRightsFindings(filters.dataset, severity, filters.offset);
  return (
    <div className="stack">
      <form className="row" onSubmit={(event) => event.preventDefault()}>
        <Filter name="dataset" value={filters.dataset} label="Datasets" placeholder="datasets: prod/*" set={set} />
        <select
          className="select"
          aria-label="Severity"
          value={severity}
          onChange={(event) => set({ severity: event.target.value })}
        >
          <option value="">every severity</option>
          {SEVERITIES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </form>
      <Answer of={findings} lines={8}>
        {(data) => (
          <>
            <Clusters clusters={data.clusters} />
            {data.findings.length === 0 ? (
              <div className="panel">
                {data.clusters.length === 0 ? (
                  <Empty title="No cluster is looked at">
                    <p>Add a cluster and scan it. Its ACLs are then compared with what Weir grants.</p>
                  </Empty>
                ) : (
                  <Empty title="No findings" icon={<ShieldCheck size={28} aria-hidden />}>
                    <p>
                      {filters.dataset || severity
                        ? "Nothing fits these filters. Remove one."
                        : "The brokers let happen what Weir grants, as far as it is known. The notes name what is not."}
                    </p>
                  </Empty>
                )}
              </div>
            ) : (
              <div className="panel flush">
                <DataTable
                  table="rights findings"
                  label="Findings"
                  rows={data.findings}
                  rowKey={(row) => JSON.stringify([row.kind, row.cluster, row.dataset, row.principal, row.text])}
                  columns={COLUMNS}
                />
              </div>
            )}
            <Pages
              offset={filters.offset}
              total={data.total}
              size={RIGHTS_PAGE}
              onMove={(offset) => set({ offset: String(offset) })}
            />
            <Notes notes={data.notes} />
          </>
        )}
      </Answer>
    </div>
  );
}

const COLUMNS = [
  {
    id: "severity",
    head: "Severity",
    sort: (row: RightsFinding) => SEVERITIES.indexOf(row.severity),
    cell: (row: RightsFinding) => <span className={`badge ${TONES[row.severity]}`}>{row.severity}</span>,
  },
  {
    id: "what",
    head: "What is wrong",
    className: "words anywhere",
    sort: (row: RightsFinding) => row.text,
    cell: (row: RightsFinding) => (
      <>
        {row.text}
        {row.acls.map((acl) => (
          <div key={acl} className="small muted mono anywhere">
            {acl}
          </div>
        ))}
      </>
    ),
  },
  {
    id: "where",
    head: "Where",
    sort: (row: RightsFinding) => row.dataset ?? row.cluster,
    cell: (row: RightsFinding) => (row.dataset ? <DatasetLink of={row.dataset} /> : row.cluster),
  },
  { id: "fix", head: "What to do", className: "words", cell: (row: RightsFinding) => row.fix },
];
