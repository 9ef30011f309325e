// The statements this user ran in this browser. Only their text: never a row.
import { useCallback, useEffect, useState } from "react";
import { Empty } from "@/components/Empty";
import { When } from "@/components/When";
import { readList, remember, writeList } from "@/lib/store";

export interface Asked {
  sql: string;
  purpose: string;
  at: string;
}

export function useHistory(user: string) {
  const key = `weir.history.${user}`;
  const [items, setItems] = useState<Asked[]>([]);
  useEffect(() => setItems(readList<Asked>(key)), [key]);
  const add = useCallback(
    (sql: string, purpose: string) =>
      setItems(remember<Asked>(key, { sql, purpose, at: new Date().toISOString() }, (a, b) => a.sql === b.sql)),
    [key],
  );
  const clear = useCallback(() => {
    writeList(key, []);
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
          <p>What you run stands here, in this browser only.</p>
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
