import { Link } from "react-router";
import type { ReviewItem, Verdict } from "@/api/accessReviews";
import { DataTable } from "@/components/DataTable";
import { EntityName } from "@/components/EntityBadge";
import { When } from "@/components/When";
import { decisionText, seenText } from "@/lib/accessReviews";
import { links } from "@/lib/links";

/** Rights with what they let their holders see, and the decision on each. */
export function ItemTable({
  items,
  picked,
  onPick,
  onDo,
}: {
  items: ReviewItem[];
  picked: ReadonlySet<number>;
  onPick: (number: number, on: boolean) => void;
  onDo: (verdict: Verdict, item: ReviewItem) => void;
}) {
  return (
    <DataTable
      table="access review items"
      label="Rights"
      rows={items}
      rowKey={(item) => item.number}
      columns={[
        {
          id: "choose",
          head: "Choose",
          tool: true,
          cell: (item) =>
            item.canDecide && (
              <input
                type="checkbox"
                aria-label={`Choose ${item.right} of ${item.holder}`}
                checked={picked.has(item.number)}
                onChange={(event) => onPick(item.number, event.target.checked)}
              />
            ),
        },
        {
          id: "holder",
          head: "Holder",
          className: "anywhere",
          cell: (item) => (item.person ? <Link to={links.person(item.person)}>{item.holder}</Link> : item.holder),
        },
        { id: "right", head: "Right", className: "anywhere", cell: (item) => <Right of={item} /> },
        { id: "sees", head: "Lets them see", className: "anywhere", cell: (item) => <Sees item={item} /> },
        { id: "used", head: "Last used", cell: (item) => <Used of={item} /> },
        { id: "decision", head: "Decision", cell: (item) => <Decision item={item} onDo={onDo} /> },
      ]}
    />
  );
}

function Right({ of: item }: { of: ReviewItem }) {
  return (
    <>
      {item.right}
      <div className="small muted">
        {item.purpose && `for ${item.purpose}; `}from {item.sources.join(", ")}
        {item.until && (
          <>
            ; until <When at={item.until} />
          </>
        )}
      </div>
    </>
  );
}

function Used({ of: item }: { of: ReviewItem }) {
  return (
    <>
      {item.evidence.lastUsed ? (
        <When at={item.evidence.lastUsed} />
      ) : (
        <span className="muted" title={`Looked since ${item.evidence.lookedSince}`}>
          never seen used
        </span>
      )}
      {item.unused && (
        <div>
          <span className="badge warn">unused</span>
        </div>
      )}
    </>
  );
}

function Sees({ item }: { item: ReviewItem }) {
  const kinds = [...new Set(item.evidence.datasets.flatMap((each) => each.personal))];
  return (
    <>
      {seenText(item).map((line) => (
        <div key={line}>{line}</div>
      ))}
      {item.evidence.datasets.length === 0 && <span className="muted">no dataset of this review now</span>}
      {kinds.length > 0 && (
        <span className="row" style={{ gap: 4 }}>
          {kinds.slice(0, 6).map((kind) => (
            <EntityName key={kind} name={kind} />
          ))}
        </span>
      )}
    </>
  );
}

function Decision({ item, onDo }: { item: ReviewItem; onDo: (verdict: Verdict, item: ReviewItem) => void }) {
  return (
    <div className="stack-s">
      {item.changed && <span className="badge warn">changed since</span>}
      {item.ended && <span className="muted">ended meanwhile</span>}
      {item.state !== "open" && (
        <span>
          {decisionText(item)} <When at={item.at} />
        </span>
      )}
      {item.reason && <span className="small muted anywhere">{item.reason}</span>}
      {item.leftAt.length > 0 && <span className="small anywhere">to end at: {item.leftAt.join(", ")}</span>}
      {item.canDecide && !item.ended && (
        <span className="row">
          <button type="button" className="button small primary" onClick={() => onDo("keep", item)}>
            Keep
          </button>
          <button type="button" className="button small" onClick={() => onDo("revoke", item)}>
            Revoke
          </button>
        </span>
      )}
      {item.canUndo && (
        <span>
          <button type="button" className="button small quiet" onClick={() => onDo("undo", item)}>
            Take back
          </button>
        </span>
      )}
      {!item.canDecide && item.state === "open" && (
        <span className="small muted anywhere" title={item.why}>
          {item.reviewers.slice(0, 4).join(", ") || "nobody"} can decide
        </span>
      )}
    </div>
  );
}
