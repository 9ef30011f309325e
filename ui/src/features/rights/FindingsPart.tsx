// What is wrong between what is granted, possible and used, the worst first.
import { ShieldCheck } from "lucide-react";
import { RIGHTS_PAGE, type Severity, useRightsFindings } from "@/api/rights";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Notes, Pages } from "@/components/EffectiveTable";
import { Empty } from "@/components/Empty";
import { type Change, Clusters, DatasetLink, Filter, type Filters } from "@/features/rights/parts";
import { plural } from "@/lib/format";
import { byCause } from "@/lib/rights";

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
            <p className="row">
              {SEVERITIES.filter((each) => (data.counts[each] ?? 0) > 0).map((each) => (
                <span key={each} className={`badge ${TONES[each]}`}>
                  {data.counts[each]} {each}
                </span>
              ))}
            </p>
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
                  rows={byCause(data.findings)}
                  rowKey={({ first }) =>
                    JSON.stringify([first.kind, first.cluster, first.dataset, first.principal, first.text])
                  }
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

type Cause = ReturnType<typeof byCause>[number];

const COLUMNS = [
  {
    id: "severity",
    head: "Severity",
    sort: ({ first }: Cause) => SEVERITIES.indexOf(first.severity),
    cell: ({ first }: Cause) => <span className={`badge ${TONES[first.severity]}`}>{first.severity}</span>,
  },
  {
    id: "what",
    head: "What is wrong",
    className: "words anywhere",
    sort: ({ first }: Cause) => first.text,
    cell: ({ first, others }: Cause) => (
      <>
        {first.text}
        {first.acls.map((acl) => (
          <div key={acl} className="small muted mono anywhere">
            {acl}
          </div>
        ))}
        {others.length > 0 && (
          <details>
            <summary>The same in {plural(others.length, "other dataset")}</summary>
            {others.map((each) => (
              <div key={each.dataset} className="small anywhere">
                {each.text}
              </div>
            ))}
          </details>
        )}
      </>
    ),
  },
  {
    id: "where",
    head: "Where",
    sort: ({ first }: Cause) => first.dataset ?? first.cluster,
    cell: ({ first, others }: Cause) =>
      first.dataset ? (
        <>
          <DatasetLink of={first.dataset} />
          {others.length > 0 && <div className="small muted">and {others.length} more</div>}
        </>
      ) : (
        first.cluster
      ),
  },
  { id: "fix", head: "What to do", className: "words", cell: ({ first }: Cause) => first.fix },
];
