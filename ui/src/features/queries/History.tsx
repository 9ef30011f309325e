// The statements this user ran in this browser. Only their text: never a row.
import { Empty } from "@/components/Empty";
import { When } from "@/components/When";
import type { Asked } from "@/lib/useHistory";

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
