import { Link } from "react-router";
import { useClusters, useScans } from "@/api/scans";
import type { Scan } from "@/api/types";
import { Answer } from "@/components/Answer";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { ScanState } from "@/components/ScanState";
import { When } from "@/components/When";
import { ScanForm } from "@/features/scans/ScanForm";
import { count } from "@/lib/format";
import { links } from "@/lib/links";
import { sentence } from "@/lib/subject";

const COLUMNS: Column<Scan>[] = [
  {
    id: "scan",
    head: "Scan",
    cell: (scan) => (
      <Link className="mono" to={links.scan(scan.id)}>
        {scan.id.slice(0, 8)}
      </Link>
    ),
  },
  {
    id: "of",
    head: "Of",
    className: "anywhere",
    sort: (scan) => `${sentence(scan.request?.cluster)} ${sentence(scan.request?.topics)}`,
    cell: (scan) => (
      <>
        {sentence(scan.request?.cluster)} <span className="muted small">{sentence(scan.request?.topics)}</span>
      </>
    ),
  },
  { id: "state", head: "State", sort: (scan) => scan.state, cell: (scan) => <ScanState of={scan} /> },
  {
    id: "datasets",
    head: "Datasets",
    className: "number",
    sort: (scan) => scan.datasets.length,
    cell: (scan) => count(scan.datasets.length),
  },
  {
    id: "problems",
    head: "Problems",
    className: "number",
    sort: (scan) => scan.problems.length,
    cell: (scan) => count(scan.problems.length),
  },
  { id: "by", head: "By", sort: (scan) => scan.requestedBy, cell: (scan) => scan.requestedBy ?? "–" },
  { id: "asked", head: "Asked", sort: (scan) => scan.createdAt, cell: (scan) => <When at={scan.createdAt} /> },
];

export function Scans() {
  const scans = useScans();
  const clusters = useClusters();
  return (
    <div className="stack">
      <Answer of={scans}>
        {(list) =>
          list.length === 0 ? (
            <div className="panel">
              <Empty title="No scan yet">
                <p>A scan samples topics, learns their schemas, and finds personal data in them.</p>
              </Empty>
            </div>
          ) : (
            <div className="panel flush">
              <DataTable table="scans" label="Scans" rows={list} rowKey={(scan) => scan.id} columns={COLUMNS} />
            </div>
          )
        }
      </Answer>
      <ScanForm clusters={clusters.data ?? []} />
    </div>
  );
}
