// How a person wants a table: which columns, how wide, whether long text goes on in a new line, in which order.

/** Widths of columns in CSS pixels, by their names. A column without one is as wide as the browser makes it. */
export type Widths = Readonly<Record<string, number>>;

export interface TableSettings {
  table: string;
  hidden: string[];
  widths: Widths;
  /** Absent: as the table has it by itself. */
  wrap?: boolean;
}

export const NARROWEST = 48;
export const WIDEST = 1600;
/** Of a column that was shown after the others got their widths. */
export const USUAL = 160;

const within = (width: number) => Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)));

/** What this browser keeps may be anything: parts that are no settings are left out. */
export function readSettings(kept: readonly unknown[], table: string): TableSettings {
  const found = kept.find((one) => isObject(one) && one.table === table);
  if (!isObject(found)) return { table, hidden: [], widths: {} };
  const widths = Object.entries(isObject(found.widths) ? found.widths : {})
    .filter((entry): entry is [string, number] => typeof entry[1] === "number" && Number.isFinite(entry[1]))
    .map(([column, width]) => [column, within(width)]);
  return {
    table,
    hidden: Array.isArray(found.hidden) ? found.hidden.filter((one) => typeof one === "string") : [],
    widths: Object.fromEntries(widths),
    ...(typeof found.wrap === "boolean" ? { wrap: found.wrap } : {}),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The column so many pixels wider; the others as they are on the screen, so that none of them moves. */
export function widened(now: Widths, column: string, by: number): Widths {
  return { ...now, [column]: within((now[column] ?? USUAL) + by) };
}

export function toggled(hidden: readonly string[], column: string): string[] {
  return hidden.includes(column) ? hidden.filter((one) => one !== column) : [...hidden, column];
}

/** True when there is nothing to set back. */
export function untouched({ hidden, widths, wrap }: TableSettings): boolean {
  return hidden.length === 0 && Object.keys(widths).length === 0 && wrap === undefined;
}

/** Names of columns, a repeated one with its number: `id`, `id 2`. */
export function columnIds(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} ${times}`;
  });
}

/** What the settings of a result are kept under: results of the same columns have the same. */
export function resultTable(names: readonly string[]): string {
  return `query ${names.join(", ")}`.slice(0, 300);
}

export interface Order {
  by: string;
  down: boolean;
}

/** A click on a head: upwards, then downwards, then as the rows came. */
export function nextOrder(order: Order | null, by: string): Order | null {
  if (order?.by !== by) return { by, down: false };
  return order.down ? null : { by, down: true };
}

export type SortKey = string | number | null | undefined;

/** The places of rows in order of their keys; rows without a key come last, either way. */
export function ordered(keys: readonly SortKey[], down: boolean): number[] {
  const none = (key: SortKey) => key === null || key === undefined || key === "";
  return keys
    .map((key, at) => ({ key, at }))
    .sort((a, b) => {
      if (none(a.key) || none(b.key)) return Number(none(a.key)) - Number(none(b.key));
      return compare(a.key, b.key) * (down ? -1 : 1);
    })
    .map(({ at }) => at);
}

const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function compare(a: SortKey, b: SortKey): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return words.compare(String(a), String(b));
}
