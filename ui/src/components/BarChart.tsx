// A small chart of bars over time: its figures are a table for those who do not see it.
import { useId } from "react";

export interface BarOf {
  at: string;
  value: number;
}

const HEIGHT = 64;

export function BarChart({ title, bars, text }: { title: string; bars: BarOf[]; text: (bar: BarOf) => string }) {
  const id = useId();
  const most = Math.max(1, ...bars.map((b) => b.value));
  const width = 100 / Math.max(1, bars.length);
  return (
    <figure className="bar-chart" aria-labelledby={id}>
      <figcaption id={id} className="small strong">
        {title}
      </figcaption>
      <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        {bars.map((bar, i) => {
          const height = (bar.value / most) * HEIGHT;
          return (
            <rect key={`${i} ${bar.at}`} x={i * width} y={HEIGHT - height} width={width * 0.8} height={height}>
              <title>{text(bar)}</title>
            </rect>
          );
        })}
      </svg>
      <table className="visually-hidden">
        <tbody>
          {bars.map((bar, i) => (
            <tr key={`${i} ${bar.at}`}>
              <td>{text(bar)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
