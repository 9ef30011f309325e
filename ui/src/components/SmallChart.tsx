// One figure over time as a small line. What it shows is in its label for those who do not see it.
import { lastOf, valuesPath } from "@/lib/chart";
import { count } from "@/lib/format";
import "@/styles/views.css";

const WIDTH = 260;
const HEIGHT = 48;
const rounded = (value: number) => count(Math.round(value * 10) / 10);

export function SmallChart({
  title,
  values,
  unit,
  span,
}: {
  title: string;
  values: readonly (number | null | undefined)[];
  unit: string;
  /** Over which time, as in "the last hour". */
  span: string;
}) {
  const last = lastOf(values);
  const most = values.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  const shown = last === undefined ? "–" : `${rounded(last)} ${unit}`;
  return (
    <figure className="small-chart">
      <figcaption className="small anywhere">
        <span className="muted">{title}</span> <strong>{shown}</strong>
      </figcaption>
      <svg
        viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
        role="img"
        aria-label={`${title}: ${shown} now, ${rounded(most)} ${unit} at most in ${span}`}
        preserveAspectRatio="none"
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className="axis" />
        <path d={valuesPath(values, WIDTH, HEIGHT)} />
      </svg>
    </figure>
  );
}
