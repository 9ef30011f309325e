import { Link } from "react-router";
import type { Access } from "@/api/types";
import { Empty } from "@/components/Empty";
import { When } from "@/components/When";
import { links } from "@/lib/links";

/** Who may read something, by what, how it is shown to them, and until when. */
export function AccessTable({ rows }: { rows: Access[] }) {
  if (rows.length === 0) {
    return (
      <div className="panel">
        <Empty title="Nobody may read this">
          <p>No role and no grant opens it. Reading is denied unless one does.</p>
        </Empty>
      </div>
    );
  }
  return (
    <div className="panel flush table-wrap">
      <table className="table">
        <thead>
          <tr>
            <th>Who</th>
            <th>By</th>
            <th>Shown</th>
            <th>For</th>
            <th>Until</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.kind} ${row.subject}`}>
              <td>
                <span className="strong anywhere">{row.subject}</span>{" "}
                {row.kind !== "user" && <span className="badge">{row.kind}</span>}
              </td>
              <td className="anywhere">
                {row.via.map((by, i) => (
                  <span key={by}>
                    {i > 0 && ", "}
                    {by.startsWith("grant ") ? <Link to={links.requests("grants")}>{by}</Link> : by}
                  </span>
                ))}
              </td>
              <td>
                <Shown of={row} />
              </td>
              <td>{row.purpose ?? ""}</td>
              <td>
                <When at={row.until} never="no end" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Everything masked, some of it, or nothing. */
function Shown({ of }: { of: Access }) {
  if (of.masked) return <span className="badge mask">masked: {of.mask}</span>;
  if (of.mask) return <span className="badge mask">partly masked: {of.mask}</span>;
  return <span className="badge warn">clear</span>;
}
