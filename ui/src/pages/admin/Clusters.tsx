import { Link } from "react-router";
import { useClusters } from "@/api/scans";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { count } from "@/lib/format";
import { links } from "@/lib/links";
import { ScanForm } from "@/pages/admin/ScanForm";

export function Clusters() {
  const clusters = useClusters();
  return (
    <div className="stack">
      <Answer of={clusters}>
        {(list) =>
          list.length === 0 ? (
            <div className="panel">
              <Empty title="No clusters yet">
                <p>The first scan of an address makes one; a declared Cluster document gives it a name.</p>
              </Empty>
            </div>
          ) : (
            <div className="panel flush table-wrap">
              <table className="table">
                <thead>
                  <tr>
                    <th>Cluster</th>
                    <th>Bootstrap servers</th>
                    <th>Its own id</th>
                    <th>Schema registry</th>
                    <th className="number">Datasets</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((c) => (
                    <tr key={c.name}>
                      <td className="strong">{c.name}</td>
                      <td className="mono anywhere">
                        {[c.bootstrap_servers ?? c.bootstrapServers ?? []].flat().join(", ")}
                      </td>
                      <td className="mono small">{c.cluster_id ?? "not asked yet"}</td>
                      <td className="mono small anywhere">{c.schema_registry ?? "none"}</td>
                      <td className="number">
                        <Link to={links.search({ kind: "dataset", cluster: c.name })}>{count(c.datasets)}</Link>
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
