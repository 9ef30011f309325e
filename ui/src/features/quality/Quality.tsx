// What scans measured of this dataset over time, what is usual of it, and what was not.
import { useState } from "react";
import { useAnomalies, useMarkTime, useQuality, useRemoveMark } from "@/api/quality";
import type { Anomaly, DatasetDetails, DatasetQuality, QualityResolution, QualitySeries } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { EndButton } from "@/components/EndButton";
import { ErrorNotice } from "@/components/Notice";
import { SeriesChart } from "@/components/SeriesChart";
import { When } from "@/components/When";
import { count, plural } from "@/lib/format";
import { figure, isConstant, measureName } from "@/lib/quality";

const RESOLUTIONS: { name: QualityResolution; text: string }[] = [
  { name: "scan", text: "Scans" },
  { name: "hour", text: "Hours" },
  { name: "day", text: "Days" },
];
const ENDS: Record<NonNullable<Anomaly["endedWhy"]>, string> = {
  usual: "usual again",
  accepted: "usual by now",
  marked: "marked",
  off: "no longer looked at",
};

export function Quality({ dataset }: { dataset: DatasetDetails }) {
  const [resolution, setResolution] = useState<QualityResolution>("hour");
  const [path, setPath] = useState("");
  const quality = useQuality(dataset, path.trim() || undefined, resolution);
  const mayMark = dataset.may.scan || dataset.may.review;
  return (
    <div className="stack">
      <Anomalies dataset={dataset} />
      <section className="panel stack" aria-label="Series">
        <div className="row">
          <label>
            Points of{" "}
            <select
              className="input"
              value={resolution}
              onChange={(e) => setResolution(e.target.value as QualityResolution)}
            >
              {RESOLUTIONS.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.text}
                </option>
              ))}
            </select>
          </label>
          <label>
            Field{" "}
            <input
              className="input"
              value={path}
              placeholder="value.amount"
              onChange={(e) => setPath(e.target.value)}
              spellCheck={false}
            />
          </label>
        </div>
        <Answer of={quality}>
          {(answer) => (
            <>
              <AllSeries quality={answer} reference={dataset.reference} />
              {answer.marks.length > 0 && <Marks of={dataset} marks={answer.marks} mayMark={mayMark} />}
            </>
          )}
        </Answer>
      </section>
      {mayMark && <MarkTime dataset={dataset} />}
    </div>
  );
}

function AllSeries({ quality, reference }: { quality: DatasetQuality; reference: string }) {
  const constant = quality.series.filter((each) => each.path !== null && isConstant(each));
  const byPath = grouped(quality.series.filter((each) => !constant.includes(each)));
  if (quality.series.length === 0 && quality.withheldSeries === 0) {
    return (
      <Empty title="No scan has measured this">
        <p>
          Each scan adds a point: <code>weir scan {reference}</code>.
        </p>
      </Empty>
    );
  }
  const young = quality.series.filter((each) => !each.usual).length;
  return (
    <>
      <p className="muted">
        Last scan: <When at={quality.checkedAt} never="none yet" />. Sensitivity: {quality.sensitivity}.
        {quality.series.length < quality.total && (
          <>
            {" "}
            The first {count(quality.series.length)} of {count(quality.total)} series are shown; name a field to see
            others.
          </>
        )}
        {young > 0 && (
          <>
            {" "}
            {young === quality.series.length ? "None of them has" : `${count(young)} of them lack`} enough history to
            judge by.
          </>
        )}
        {quality.withheldSeries > 0 && (
          <> {plural(quality.withheldSeries, "series", "series")} withheld: you may not see figures of these fields.</>
        )}
        {quality.leftOut > 0 && <> {count(quality.leftOut)} are not kept, as there are too many fields.</>}
      </p>
      {[...byPath].map(([path, series]) => (
        <section key={path} aria-label={path || "Records"}>
          <h3 className="anywhere">{path || "Records"}</h3>
          <div className="series-charts">
            {series.map((each) => (
              <SeriesChart key={each.measure} series={each} />
            ))}
          </div>
        </section>
      ))}
      {constant.length > 0 && <Constant series={constant} />}
    </>
  );
}

