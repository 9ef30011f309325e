// How figures of quality read, and where points of their charts lie.
import type { QualitySeries } from "@/api/types";
import { count, span } from "@/lib/format";

type Unit = QualitySeries["unit"];

const NAMES: Record<string, string> = {
  volume: "Records an hour",
  records: "Records read by the scan",
  lateness: "Age of the newest record",
  nulls: "Null",
  presence: "Present",
  distinct: "Different values",
};

/** What a measure is called on a page: `type:int64` is the share of that type. */
export function measureName(measure: string): string {
  return NAMES[measure] ?? (measure.startsWith("type:") ? `Of type ${measure.slice(5)}` : measure);
}

export function figure(value: number, unit: Unit): string {
  if (unit === "share") return `${Number((value * 100).toPrecision(3))} %`;
  if (unit === "seconds") return span(value);
  return count(value < 10 ? Number(value.toPrecision(2)) : Math.round(value));
}

/** What is usual of a series, in words; null while there is not enough history. */
export function usualWords({ usual, unit }: QualitySeries): string | null {
  if (!usual) return null;
  const [low, high] = [figure(usual.low, unit), figure(usual.high, unit)];
  return low === high ? `usually ${low}` : `usually ${low} to ${high}`;
}

/** Whether a series had one value all the time. */
export function isConstant({ points }: QualitySeries): boolean {
  return points.length > 1 && points.every((p) => p.value === points[0]?.value && !p.unusual);
}

export interface Drawn {
  line: string;
  unusual: { x: number; y: number; title: string }[];
  band: { y: number; height: number } | null;
  most: number;
}

/** A series in a box: its line by time, the band of what is usual, and points that were not. Shares have a scale of 0 to 1. */
export function drawn(series: QualitySeries, width: number, height: number): Drawn {
  const { points, usual, unit } = series;
  const most = unit === "share" ? 1 : Math.max(1, usual?.high ?? 0, ...points.map((p) => p.value));
  const times = points.map((p) => Date.parse(p.at));
  const first = times[0] ?? 0;
  const lasts = Math.max(1, (times.at(-1) ?? 0) - first);
  const x = (n: number) => Number(((((times[n] ?? first) - first) / lasts) * width).toFixed(1));
  const y = (value: number) => Number((height - (Math.min(value, most) / most) * height).toFixed(1));
  const places = points.map((p, n) => `${x(n)},${y(p.value)}`);
  const only = points.length === 1 ? `L${places[0]}` : "";
  return {
    line: places.length ? `M${places.join("L")}${only}` : "",
    unusual: points.flatMap((p, n) =>
      p.unusual ? [{ x: x(n), y: y(p.value), title: `${p.at}: ${figure(p.value, unit)}` }] : [],
    ),
    band: usual ? { y: y(usual.high), height: Math.max(1, y(usual.low) - y(usual.high)) } : null,
    most,
  };
}
