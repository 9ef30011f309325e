// The statements this user ran in this browser. Only their text: never a row.
import { useCallback, useEffect, useRef, useState } from "react";
import { Empty } from "@/components/Empty";
import { When } from "@/components/When";
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

export function History({
  items,
  onChoose,
  onClear,
}: {
  items: Asked[];
  onChoose: (item: Asked) => void;
  onClear: () => void;
}) {
  if (items.length === 0) {
    return (
      <div className="panel">
        <Empty title="No statements yet">
          <p>Statements that you run appear here, in this browser only.</p>
        </Empty>
      </div>
    );
  }
  return (
    <section className="panel flush" aria-label="History">
      <div className="panel-head">
        <span className="muted small">Kept in this browser only: the statements, never their rows.</span>
        <button type="button" className="button small" onClick={onClear}>
          Forget all
        </button>
      </div>
      <ul className="list">
        {items.map((item) => (
          <li key={item.sql} className="row-nowrap">
            <button type="button" className="link grow" style={{ textAlign: "left" }} onClick={() => onChoose(item)}>
              <pre className="small">{item.sql}</pre>
            </button>
            {item.purpose && <span className="badge">{item.purpose}</span>}
            <span className="muted small">
              <When at={item.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
