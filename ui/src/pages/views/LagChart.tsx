import type { ViewSample } from "@/api/types";
import { count } from "@/lib/format";
import { linePath } from "@/lib/views";

const WIDTH = 260;
const HEIGHT = 48;

/** One figure over the last quarter of an hour. */
export function SmallChart({
  title,
  samples,
  of,
  unit,
}: {
  title: string;
  samples: readonly ViewSample[];
  of: "records" | "seconds" | "recordsInPerSecond" | "rowsOutPerSecond" | "batchSeconds";
  unit: string;
}) {
  const values = samples.map((each) => each[of]).filter((each): each is number => typeof each === "number");
  const last = values.at(-1);
  const most = Math.max(0, ...values);
  const shown = last === undefined ? "–" : `${count(Math.round(last * 10) / 10)} ${unit}`;
  return (
    <figure className="small-chart">
      <figcaption className="small">
        <span className="muted">{title}</span> <strong>{shown}</strong>
      </figcaption>
      <svg
        viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
        role="img"
        aria-label={`${title}: ${shown} now, ${count(Math.round(most * 10) / 10)} ${unit} at most in the last quarter of an hour`}
        preserveAspectRatio="none"
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className="axis" />
        <path d={linePath(samples, of, WIDTH, HEIGHT)} />
      </svg>
    </figure>
  );
}
