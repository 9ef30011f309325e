// One card of the graph: name, its fields, and a handle each way that opens and closes what is beyond.
import { Handle, type Node, type NodeProps, Position, useUpdateNodeInternals } from "@xyflow/react";
import { ChevronDown, ChevronUp, Cog, Database, EyeOff, Layers, Minus, Plus, TriangleAlert, Users } from "lucide-react";
import { type CSSProperties, useEffect, useRef } from "react";
import { useBrokenDatasets } from "@/api/incidents";
import type { Card } from "@/features/lineage/cards";
import type { Way } from "@/lib/graph";
import { isConsumerGroup } from "@/lib/jobTitle";
import { cardId, isHidden, parseNodeId } from "@/lib/nodeId";

export type CardNode = Node<
  {
    card: Card;
    root: boolean;
    chosen: string | null;
    lit: ReadonlySet<string> | null;
    dim: boolean;
    /** Of the search in the graph: one of those that match, or the one that is shown. */
    match: "match" | "match now" | null;
    places: ReadonlyMap<string, string>;
    busy: boolean;
    hidden: Record<Way, number | undefined>;
    onToggle: (node: string, way: Way, open: boolean) => void;
    onChoose: (id: string | null) => void;
    /** Moves the card's window over its fields to begin at this one. */
    onScroll: (node: string, first: number) => void;
    onOpen: (group: string) => void;
  },
  "card"
>;

const ICONS = { job: Cog, dataset: Database, group: Layers, readers: Users };

export function CardView({ data }: NodeProps<CardNode>) {
  const { card, chosen } = data;
  const readers = isConsumerGroup(card.node);
  const Icon = isHidden(card.id) ? EyeOff : ICONS[readers ? "readers" : card.kind];
  const choose = (id: string) => data.onChoose(chosen === id ? null : id);
  // The kind stands on every card: a job and a consumer group may have one name.
  const state = typeof card.node?.state === "string" ? card.node.state.toLowerCase() : null;
  const kind = readers ? "consumer group" : state ? `job, ${state}` : "job";
  const measureAgain = useUpdateNodeInternals();
  const inside = `${card.height} ${card.fields.map((f) => f.id).join(" ")}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: arrows end at the fields, which are others now.
  useEffect(() => measureAgain(cardId(card.id)), [inside, card.id, measureAgain]);
  return (
    <div
      className={[
        "card",
        card.kind,
        readers && "readers",
        data.root && "root",
        data.dim && "dim",
        chosen === card.id && "chosen",
        data.match,
      ]
        .filter(Boolean)
        .join(" ")}
      style={{ width: card.width, height: card.height, "--fits": `${card.fits}px` } as CSSProperties}
    >
      <Handle type="target" position={Position.Left} className="port" isConnectable={false} />
      <Handle type="source" position={Position.Right} className="port" isConnectable={false} />
      <button
        type="button"
        className="card-head"
        {...(card.kind === "group"
          ? { "aria-label": `Show ${card.title}: ${card.place}`, onClick: () => data.onOpen(card.id) }
          : { "aria-pressed": chosen === card.id, onClick: () => choose(card.id) })}
      >
        <Icon size={15} aria-hidden />
        {card.kind === "dataset" && <Broken id={card.id} />}
        <span
          className={`card-title ${card.lines.length > 1 ? "lines" : ""}`}
          style={
            {
              "--first": `${card.widths.widest - card.widths.first}em`,
              "--widest": `${card.widths.widest}em`,
              "--lines": card.lines.length,
            } as CSSProperties
          }
          title={
            isHidden(card.id) ? card.title : card.kind === "job" ? card.id.slice(4) : `${card.place} / ${card.title}`
          }
        >
          {card.title}
        </span>
        {card.kind === "group" && <span className="card-place">{card.place} …</span>}
        {card.kind === "dataset" && <span className="card-place">{data.places.get(card.place) ?? card.place}</span>}
        {card.kind === "job" && <span className="card-place">{kind}</span>}
      </button>
      {card.fields.length > 0 && <Fields of={data} onChoose={choose} />}
      {(card.kind === "dataset" || data.root) && (
        <>
          <Toggle way="upstream" of={data} />
          <Toggle way="downstream" of={data} />
        </>
      )}
    </div>
  );
}

/** That a dataset has incidents which are not resolved: what is downstream of it may be affected. */
function Broken({ id }: { id: string }) {
  const at = parseNodeId(id);
  const incidents = useBrokenDatasets().data?.get(`${at?.namespace} ${at?.name}`);
  if (!incidents) return null;
  const text = incidents === 1 ? "1 incident is not resolved" : `${incidents} incidents are not resolved`;
  return <TriangleAlert size={15} className="bad-text" aria-label={text} />;
}

/** The fields in the card's window. The wheel moves the window, not the graph. */
function Fields({ of, onChoose }: { of: CardNode["data"]; onChoose: (id: string) => void }) {
  const { card, chosen, lit, onScroll } = of;
  const wide = card.above + card.below > 0;
  const box = useRef<HTMLDivElement>(null);
  const now = useRef(card);
  now.current = card;
  useEffect(() => {
    const element = box.current;
    if (!element || !wide) return;
    // React's own wheel listeners are passive: they could not keep the graph still.
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      event.stopPropagation();
      const { id, above, below } = now.current;
      const step = event.deltaY > 0 ? Math.min(below, 3) : -Math.min(above, 3);
      if (step !== 0) onScroll(id, above + step);
    };
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [wide, onScroll]);
  return (
    <div ref={box} className="card-fields nowheel">
      {card.fields.map((field) => (
        <div key={field.id} className={`card-field ${lit?.has(field.id) ? "lit" : ""}`}>
          <Handle id={field.id} type="target" position={Position.Left} className="port" isConnectable={false} />
          <Handle id={field.id} type="source" position={Position.Right} className="port" isConnectable={false} />
          <button
            type="button"
            aria-pressed={chosen === field.id}
            title={field.name}
            onClick={() => onChoose(field.id)}
          >
            {/* One text, found whole by the browser's own search; what has no room is cut at its beginning. */}
            <bdi>{field.name}</bdi>
          </button>
        </div>
      ))}
      {wide && (
        <div className="card-field card-scroll muted">
          <button
            type="button"
            disabled={card.above === 0}
            aria-label={`Fields before these of ${card.title}`}
            onClick={() => onScroll(card.id, Math.max(0, card.above - card.fields.length))}
          >
            <ChevronUp size={12} aria-hidden /> {card.above}
          </button>
          <button
            type="button"
            disabled={card.below === 0}
            aria-label={`Fields after these of ${card.title}`}
            onClick={() => onScroll(card.id, card.above + Math.min(card.below, card.fields.length))}
          >
            <ChevronDown size={12} aria-hidden /> {card.below} more
          </button>
        </div>
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
