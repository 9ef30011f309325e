// The drawing: React Flow draws, ELK places. The view stays where it was when nodes open and close.
import {
  Background,
  Controls,
  getNodesBounds,
  MarkerType,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { usePlaces } from "@/api/places";
import { type CardNode, CardView } from "@/features/lineage/CardView";
import { boxesOf, broughtIntoSight, type Card, fieldsOf } from "@/features/lineage/cards";
import { GraphExport } from "@/features/lineage/GraphExport";
import { Legend } from "@/features/lineage/Legend";
import { CHANGE_COLOUR } from "@/lib/compare";
import { firstView } from "@/lib/firstView";
import type { Flow, Graph, Sight, Way } from "@/lib/graph";
import { nodeName } from "@/lib/graphText";
import type { Group } from "@/lib/group";
import { anchored, type Positions, place } from "@/lib/layout";
import { cardId, containerOf } from "@/lib/nodeId";
import "@xyflow/react/dist/style.css";

const TYPES = { card: CardView };

/** From this zoom on names are at least eleven pixels high; of a larger graph the part around its root is shown first. */
const LEGIBLE = 0.65;

interface Size {
  width: number;
  height: number;
}
const sameSize = (a: Size, b: Size) => a.width === b.width && a.height === b.height;

export interface CanvasProps {
  graph: Graph;
  shown: Flow[];
  sight: Sight;
  /** What is drawn: the nodes in sight, those that stand together as groups. */
  drawn: ReadonlySet<string>;
  groups: ReadonlyMap<string, Group>;
  ways: Way[];
  root: string;
  columns: boolean;
  chosen: string | null;
  lit: { nodes: Set<string>; flows: Set<string> } | null;
  anchor: string;
  opening: string | null;
  /** Cards that match the search in the graph, and the one of them that is brought into the middle. */
  matches: ReadonlySet<string>;
  found: string | null;
  /** What the bar asks for; the view is fitted anew when it changes. */
  asked: string;
  fetching: boolean;
  onToggle: (node: string, way: Way, open: boolean) => void;
  onChoose: (id: string | null) => void;
  onOpen: (group: string) => void;
}

export default function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Drawing {...props} />
    </ReactFlowProvider>
  );
}

