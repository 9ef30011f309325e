import { Empty } from "@/components/Empty";
import { Reasons, reasonList } from "@/components/Reasons";
import { When } from "@/components/When";
import { sentence } from "@/lib/subject";

/** One way someone may read something, as the API tells it. */
export type AccessRow = Record<string, unknown>;

const shown = (value: unknown) => (typeof value === "string" ? value : sentence(value));

export function AccessTable({ rows }: { rows: AccessRow[] }) {
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
            <th>How it is shown</th>
            <th>Until</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              <td className="strong anywhere">{shown(row.user ?? row.subject ?? row.who)}</td>
              <td className="anywhere">
                {shown(row.by ?? row.via ?? row.role ?? row.grant ?? row.through)}
                <Reasons reasons={reasonList(row.reasons)} />
              </td>
              <td>
                <How row={row} />
              </td>
              <td>
                <When at={(row.until ?? row.expires ?? row.validTo) as string | null} never="no end" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function How({ row }: { row: AccessRow }) {
  const clear = row.clear ?? row.raw;
  const mask = row.mask ?? (clear === false ? "masked" : null);
  if (mask) return <span className="badge mask">{shown(mask)}</span>;
  if (clear === true || row.effect === "allow") return <span className="badge warn">clear</span>;
  const text = shown(row.how ?? row.effect ?? row.sees ?? "");
  return text ? <span className="badge">{text}</span> : null;
}
