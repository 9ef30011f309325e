// A result as a chart: which columns, and what is not drawn.
import { Suspense, useMemo } from "react";
import type { QueryAnswer } from "@/api/types";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { type ChartAsked, drawn, isNumeric, usualChart } from "@/lib/resultChart";
import { ResultChart } from "@/parts";

/** The chart that is asked for, where its columns are there; else the usual one of its kind. */
export function fitting(columns: QueryAnswer["columns"], asked: ChartAsked): ChartAsked | null {
  const has = (name: string | null, numbers = false) =>
    columns.some((column) => column.name === name && (!numbers || isNumeric(column)));
  const fits = asked.kind === "histogram" ? has(asked.x, true) : has(asked.x) && has(asked.y, true);
  return fits ? asked : usualChart(columns, asked.kind);
}

export function ChartPane({
  answer,
  asked,
  onAsk,
}: {
  answer: QueryAnswer;
  asked: ChartAsked;
  onAsk: (chart: ChartAsked) => void;
}) {
  const chart = useMemo(() => fitting(answer.columns, asked), [answer, asked]);
  const made = useMemo(() => chart && drawn(answer.columns, answer.rows, chart), [answer, chart]);
  if (!chart || !made) {
    return (
      <Empty title="Nothing to draw">
        <p>
          The result has no column of numbers. Count or sum something, as in SELECT region, count(*) AS n … GROUP BY
          region.
        </p>
      </Empty>
    );
  }
  return (
    <div className="stack-s">
      <div className="row panel-note" style={{ paddingTop: 10 }}>
        <Pick
          label={chart.kind === "histogram" ? "Of" : "Across"}
          value={chart.x}
          names={answer.columns.filter((c) => chart.kind !== "histogram" || isNumeric(c)).map((c) => c.name)}
          onPick={(x) => onAsk({ ...chart, x })}
        />
        {chart.y !== null && (
          <Pick
            label="Value"
            value={chart.y}
            names={answer.columns.map((c) => c.name)}
            onPick={(y) => onAsk({ ...chart, y })}
          />
        )}
        {[...made.leftOut, ...(answer.truncated ? ["The result itself was cut; there are more rows."] : [])].map(
          (text) => (
            <span key={text} className="badge warn">
              {text}
            </span>
          ),
        )}
      </div>
      {made.values.length === 0 ? (
        <Empty title="No row has a number there" />
      ) : (
        <Suspense fallback={<Loading lines={6} label="Drawing" />}>
          <ResultChart of={made} asked={chart} />
        </Suspense>
      )}
    </div>
  );
}

function Pick({
  label,
  value,
  names,
  onPick,
}: {
  label: string;
  value: string;
  names: string[];
  onPick: (name: string) => void;
}) {
  return (
    <label className="row small">
      {label}
      <select className="select" value={value} onChange={(event) => onPick(event.target.value)}>
        {[...new Set(names)].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
