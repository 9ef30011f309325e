// One card of the graph: name, its fields, and a handle each way that opens and closes what is beyond.
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { Cog, Database, Minus, Plus } from "lucide-react";
import type { Way } from "@/lib/graph";
import type { Card } from "@/pages/lineage/cards";

export type CardNode = Node<
  {
    card: Card;
    root: boolean;
    chosen: string | null;
    lit: ReadonlySet<string> | null;
    dim: boolean;
    places: ReadonlyMap<string, string>;
    busy: boolean;
    hidden: Record<Way, number | undefined>;
    onToggle: (node: string, way: Way, open: boolean) => void;
    onChoose: (id: string | null) => void;
  },
  "card"
>;

export function CardView({ data }: NodeProps<CardNode>) {
  const { card, chosen } = data;
  const Icon = card.kind === "job" ? Cog : Database;
  const choose = (id: string) => data.onChoose(chosen === id ? null : id);
  const state = typeof card.node?.state === "string" ? card.node.state : null;
  return (
    <div
      className={`card ${card.kind} ${data.root ? "root" : ""} ${data.dim ? "dim" : ""} ${chosen === card.id ? "chosen" : ""}`}
      style={{ width: card.width, height: card.height }}
    >
      <Handle type="target" position={Position.Left} className="port" isConnectable={false} />
      <Handle type="source" position={Position.Right} className="port" isConnectable={false} />
      <button type="button" className="card-head" aria-pressed={chosen === card.id} onClick={() => choose(card.id)}>
        <Icon size={15} aria-hidden />
        <span className="card-title" title={`${card.place} / ${card.title}`}>
          {card.title}
        </span>
        {card.kind === "dataset" && <span className="card-place">{data.places.get(card.place) ?? card.place}</span>}
        {state && card.kind === "job" && <span className="card-place">{state.toLowerCase()}</span>}
      </button>
      {card.fields.map((field) => (
        <div key={field.id} className={`card-field ${data.lit?.has(field.id) ? "lit" : ""}`}>
          <Handle id={field.id} type="target" position={Position.Left} className="port" isConnectable={false} />
          <Handle id={field.id} type="source" position={Position.Right} className="port" isConnectable={false} />
          <button type="button" aria-pressed={chosen === field.id} title={field.name} onClick={() => choose(field.id)}>
            {field.name}
          </button>
        </div>
      ))}
      {card.more > 0 && <div className="card-field muted">and {card.more} more: choose one in the list</div>}
      {(card.kind === "dataset" || data.root) && (
        <>
          <Toggle way="upstream" of={data} />
          <Toggle way="downstream" of={data} />
        </>
      )}
    </div>
  );
}

function Toggle({ way, of }: { way: Way; of: CardNode["data"] }) {
  const hidden = of.hidden[way];
  if (hidden === undefined) return null;
  const open = hidden === 0;
  const Icon = open ? Minus : Plus;
  return (
    <button
      type="button"
      className={`card-toggle ${way}`}
      disabled={of.busy}
      aria-expanded={open}
      aria-label={`${open ? "Close" : `Open ${hidden}`} ${way} of ${of.card.title}`}
      onClick={() => of.onToggle(of.card.id, way, !open)}
    >
      <Icon size={11} aria-hidden />
      {!open && hidden}
    </button>
  );
}
