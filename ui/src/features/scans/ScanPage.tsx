// One scan as it goes: progress, what was learned of each topic, problems.
import { Link, useParams } from "react-router";
import { over, useCancelScan, useScan } from "@/api/scans";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { EntityName } from "@/components/EntityBadge";
import { Needs } from "@/components/Needs";
import { ErrorNotice, Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { ScanProgress } from "@/components/ScanProgress";
import { ScanState } from "@/components/ScanState";
import { When } from "@/components/When";
import { count } from "@/lib/format";
import { links } from "@/lib/links";
import { sentence } from "@/lib/subject";

export default function ScanPage() {
  const { id = "" } = useParams();
  const scan = useScan(id);
  const cancel = useCancelScan();
  return (
    <div className="page">
      <PageHead title={`Scan ${id.slice(0, 8)}`} crumbs={<Link to={links.admin("scans")}>Scans</Link>}>
        {scan.data && <ScanState of={scan.data} />}
        {scan.data && !over(scan.data) && (
          <Needs permission="scan" what="Stopping scans">
            <button
              type="button"
              className="button danger"
              disabled={cancel.isPending}
              onClick={() => cancel.mutate(id)}
            >
              Stop
            </button>
          </Needs>
        )}
      </PageHead>
      {cancel.isError && <ErrorNotice error={cancel.error} />}
      <Answer of={scan}>
        {(s) => (
          <div className="stack">
            {!over(s) && <ScanProgress of={s} />}
            <p className="muted">
              {sentence(s.request?.cluster)} {sentence(s.request?.topics)}, asked by {s.requestedBy ?? "somebody"}{" "}
              <When at={s.createdAt} />
              {s.finishedAt && (
                <>
                  , ended <When at={s.finishedAt} />
                </>
              )}
            </p>
            {s.problems.map((problem, i) => (
              <Notice key={i} tone="warn">
                {[problem.dataset, problem.message].filter(Boolean).join(": ")}
              </Notice>
            ))}
            {s.datasets.length > 0 && (
              <div className="panel flush">
                <DataTable
                  table="topics of a scan"
                  label="Topics"
                  rows={s.datasets}
                  rowKey={(d) => d.name}
                  columns={[
                    {
                      id: "topic",
                      head: "Topic",
                      sort: (d) => d.name,
                      cell: (d) => (
                        <Link to={links.dataset(String(s.request?.cluster ?? d.namespace ?? ""), d.name)}>
                          {d.name}
                        </Link>
                      ),
                    },
                    {
                      id: "state",
                      head: "State",
                      sort: (d) => (d.unchanged ? "unchanged" : d.state),
                      cell: (d) =>
                        d.unchanged ? (
                          <span title="Nothing changed since the last scan, so its figures hold.">unchanged</span>
                        ) : (
                          d.state
                        ),
                    },
                    {
                      id: "records",
                      head: "Records",
                      className: "number",
                      sort: (d) => d.records,
                      cell: (d) => count(d.records),
                    },
                    {
                      id: "fields",
                      head: "Fields",
                      className: "number",
                      sort: (d) => (typeof d.fields === "number" ? d.fields : null),
                      cell: (d) => (typeof d.fields === "number" ? count(d.fields) : "–"),
                    },
                    {
                      id: "shapes",
                      head: "Shapes",
                      className: "number",
                      sort: (d) => (typeof d.shapes === "number" ? d.shapes : null),
                      cell: (d) => (typeof d.shapes === "number" ? count(d.shapes) : "–"),
                    },
                    {
                      id: "personal",
                      head: "Personal data",
                      cell: (d) => (
                        <span className="row" style={{ gap: 4 }}>
                          {(d.entities ?? []).map((e) => (
                            <EntityName key={e} name={e} />
                          ))}
                        </span>
                      ),
                    },
                  ]}
                />
              </div>
            )}
          </div>
        )}
      </Answer>
    </div>
  );
}
