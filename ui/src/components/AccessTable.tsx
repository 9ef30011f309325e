import { Link } from "react-router";
import type { Access } from "@/api/types";
import { Empty } from "@/components/Empty";
import { When } from "@/components/When";
import { accessCounts, countsText } from "@/lib/accessCounts";
import { links } from "@/lib/links";

/** Who may read something, by what, how it is shown to them, and until when: each way in with its own end and purpose. */
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
    <div className="stack-s">
      <p className="muted" role="status">
        {countsText(accessCounts(rows))}
      </p>
      <div className="panel flush table-wrap">
        <table className="table">
          <thead>
            <tr>
              <th>Who</th>
              <th>Shown</th>
              <th>By</th>
              <th>Purpose</th>
              <th>Until</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Entry key={`${row.kind} ${row.subject} ${row.purpose ?? ""} ${row.via.join()}`} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Entry({ row }: { row: Access }) {
  const ways =
    row.ways ?? row.via.map((by) => ({ by, until: null, purpose: row.purpose, legalBasis: null, retention: null }));
  return ways.map((way, i) => (
    <tr key={way.by} className={i > 0 ? "continued" : ""}>
      {i === 0 && (
        <>
          <td rowSpan={ways.length}>
            <span className="strong anywhere">{row.subject}</span>{" "}
            {row.kind !== "user" && <span className="badge">{row.kind}</span>}
          </td>
          <td rowSpan={ways.length}>
            <Shown of={row} />
          </td>
        </>
      )}
      <td className="anywhere">
        {way.by.startsWith("grant ") ? <Link to={links.requests("grants")}>{way.by}</Link> : way.by}
      </td>
      <td className="anywhere">
        {way.purpose ?? row.purpose ?? <span className="muted">any</span>}
        {(way.legalBasis || way.retention) && (
          <div className="muted small">
            {[way.legalBasis?.replaceAll("-", " "), way.retention && `kept for ${way.retention}`]
              .filter(Boolean)
              .join(", ")}
          </div>
        )}
      </td>
      <td>
        <When at={way.until} never="no end" />
      </td>
    </tr>
  ));
}

/** Everything masked, some of it, or nothing. */
function Shown({ of }: { of: Access }) {
  if (of.masked) return <span className="badge mask">masked: {of.mask}</span>;
  if (of.mask) return <span className="badge mask">partly masked: {of.mask}</span>;
  return <span className="badge warn">unmasked</span>;
}
