// How far each consumer group of a topic was behind, as small charts.
import { useTopicLag } from "@/api/topics";
import { Answer } from "@/components/Answer";
import { Segments } from "@/components/Segments";
import { SmallChart } from "@/components/SmallChart";
import { plural } from "@/lib/format";
import { useChoice } from "@/lib/useChoice";

const SPANS = [
  { value: 1, text: "1 hour", span: "the last hour" },
  { value: 6, text: "6 hours", span: "the last 6 hours" },
  { value: 24, text: "1 day", span: "the last day" },
];

export function LagOverTime({ place, name }: { place: string; name: string }) {
  const [hours, setHours] = useChoice("lag", SPANS, 6);
  const lag = useTopicLag(place, name, hours);
  const span = SPANS.find((each) => each.value === hours)?.span ?? "";
  return (
    <section className="panel stack-s" aria-labelledby="lag-over-time">
      <div className="spread">
        <h2 id="lag-over-time">Lag over time</h2>
        <Segments label="How far back the lag goes" value={hours} options={SPANS} onChange={setHours} />
      </div>
      <Answer of={lag} lines={2}>
        {(found) =>
          found.withheld ? (
            <p className="muted">You see some rows only, so lag is withheld.</p>
          ) : found.groups.length === 0 ? (
            <p className="muted">
              Nothing is kept of this time yet. Weir looks once a minute and keeps a day; a gap in a line is a time in
              which it could not look.
            </p>
          ) : (
            <>
              <div className="row view-charts">
                {found.groups.map((group) => (
                  <SmallChart
                    key={group.name}
                    title={group.name}
                    values={group.points.map((point) => point.lag)}
                    unit="records"
                    span={span}
                  />
                ))}
              </div>
              {found.others > 0 && (
                <p className="muted small">{plural(found.others, "group")} that were less far behind are left out.</p>
              )}
            </>
          )
        }
      </Answer>
    </section>
  );
}
