// What the search box offers while one types.
import type { Suggestion } from "@/api/types";
import { begunFilter, begunNames, filterText, MEANING, typedFilters } from "@/lib/typedFilters";

export interface Favourite {
  place: string;
  name: string;
}

export interface SearchOption {
  id: string;
  kind: "dataset" | "field" | "value" | "filter" | "recent" | "favourite";
  text: string;
  note: string;
  /** What the box holds once it is chosen. */
  fills?: string;
  /** A page to open instead. */
  opens?: Favourite;
}

const MOST = 8;
const FEW = 4;

/** The options for what was typed, best first. `suggestions` are the API's of this text. */
export function searchOptions(
  text: string,
  suggestions: Suggestion[],
  recent: string[],
  favourites: Favourite[],
): SearchOption[] {
  const found: Omit<SearchOption, "id">[] = [];
  const begun = begunFilter(text);
  if (text.trim() === "") {
    for (const q of recent.slice(0, FEW)) found.push({ kind: "recent", text: q, note: "searched before", fills: q });
    for (const one of favourites.slice(0, FEW)) {
      found.push({ kind: "favourite", text: one.name, note: `favourite in ${one.place}`, opens: one });
    }
  } else if (begun) {
    for (const { text: value, kind } of suggestions) {
      if (kind !== begun.name) continue;
      const shown = filterText(kind, value);
      found.push({ kind: "value", text: shown, note: MEANING[kind] ?? "", fills: `${begun.rest}${shown} ` });
    }
  } else {
    const filters = typedFilters(text).map(({ name, value }) => filterText(name, value));
    for (const { text: name, kind, of } of suggestions) {
      if (kind !== "dataset" && kind !== "field") continue;
      const note = kind === "field" ? `field of ${of ?? "a dataset"}` : `dataset ${of ?? ""}`.trim();
      found.push({ kind, text: name, note, fills: [...filters, name].join(" ") });
    }
    const names = begunNames(text).slice(0, FEW);
    found.splice(MOST - names.length);
    for (const name of names) {
      const fills = text.replace(/[A-Za-z]+$/, `${name}:`);
      found.push({ kind: "filter", text: `${name}:`, note: MEANING[name] ?? "", fills });
    }
  }
  return found.slice(0, MOST).map((option, at) => ({ ...option, id: `search-option-${at}` }));
}

/** Where the arrows lead: -1 is the box itself; past the last there is nothing (null), and the results begin. */
export function stepped(at: number, step: 1 | -1, count: number): number | null {
  const next = at + step;
  if (next >= count) return null;
  return next < -1 ? count - 1 : next;
}
