// A result as a chart: which columns can be drawn, the points, and what had to be left out.
import { histogram } from "@/lib/chart";
import { cellText, count } from "@/lib/format";

export type ChartKind = "bar" | "line" | "histogram";

export interface ChartAsked {
  kind: ChartKind;
  x: string;
  y: string | null;
}

interface Column {
  name: string;
  type: string;
}

export interface Drawn {
  labels: string[];
  values: number[];
  /** What is not in the chart, in sentences. */
  leftOut: string[];
}

/** Bars and points that are still told apart. */
export const MOST_BARS = 200;
export const MOST_POINTS = 5000;

const NUMBER = /^(tinyint|smallint|int|integer|bigint|float|double|decimal|byte|short|long)/i;

export const isNumeric = (column: Column) => NUMBER.test(column.type);

/** A number of a cell; decimals and large integers arrive as texts. Null where it is none. */
export function numberOf(cell: unknown): number | null {
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : null;
  if (typeof cell !== "string" || cell.trim() === "") return null;
  const number = Number(cell);
  return Number.isFinite(number) ? number : null;
}

/** What is drawn without being asked: the first text or time against the first number. Null where nothing can be. */
export function usualChart(columns: readonly Column[], kind: ChartKind): ChartAsked | null {
  const numbers = columns.filter(isNumeric);
  const y = numbers.at(-1);
  if (!y) return null;
  if (kind === "histogram") return { kind, x: y.name, y: null };
  const x = columns.find((column) => column !== y && !isNumeric(column)) ?? columns.find((column) => column !== y) ?? y;
  return { kind, x: x.name, y: y.name };
}

export function drawn(columns: readonly Column[], rows: readonly unknown[][], asked: ChartAsked): Drawn | null {
  const x = columns.findIndex((column) => column.name === asked.x);
  const y = columns.findIndex((column) => column.name === asked.y);
  if (x < 0 || (asked.kind !== "histogram" && y < 0)) return null;
  if (asked.kind === "histogram") return spans(rows, x);
  const leftOut: string[] = [];
  let points = rows.flatMap((row) => {
    const value = numberOf(row[y]);
    return value === null ? [] : [{ at: row[x], value }];
  });
  if (points.length < rows.length)
    leftOut.push(`${count(rows.length - points.length)} rows have no number in ${asked.y}.`);
  if (asked.kind === "line") points = inOrder(points, isNumeric(columns[x] as Column));
  const most = asked.kind === "bar" ? MOST_BARS : MOST_POINTS;
  if (points.length > most) {
    leftOut.push(
      `The first ${count(most)} of ${count(points.length)} are drawn; aggregate or limit the query to see all.`,
    );
    points = points.slice(0, most);
  }
  return {
    labels: points.map(({ at }) => (at === null || at === undefined ? "null" : clipped(cellText(at)))),
    values: points.map(({ value }) => value),
    leftOut,
  };
}

/** A line goes by its x: by number, or by text, as times are written. */
function inOrder(points: { at: unknown; value: number }[], numeric: boolean): { at: unknown; value: number }[] {
  const by = numeric
    ? (a: unknown, b: unknown) => (numberOf(a) ?? 0) - (numberOf(b) ?? 0)
    : (a: unknown, b: unknown) => (cellText(a) < cellText(b) ? -1 : cellText(a) > cellText(b) ? 1 : 0);
  return [...points].sort((a, b) => by(a.at, b.at));
}

function spans(rows: readonly unknown[][], x: number): Drawn {
  const numbers = rows.flatMap((row) => numberOf(row[x]) ?? []);
  const found = histogram(numbers, 20);
  return {
    labels: found.map((span) =>
      span.from === span.to ? short(span.from) : `${short(span.from)} to ${short(span.to)}`,
    ),
    values: found.map((span) => span.count),
    leftOut: numbers.length < rows.length ? [`${count(rows.length - numbers.length)} rows have no number there.`] : [],
  };
}

const clipped = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);
const short = (value: number) => String(Number(value.toPrecision(4)));

const KINDS: readonly string[] = ["bar", "line", "histogram"];

/** A chart as an address holds it; null for a table. */
export function chartOf(address: URLSearchParams): ChartAsked | null {
  const kind = address.get("chart");
  if (kind === null || !KINDS.includes(kind)) return null;
  return {
    kind: kind as ChartKind,
    x: address.get("x") ?? "",
    y: kind === "histogram" ? null : (address.get("y") ?? ""),
  };
}

export function withChart(address: URLSearchParams, chart: ChartAsked | null): void {
  for (const key of ["chart", "x", "y"]) address.delete(key);
  if (!chart) return;
  address.set("chart", chart.kind);
  address.set("x", chart.x);
  if (chart.y !== null) address.set("y", chart.y);
}
