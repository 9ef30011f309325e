// The answer to a query: what was decided, what was read, the rows, and taking them along.
import { Link } from "react-router";
import { ApiError } from "@/api/client";
import type { useRunQuery } from "@/api/query";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { ErrorNotice, Notice } from "@/components/Notice";
import { Reasons } from "@/components/Reasons";
import { ResultGrid } from "@/components/ResultGrid";
import { Segments } from "@/components/Segments";
import { When } from "@/components/When";
import { ChartPane, fitting } from "@/features/queries/ChartPane";
import { ExportMenu } from "@/features/queries/ExportMenu";
import { datasetReasons, lookOf } from "@/lib/decision";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";
import { useFetched } from "@/lib/part";
import type { ChartAsked } from "@/lib/resultChart";
import type { Result } from "@/lib/results";
import { tablesIn } from "@/lib/sql";
import { resultTable } from "@/lib/tableSettings";
import { readText } from "@/lib/window";
import { ResultChart } from "@/parts";

const LOOKS = [
  { value: "table", text: "Table" },
  { value: "bar", text: "Bar" },
  { value: "line", text: "Line" },
  { value: "histogram", text: "Histogram" },
] as const;

export function ResultView({
  run,
  earlier,
  sql,
  purpose,
  chart,
  onChart,
}: {
  run: ReturnType<typeof useRunQuery>;
  /** A result that was opened again; it is shown in place of the run. */
  earlier: Result | null;
  sql: string;
  purpose: string;
  /** How it is drawn; null for a table. */
  chart: ChartAsked | null;
  onChart: (chart: ChartAsked | null) => void;
}) {
  // Rows may be drawn next.
  useFetched(ResultChart, run.isSuccess);
  const asked = earlier?.asked ?? run.variables;
  const first = tablesIn(asked?.sql ?? sql)[0];
  const dataset = first ? (first.place ? `${first.place}/${first.name}` : first.name) : undefined;
  if (run.isPending && !earlier) {
    return (
      <div className="panel">
        <Loading lines={6} label="The query runs" />
      </div>
    );
  }
  if (run.isError && !earlier) {
    if (run.error instanceof DOMException) return <p className="muted">You stopped it.</p>;
    return (
      <ErrorNotice error={run.error}>
        {run.error instanceof ApiError && run.error.status === 403 && dataset && (
          <p>
            <Link
              className="button small"
              to={links.ask(dataset, [], purpose)}
              state={{ sql: run.variables?.sql ?? sql }}
            >
              Request access to {dataset}
            </Link>
          </p>
        )}
      </ErrorNotice>
    );
  }
  const answer = earlier?.answer ?? run.data;
  if (!answer) {
    return (
      <div className="panel">
        <Empty title="Write a query">
          <p>
            The value's fields are the columns. <code>_key</code>, <code>_headers</code>, <code>_partition</code>,{" "}
            <code>_offset</code> and <code>_timestamp</code> are there too, by their names only. What you may not see
            arrives masked; each column shows why. <code>SHOW TABLES</code> and <code>DESCRIBE</code> answer as well.
          </p>
        </Empty>
      </div>
    );
  }
  const masked = answer.columns.filter((c) => lookOf(c.decision) !== "clear").length;
  return (
    <section className="stack-s" aria-label="Result">
      <div className="spread">
        <p role="status">
          <strong>{plural(answer.rows.length, "row")}</strong>{" "}
          {answer.truncated && <span className="badge warn">there are more</span>}{" "}
          <span className="muted">
            {readText(answer.window)} {masked > 0 && `${plural(masked, "column")} masked.`}
          </span>
        </p>
        <span className="row">
          <Segments
            label="How the result is shown"
            value={chart?.kind ?? "table"}
            options={[...LOOKS]}
            onChange={(look) =>
              onChart(
                look === "table"
                  ? null
                  : (fitting(answer.columns, {
                      kind: look,
                      x: chart?.x ?? "",
                      y: look === "histogram" ? null : (chart?.y ?? ""),
                    }) ?? {
                      kind: look,
                      x: "",
                      y: look === "histogram" ? null : "",
                    }),
              )
            }
          />
          <ExportMenu answer={answer} asked={asked} />
        </span>
      </div>
      {earlier && (
        <Notice>
          The result of <When at={earlier.at} />, as you saw it then. Run the query for a new one.
        </Notice>
      )}
      {answer.unreadableText && <Notice tone="warn">{answer.unreadableText}</Notice>}
      {answer.notes?.map((note) => (
        <p key={note} className="small" role="note">
          {note}
        </p>
      ))}
      <Why reasons={datasetReasons(answer.decision)} />
      <div className="panel flush">
        {answer.rows.length === 0 ? (
          <Empty title="No rows">
            <p>No record that was read matches, or you may not see the matching ones.</p>
          </Empty>
        ) : chart ? (
          <ChartPane answer={answer} asked={chart} onAsk={onChart} />
        ) : (
          <ResultGrid
            table={resultTable(answer.columns.map((c) => c.name))}
            columns={answer.columns}
            rows={answer.rows}
            dataset={dataset}
            reasons={answer.decision.reasons}
          />
        )}
      </div>
    </section>
  );
}

function Why({ reasons }: { reasons: string[] }) {
  if (reasons.length === 0) return null;
  return (
    <details>
      <summary className="small">Why you see this</summary>
      <Reasons reasons={reasons} />
    </details>
  );
}
