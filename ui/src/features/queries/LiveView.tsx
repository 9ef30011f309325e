import { Pause, Play, Radio } from "lucide-react";
import { Empty } from "@/components/Empty";
import { ErrorNotice, Notice } from "@/components/Notice";
import { ResultGrid } from "@/components/ResultGrid";
import { When } from "@/components/When";
import { KEPT, type Tail } from "@/features/queries/useTail";
import { count, plural } from "@/lib/format";
import { resultTable } from "@/lib/tableSettings";

/** What arrives while a push query runs, newest first. */
export function LiveView({ tail }: { tail: Tail }) {
  const live = tail.state === "live" || tail.state === "connecting";
  return (
    <section className="stack-s" aria-label="Live result">
      <div className="spread">
        <span className="row">
          <span className={`badge ${live ? "ok" : tail.state === "failed" ? "bad" : ""}`}>
            <Radio size={12} aria-hidden />
            {tail.state === "connecting" ? "connecting" : live ? "live" : tail.state === "failed" ? "cut" : "ended"}
          </span>
          <span className="muted" role="status">
            {plural(tail.total, "row")} so far
            {tail.total > KEPT && `, the newest ${count(KEPT)} shown`}
          </span>
        </span>
        {live && (
          <button type="button" className="button small" onClick={() => tail.pause(!tail.paused)}>
            {tail.paused ? <Play size={13} aria-hidden /> : <Pause size={13} aria-hidden />}
            {tail.paused ? "Show new rows" : "Pause"}
          </button>
        )}
      </div>
      {tail.state === "failed" && (
        <ErrorNotice error={tail.error}>
          <p className="muted small">The stream ended here. What you see above the cut was allowed when it arrived.</p>
        </ErrorNotice>
      )}
      {tail.changed && (
        <Notice tone="warn">
          <p>
            What you may see changed <When at={tail.changed} />: a grant or a rule is not what it was when you began.
            Rows shown under the earlier decision were removed; each column's header shows what applies now.
          </p>
        </Notice>
      )}
      {tail.unreadable && <Notice tone="warn">{tail.unreadable}</Notice>}
      {tail.state === "ended" && tail.message && <Notice>{tail.message}</Notice>}
      <div className="panel flush">
        {tail.columns.length === 0 && tail.rows.length === 0 ? (
          <Empty title={live ? "Waiting for records" : "No rows"}>
            {live && <p>Rows appear as soon as new records arrive in the topic.</p>}
          </Empty>
        ) : (
          <ResultGrid table={resultTable(tail.columns.map((c) => c.name))} columns={tail.columns} rows={tail.rows} />
        )}
      </div>
    </section>
  );
}
