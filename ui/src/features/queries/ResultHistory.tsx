// Results of this page: opened again as they were, without running the query once more.
import { When } from "@/components/When";
import { plural } from "@/lib/format";
import type { Result } from "@/lib/results";

export function ResultHistory({ results, onOpen }: { results: Result[]; onOpen: (id: number) => void }) {
  if (results.length === 0) return null;
  return (
    <section className="panel flush" aria-label="Results">
      <div className="panel-head">
        <span className="muted small">Results of this page, as they were. They are gone when you leave it.</span>
      </div>
      <ul className="list">
        {results.map((result) => (
          <li key={result.id} className="row-nowrap">
            <button type="button" className="link grow" style={{ textAlign: "left" }} onClick={() => onOpen(result.id)}>
              <pre className="small">{result.asked.sql}</pre>
            </button>
            {result.asked.purpose && <span className="badge">{result.asked.purpose}</span>}
            <span className="muted small nowrap">
              {plural(result.answer.rows.length, "row")}, {(result.ms / 1000).toFixed(1)} s
            </span>
            <span className="muted small">
              <When at={result.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
