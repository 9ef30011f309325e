// The statements this user ran in this browser. Only their text: never a row, never the value of a parameter.
import { useCallback, useEffect, useRef, useState } from "react";
import { readList, remember, writeList } from "@/lib/store";

export interface Asked {
  sql: string;
  purpose: string;
  at: string;
}

const same = (a: Asked, b: Asked) => a.sql === b.sql;

/** `user` undefined: not known yet. What is run until then is kept for them, under their name only. */
export function useHistory(user: string | undefined) {
  const key = user === undefined ? null : `weir.history.${user}`;
  const [items, setItems] = useState<Asked[]>([]);
  const early = useRef<Asked[]>([]);
  useEffect(() => {
    if (key === null) return;
    for (const asked of early.current.splice(0)) remember(key, asked, same);
    setItems(readList<Asked>(key));
  }, [key]);
  const add = useCallback(
    (sql: string, purpose: string) => {
      const asked = { sql, purpose, at: new Date().toISOString() };
      if (key !== null) setItems(remember(key, asked, same));
      else {
        early.current.push(asked);
        setItems((before) => [asked, ...before.filter((other) => !same(other, asked))]);
      }
    },
    [key],
  );
  const clear = useCallback(() => {
    early.current = [];
    if (key !== null) writeList(key, []);
    setItems([]);
  }, [key]);
  return { items, add, clear };
}