function Drawing({
  graph,
  shown,
  sight,
  drawn,
  groups,
  ways,
  root,
  columns,
  chosen,
  lit,
  anchor,
  opening,
  matches,
  found,
  asked,
  fetching,
  onToggle,
  onChoose,
  onOpen,
}: CanvasProps) {
  const [scrolled, setScrolled] = useState<ReadonlyMap<string, number>>(new Map());
  const onScroll = useCallback(
    (node: string, first: number) => setScrolled((before) => new Map(before).set(node, first)),
    [],
  );
  const fields = useMemo(() => fieldsOf(columns ? shown : []), [shown, columns]);
  const cards = useMemo(
    () => boxesOf(graph, drawn, groups, fields, scrolled),
    [graph, drawn, groups, fields, scrolled],
  );
  // What a click lights is brought into sight once; from then on the windows are the reader's own.
  useEffect(() => {
    if (lit) setScrolled((before) => broughtIntoSight(before, fields, lit.nodes));
  }, [lit, fields]);
  const { positions, current } = usePositions(cards, shown, anchor);
  const places = usePlaces();
  const flow = useReactFlow();
  const zoom = useStore((s) => (s.transform[2] < 0.42 ? "mid far" : s.transform[2] < 0.78 ? "mid" : ""));
  const size = useStore((s) => ({ width: s.width, height: s.height }), sameSize);
  const ready = current && !fetching && positions.size > 0;

  // What was asked for in the bar is brought into sight whole; what is opened in the graph leaves the view alone.
  const question = `${root} ${columns} ${asked}`;
  const fitted = useRef<string | null>(null);
  useEffect(() => {
    if (!ready || fitted.current === question || !positions.has(containerOf(root))) return;
    fitted.current = question;
    const legible = window.innerWidth < 760 ? 0.8 : LEGIBLE;
    requestAnimationFrame(() => {
      const drawn = flow.getNodes();
      const first = drawn.filter(({ id }) => id === cardId(containerOf(root)));
      void flow.setViewport(firstView(getNodesBounds(drawn), getNodesBounds(first), size, legible));
    });
  }, [ready, question, flow, positions, root, size]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another card moves the view, not what else is drawn again.
  useEffect(() => {
    const at = found === null ? undefined : positions.get(found);
    const card = cards.find(({ id }) => id === found);
    if (!at || !card) return;
    const zoom = Math.max(flow.getZoom(), LEGIBLE);
    void flow.setCenter(at.x + card.width / 2, at.y + card.height / 2, { zoom, duration: 200 });
  }, [found, flow, positions]);

  const nodes: CardNode[] = cards.flatMap((card) => {
    const position = positions.get(card.id);
    if (!position) return [];
    const within = groups.get(card.id)?.members ?? [card.id];
    const dim = lit !== null && !within.some((m) => lit.nodes.has(m)) && !card.fields.some((f) => lit.nodes.has(f.id));
    return [
      {
        id: cardId(card.id),
        type: "card" as const,
        position,
        width: card.width,
        height: card.height,
        // Said, not measured: React Flow forgets what it measured with every change, and drops the arrows meanwhile.
        measured: { width: card.width, height: card.height },
        // React Flow takes the pointer from nodes that it cannot move or select; ours hold buttons.
        style: { pointerEvents: "all" as const },
        data: {
          card,
          root: card.id === containerOf(root),
          chosen,
          lit: lit?.nodes ?? null,
          dim,
          match: card.id === found ? ("match now" as const) : matches.has(card.id) ? ("match" as const) : null,
          places,
          busy: opening === card.id,
          hidden: {
            upstream: ways.includes("upstream") ? sight.hidden.get(`${card.id}|upstream`) : undefined,
            downstream: ways.includes("downstream") ? sight.hidden.get(`${card.id}|downstream`) : undefined,
          },
          onToggle,
          onChoose,
          onScroll,
          onOpen,
        },
      },
    ];
  });
  const labels = useMemo(() => jobLabels(columns ? shown : []), [shown, columns]);
  const handles = new Set(cards.flatMap((c) => c.fields.map((f) => f.id)));
  const edges = shown.map((f) => {
    const on = lit?.flows.has(f.id) ?? false;
    const plain = f.masked ? "var(--mask)" : "var(--line-strong)";
    const colour = f.change ? CHANGE_COLOUR[f.change] : on ? "var(--accent)" : plain;
    return {
      id: f.id,
      source: cardId(containerOf(f.from)),
      target: cardId(containerOf(f.to)),
      ...(handles.has(f.from) ? { sourceHandle: f.from } : {}),
      ...(handles.has(f.to) ? { targetHandle: f.to } : {}),
      markerEnd: { type: MarkerType.ArrowClosed, color: colour, width: 16, height: 16 },
      ariaLabel: `${f.from} to ${f.to}${f.masked ? ", masked" : ""}${f.change ? `, ${f.change}` : ""}`,
      ...(labels.get(f.id) ? { label: labels.get(f.id) } : {}),
      style: {
        stroke: colour,
        strokeWidth: on || f.change ? 2.4 : 1.4,
        opacity: lit !== null && !on ? 0.2 : f.stale ? 0.5 : 1,
        ...dashes(f),
      },
      zIndex: on ? 1 : 0,
    };
  });
  return (
    <div className={`drawing ${zoom}`} aria-busy={!ready || opening !== null}>
      <div className="drawing-graph">
        <ReactFlow<CardNode>
          nodes={nodes}
          edges={edges}
          nodeTypes={TYPES}
          minZoom={0.08}
          maxZoom={1.8}
          nodesDraggable={false}
          nodesConnectable={false}
          elementsSelectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          onlyRenderVisibleElements={nodes.length > 120}
          proOptions={{ hideAttribution: true }}
          onPaneClick={() => onChoose(null)}
        >
          <Background gap={22} />
          <Controls showInteractive={false} />
          {nodes.length > 25 && <MiniMap pannable zoomable ariaLabel="The whole graph" />}
        </ReactFlow>
      </div>
      <div className="drawing-foot">
        <Legend shown={shown} columns={columns} />
        <GraphExport graph={graph} cards={cards} shown={shown} positions={positions} />
      </div>
    </div>
  );
}

/** The job on the arrows between columns: once for each pair of datasets, or a wide table would repeat it. */
function jobLabels(shown: Flow[]): Map<string, string> {
  const pairs = new Set<string>();
  const labels = new Map<string, string>();
  for (const { id, from, to, via } of shown) {
    const pair = `${containerOf(from)} ${containerOf(to)} ${via}`;
    if (!via || pairs.has(pair)) continue;
    pairs.add(pair);
    labels.set(id, nodeName(via));
  }
  return labels;
}

/** Gone, masked, a condition only, or declared and not yet seen to run: each drawn apart. */
function dashes(flow: Flow): { strokeDasharray?: string } {
  if (flow.change === "removed") return { strokeDasharray: "3 3" };
  if (flow.masked) return { strokeDasharray: "7 5" };
  if (flow.kind === "influences") return { strokeDasharray: "2 4" };
  return flow.origin === "declared" ? { strokeDasharray: "14 3 2 3" } : {};
}

/** Positions of the cards, computed anew when cards or arrows change; one card stays where it stood. */
function usePositions(cards: Card[], shown: Flow[], anchor: string): { positions: Positions; current: boolean } {
  const [placed, setPlaced] = useState<{ of: string; positions: Positions }>({ of: "", positions: new Map() });
  const kept = useRef(placed.positions);
  const wanted = JSON.stringify([cards.map((c) => [c.id, c.width, c.height]), shown.map((f) => f.id)]);
  const input = useRef({ cards, shown, anchor });
  input.current = { cards, shown, anchor };
  useEffect(() => {
    let current = true;
    const { cards, shown, anchor } = input.current;
    const pairs = new Map<string, { id: string; from: string; to: string }>();
    for (const f of shown) {
      const from = containerOf(f.from);
      const to = containerOf(f.to);
      if (from !== to) pairs.set(`${from} → ${to}`, { id: `${from} → ${to}`, from, to });
    }
    const labelled = shown.some((f) => f.via !== null && containerOf(f.from) !== f.from);
    void place(cards, [...pairs.values()], labelled).then((next) => {
      if (!current) return;
      kept.current = anchored(next, kept.current, anchor);
      setPlaced({ of: wanted, positions: kept.current });
    });
    return () => {
      current = false;
    };
  }, [wanted]);
  return { positions: placed.positions, current: placed.of === wanted };
}
