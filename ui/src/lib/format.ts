// Numbers and times as people read them.

const whole = new Intl.NumberFormat("en");

export function count(n: number | null | undefined): string {
  return n == null ? "–" : whole.format(n);
}

/** A share 0..1 as percent: never "100%" or "0%" for what is only nearly so. */
export function percent(share: number | null | undefined): string {
  if (share == null) return "–";
  if (share <= 0) return "0%";
  if (share >= 1) return "100%";
  const text = share < 0.1 || share > 0.99 ? (share * 100).toFixed(1) : (share * 100).toFixed(0);
  if (Number(text) === 0) return "<0.1%";
  if (Number(text) === 100) return ">99.9%";
  return `${text.replace(/\.0$/, "")}%`;
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** "3 minutes ago", "in 2 days". */
export function ago(at: string | null | undefined, now: number = Date.now()): string {
  if (!at) return "never";
  const seconds = (Date.parse(at) - now) / 1000;
  if (Number.isNaN(seconds)) return at;
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return Math.abs(seconds) < 10 ? "just now" : relative.format(Math.round(seconds), "second");
}

/** A length of time in words: 604800000 -> "7 days"; -1 -> "for ever". */
export function duration(ms: number | null | undefined): string {
  if (ms == null) return "–";
  if (ms < 0) return "for ever";
  const seconds = ms / 1000;
  for (const [unit, size] of UNITS) {
    if (seconds >= size && (unit === "day" || unit === "hour" || unit === "minute")) {
      const n = Math.round((seconds / size) * 10) / 10;
      return `${n} ${unit}${n === 1 ? "" : "s"}`;
    }
  }
  return `${seconds} seconds`;
}

/** A time span as people round it: 40 -> "1 minute", 5400 -> "2 hours". */
export function span(seconds: number): string {
  for (const [unit, size] of UNITS) {
    if (unit !== "year" && unit !== "month" && seconds > size) {
      const n = Math.ceil(seconds / size);
      return `${n} ${unit}${n === 1 ? "" : "s"}`;
    }
  }
  return "1 minute";
}

export function bytes(n: number | null | undefined): string {
  if (n == null) return "–";
  if (n < 0) return "no limit";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = n;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** One cell of a result as text; structures as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Rows as CSV (RFC 4180). A cell that a spreadsheet would run as a formula is given a leading apostrophe; a negative
 * number that is a text, as decimals are, is not one. */
export function csv(columns: string[], rows: unknown[][]): string {
  const cell = (value: unknown) => {
    const raw = cellText(value);
    const runs = typeof value === "string" && /^[=+\-@\t\r]/.test(raw) && !/^-\d+(\.\d+)?$/.test(raw);
    const text = runs ? `'${raw}` : raw;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** How many records arrive, over the time that the scan saw: "about 110 a day". Null where that is not known. */
export function rateText(of: {
  topic: { retained?: number | null };
  scan: { timeFrom?: string | null; timeTo?: string | null };
}): string | null {
  const { timeFrom, timeTo } = of.scan;
  const kept = of.topic.retained;
  if (!timeFrom || !timeTo || !kept || kept < 2) return null;
  const seconds = (Date.parse(timeTo) - Date.parse(timeFrom)) / 1000;
  if (!(seconds > 0)) return null;
  const perSecond = kept / seconds;
  const [n, unit]: [number, string] =
    perSecond >= 1
      ? [perSecond, "second"]
      : perSecond * 60 >= 1
        ? [perSecond * 60, "minute"]
        : perSecond * 3600 >= 1
          ? [perSecond * 3600, "hour"]
          : [perSecond * 86_400, "day"];
  return `about ${n >= 10 ? count(Math.round(n)) : n.toFixed(1)} ${unit === "hour" ? "an" : "a"} ${unit}`;
}
