// What runs against what would be built.
import type { ViewDiff } from "@/api/types";
import { Notice } from "@/components/Notice";
import { Reasons, reasonList } from "@/components/Reasons";
import { count } from "@/lib/format";

const TONES: Record<string, string> = { added: "ok", removed: "bad", type: "warn", values: "warn", tags: "" };

export function DiffView({ of }: { of: ViewDiff }) {
  const changed = of.columns.filter((column) => column.change !== "same");
  return (
    <div className="stack" role="status">
      <Notice tone={of.refused || of.breaks.length > 0 ? "warn" : "info"}>
        <p className="anywhere">{of.text}</p>
        {of.refused && <Reasons reasons={reasonList(of.refused.reasons)} />}
        {[...of.breaks, ...of.topic].map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </Notice>
      {of.sql && <pre className="small">{of.sql}</pre>}
      {changed.length > 0 && (
        <div className="table-wrap">
          <table className="table">
            <thead>
              <tr>
                <th>Column</th>
                <th>Change</th>
                <th>Running</th>
                <th>Next</th>
              </tr>
            </thead>
            <tbody>
              {changed.map((column) => (
                <tr key={column.name}>
                  <td>{column.name}</td>
                  <td>
                    <span className={`badge ${TONES[column.change] ?? ""}`}>{column.change}</span>
                  </td>
                  <td className="small">{side(column.before, column.tagsBefore, column.showsBefore)}</td>
                  <td className="small">{side(column.after, column.tagsAfter, column.showsAfter)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {of.readers.length > 0 && (
        <ul className="small">
          {of.readers.map((reader) => (
            <li key={reader.user} className="anywhere">
              <strong>{reader.user}</strong>
              {reader.gains.length > 0 && ` gains ${reader.gains.join(", ")}`}
              {reader.loses.length > 0 && ` loses ${reader.loses.join(", ")}`}
            </li>
          ))}
        </ul>
      )}
      {of.rows && (
        <p className="muted small">
          {Object.entries(of.rows.columns)
            .map(([column, rows]) => `${column} differs in ${count(rows)} rows`)
            .join(", ")}
          {of.rows.partial && " Only the first 200,000 rows of each were compared."}
        </p>
      )}
    </div>
  );
}

function side(kind: string | null, tags: string[], shows: string[]): string {
  if (kind === null) return "–";
  return [kind, ...tags.map((tag) => `#${tag}`), ...(shows.length > 0 ? [`of ${shows.join(", ")}`] : [])].join(" ");
}
