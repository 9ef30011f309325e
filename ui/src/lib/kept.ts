// Searches and favourites of a person, kept in this browser alone: Weir's server never learns them.
import { useCallback, useSyncExternalStore } from "react";
import { useMe } from "@/api/access";
import type { Favourite } from "@/lib/searchOptions";
import { useToken } from "@/lib/session";
import { readList, remember, writeList } from "@/lib/store";

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
  return { key, items: key === null || text === null ? [] : readList<T>(key) };
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
