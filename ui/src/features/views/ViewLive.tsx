// The rows of a view while they change: those that changed last in front.
import { Radio } from "lucide-react";
import { useMemo } from "react";
import { ApiError } from "@/api/client";
import { Empty } from "@/components/Empty";
import { ErrorNotice, Notice } from "@/components/Notice";
import { ResultGrid } from "@/components/ResultGrid";
import { useViewFollow } from "@/features/views/useViewFollow";
import { count, plural } from "@/lib/format";
import { KEPT_ROWS, lagText } from "@/lib/views";

const WORDS = {
  idle: "ended",
  connecting: "connecting",
  live: "live",
  waiting: "connecting again",
  failed: "refused",
  ended: "cut",
};

export function ViewLive({ name }: { name: string }) {
  const { state, followed, error } = useViewFollow(name, true);
  const rows = useMemo(() => {
    const changed = followed.changed.flatMap((key) => {
      const row = followed.rows.get(key);
      return row ? [row] : [];
    });
    const first = new Set(followed.changed);
    return [...changed, ...[...followed.rows].filter(([key]) => !first.has(key)).map(([, row]) => row)];
  }, [followed]);
  const end = followed.end;
  return (
    <section className="stack-s" aria-label="Live rows">
      <div className="row">
        <span className={`badge ${state === "live" ? "ok" : state === "ended" || state === "failed" ? "bad" : ""}`}>
          <Radio size={12} aria-hidden />
          {WORDS[state]}
        </span>
        <span className="muted" role="status">
          {plural(followed.rows.size, "row")}, {plural(followed.changes, "change")} so far
          {followed.more && `, the first ${count(KEPT_ROWS)} rows shown`}
          {followed.generation !== null && ` · generation ${followed.generation} · ${lagText(followed.freshness)}`}
        </span>
      </div>
      {state === "failed" && <ErrorNotice error={error} />}
      {end && <ErrorNotice error={new ApiError(403, end.code, end.message, { reasons: end.reasons })} />}
      {followed.reason && <Notice>All rows were read once more: {followed.reason}</Notice>}
      <div className="panel flush">
        {rows.length === 0 ? (
          <Empty title={state === "live" || state === "connecting" ? "Waiting for rows" : "No rows"} />
        ) : (
          <ResultGrid table={`view ${name}`} columns={followed.columns as never} rows={rows} />
        )}
      </div>
    </section>
  );
}
