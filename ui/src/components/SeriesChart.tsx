// A figure of quality over time: its line, the band of what is usual, and points outside of it.
import type { QualitySeries } from "@/api/types";
import { drawn, figure, measureName, usualWords } from "@/lib/quality";
import "@/styles/quality.css";
import "@/styles/views.css";

const WIDTH = 260;
const HEIGHT = 48;

export function SeriesChart({ series }: { series: QualitySeries }) {
  const { line, unusual, band } = drawn(series, WIDTH, HEIGHT);
  const name = measureName(series.measure);
  const last = series.points.at(-1);
  const newest = last ? figure(last.value, series.unit) : "–";
  const usual = usualWords(series) ?? "not enough history to judge by";
  return (
    <figure className="small-chart series-chart">
      <figcaption className="small anywhere">
        <span className="muted">{name}</span> <strong>{newest}</strong>{" "}
        {series.usual && <span className="muted">{usual}</span>}
      </figcaption>
      <svg
        viewBox={`-2 -3 ${WIDTH + 4} ${HEIGHT + 6}`}
        role="img"
        aria-label={`${name}${series.path ? ` of ${series.path}` : ""}: ${newest} at the last scan, ${usual}, ${unusual.length} unusual`}
        preserveAspectRatio="none"
      >
        {band && <rect className="usual" x="0" width={WIDTH} y={band.y} height={band.height} />}
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className="axis" />
        <path d={line} />
        {unusual.map((each) => (
          <circle key={each.x} cx={each.x} cy={each.y} r="2.5">
            <title>{each.title}</title>
          </circle>
        ))}
      </svg>
    </figure>
  );
}
