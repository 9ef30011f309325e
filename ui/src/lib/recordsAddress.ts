// What the records tab shows, in its address: a link to a place in a topic can be shared.
import type { Part, RecordsAsked } from "@/api/records";

export const PAGE = 50;
export type From = "newest" | "oldest" | "offset" | "time";
export type View = "table" | "tree" | "raw";

function number(text: string | null): number | null {
  return text !== null && /^\d{1,18}$/.test(text) ? Number(text) : null;
}

/** What the address asks for. Anything in it that is not known is left out. */
export function readAsked(params: URLSearchParams): RecordsAsked {
  const part = params.get("in");
  const time = params.get("time");
  return {
    order: params.get("order") === "oldest" ? "oldest" : "newest",
    partition: number(params.get("partition")),
    offset: number(params.get("offset")),
    time: time !== null && !Number.isNaN(Date.parse(time)) ? time : null,
    cursor: params.get("cursor"),
    text: params.get("text") ?? "",
    in: part === "key" || part === "value" || part === "headers" ? (part as Part) : null,
    key: params.get("key"),
    field: params.getAll("field"),
    limit: PAGE,
  };
}

export function readView(params: URLSearchParams): View {
  const view = params.get("view");
  return view === "tree" || view === "raw" ? view : "table";
}

/** The address after a change; a change of the question begins at its first page. */
export function changed(params: URLSearchParams, change: Record<string, string | string[] | null>): URLSearchParams {
  const next = new URLSearchParams(params);
  if (!("cursor" in change) && !("view" in change)) next.delete("cursor");
  for (const [name, value] of Object.entries(change)) {
    next.delete(name);
    for (const one of value === null ? [] : [value].flat()) next.append(name, one);
  }
  return next;
}

export function fromOf(asked: RecordsAsked): From {
  if (asked.offset !== null) return "offset";
  if (asked.time !== null) return "time";
  return asked.order;
}

/** `PATH=VALUE`, `PATH!=VALUE`; null is `PATH=`, the empty text `PATH=""`. Null for what has no single value. */
export function fieldFilter(path: string, value: unknown, equal: boolean): string | null {
  if (value !== null && typeof value === "object") return null;
  const text = value === null || value === undefined ? "" : value === "" ? '""' : String(value);
  return text.length > 1000 ? null : `${path}${equal ? "" : "!"}=${text}`;
}
