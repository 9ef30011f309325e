import { Link } from "react-router";
import { useClusters, useScans } from "@/api/scans";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { ScanState } from "@/components/ScanState";
import { When } from "@/components/When";
import { count } from "@/lib/format";
import { sentence } from "@/lib/subject";
import { ScanForm } from "@/pages/admin/ScanForm";

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
            <div className="panel flush table-wrap">
              <table className="table">
                <thead>
                  <tr>
                    <th>Scan</th>
                    <th>Of</th>
                    <th>State</th>
                    <th className="number">Datasets</th>
                    <th className="number">Problems</th>
                    <th>By</th>
                    <th>Asked</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((scan) => (
                    <tr key={scan.id}>
                      <td>
                        <Link className="mono" to={`/admin/scans/${encodeURIComponent(scan.id)}`}>
                          {scan.id.slice(0, 8)}
                        </Link>
                      </td>
                      <td className="anywhere">
                        {sentence(scan.request?.cluster)}{" "}
                        <span className="muted small">{sentence(scan.request?.topics)}</span>
                      </td>
                      <td>
                        <ScanState of={scan} />
                      </td>
                      <td className="number">{count(scan.datasets.length)}</td>
                      <td className="number">{count(scan.problems.length)}</td>
                      <td>{scan.requested_by ?? "–"}</td>
                      <td>
                        <When at={scan.created_at} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Answer>
      <ScanForm clusters={clusters.data ?? []} />
    </div>
  );
}