function Marks({
  of,
  marks,
  mayMark,
}: {
  of: DatasetDetails;
  marks: DatasetQuality["marks"];
  mayMark: boolean | undefined;
}) {
  const remove = useRemoveMark(of);
  return (
    <details>
      <summary>Marked times: {count(marks.length)}</summary>
      {remove.isError && <ErrorNotice error={remove.error} />}
      <ul>
        {marks.map((mark) => (
          <li key={mark.id}>
            {mark.kind} from <When at={mark.startsAt} /> to <When at={mark.endsAt} />
            {mark.note && <>: {mark.note}</>}
            {mark.markedBy && <> ({mark.markedBy})</>}{" "}
            {mayMark && <EndButton word="Remove" of={`the mark ${mark.kind}`} onEnd={() => remove.mutate(mark.id)} />}
          </li>
        ))}
      </ul>
    </details>
  );
}

function grouped(series: QualitySeries[]): Map<string, QualitySeries[]> {
  const byPath = new Map<string, QualitySeries[]>();
  for (const each of series) byPath.set(each.path ?? "", [...(byPath.get(each.path ?? "") ?? []), each]);
  return byPath;
}

/** Series of one value: a line of text says all that a chart would. */
function Constant({ series }: { series: QualitySeries[] }) {
  return (
    <details>
      <summary>{plural(series.length, "figure")} that did not change</summary>
      <dl className="constant-series">
        {[...grouped(series)].map(([path, own]) => (
          <div key={path}>
            <dt className="anywhere">{path}</dt>
            <dd className="muted">
              {own
                .map((each) => `${measureName(each.measure)} ${figure(each.points[0]?.value ?? 0, each.unit)}`)
                .join(", ")}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Anomalies({ dataset }: { dataset: DatasetDetails }) {
  const listed = useAnomalies(dataset);
  return (
    <Answer of={listed}>
      {({ anomalies, withheldAnomalies }) =>
        anomalies.length + withheldAnomalies === 0 ? null : (
          <section className="panel stack" aria-label="Anomalies">
            <h2>Unusual</h2>
            <ul>
              {anomalies.map((each) => (
                <li key={each.id}>
                  <span className={each.endedAt ? "badge" : "badge bad"}>
                    {each.endedWhy ? ENDS[each.endedWhy] : "lasts"}
                  </span>{" "}
                  {each.reason}, from <When at={each.beganAt} />
                  {each.endedAt && (
                    <>
                      {" "}
                      to <When at={each.endedAt} />
                    </>
                  )}
                </li>
              ))}
            </ul>
            {withheldAnomalies > 0 && (
              <p className="muted">{count(withheldAnomalies)} withheld: you may not see figures of their fields.</p>
            )}
          </section>
        )
      }
    </Answer>
  );
}

function MarkTime({ dataset }: { dataset: DatasetDetails }) {
  const [note, setNote] = useState("");
  const mark = useMarkTime(dataset);
  return (
    <form
      className="panel row"
      aria-label="Mark a time"
      onSubmit={(event) => {
        event.preventDefault();
        mark.mutate({ kind: "deploy", note }, { onSuccess: () => setNote("") });
      }}
    >
      <label>
        A deploy begins now, for an hour{" "}
        <input
          className="input"
          value={note}
          maxLength={500}
          placeholder="orders 2.0"
          onChange={(e) => setNote(e.target.value)}
        />
      </label>
      <button type="submit" className="button" disabled={mark.isPending}>
        Mark it
      </button>
      {mark.error && (
        <span className="bad-text" role="alert">
          {mark.error.message}
        </span>
      )}
    </form>
  );
}
