// Searches, favourites and settings of tables of a person, kept in this browser alone: Weir's server never learns them.
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useMe } from "@/api/access";
import type { Favourite } from "@/lib/searchOptions";
import { useToken } from "@/lib/session";
import { readList, remember, writeList } from "@/lib/store";
import { readSettings, type TableSettings, untouched } from "@/lib/tableSettings";

const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
};

const MOST_SEARCHES = 20;

/** A list under a person's own key; empty until it is known who that is. */
function useKept<T>(what: string) {
  const user = useMe(useToken()).data?.user;
  const key = user === undefined ? null : `weir.${what}.${user}`;
  const text = useSyncExternalStore(subscribe, () => (key === null ? null : localStorage.getItem(key)));
  const items = useMemo(() => (key === null || text === null ? [] : readList<T>(key)), [key, text]);
  return { key, items };
}

/** What was searched for, the newest first. */
export function useRecent() {
  const { key, items } = useKept<string>("searches");
  const add = useCallback(
    (q: string) => {
      const words = q.trim().replace(/\s+/g, " ");
      if (key === null || words === "") return;
      remember(key, words, (a, b) => a === b, MOST_SEARCHES);
      tell();
    },
    [key],
  );
  const clear = useCallback(() => {
    if (key !== null) writeList(key, []);
    tell();
  }, [key]);
  return { items, add, clear };
}

const same = (a: Favourite, b: Favourite) => a.place === b.place && a.name === b.name;

export function useFavourites() {
  const { key, items } = useKept<Favourite>("favourites");
  const toggle = useCallback(
    (one: Favourite) => {
      if (key === null) return;
      const kept = readList<Favourite>(key);
      if (kept.some((other) => same(one, other))) {
        writeList(
          key,
          kept.filter((other) => !same(one, other)),
        );
      } else remember(key, one, same);
      tell();
    },
    [key],
  );
  return { known: key !== null, items, toggle, has: (one: Favourite) => items.some((other) => same(one, other)) };
}

const MOST_TABLES = 100;

/** How a person wants a table; tables that they set last are kept. Not `known`: nothing can be kept yet. */
export function useTableSettings(table: string) {
  const { key, items } = useKept<unknown>("tables");
  const change = useCallback(
    (some: Partial<Omit<TableSettings, "table">>) => {
      if (key === null) return;
      const kept = readList<unknown>(key);
      const next = { ...readSettings(kept, table), ...some };
      const others = kept.filter((one) => (one as TableSettings | null)?.table !== table);
      writeList(key, untouched(next) ? others : [next, ...others], MOST_TABLES);
      tell();
    },
    [key, table],
  );
  const settings = useMemo(() => readSettings(items, table), [items, table]);
  return { known: key !== null, settings, change };
}
