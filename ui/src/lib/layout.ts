// Where the nodes of a graph stand: ELK's layered layout, in a worker so that the page stays quick.
import ELK, { type ElkNode } from "elkjs/lib/elk-api";

export interface Box {
  id: string;
  width: number;
  height: number;
}

export type Positions = Map<string, { x: number; y: number }>;

let elk: InstanceType<typeof ELK> | null = null;

function engine() {
  elk ??= new ELK({
    workerFactory: () => new Worker(new URL("elkjs/lib/elk-worker.min.js", import.meta.url)),
  });
  return elk;
}

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.layered.spacing.nodeNodeBetweenLayers": "46",
  "elk.spacing.nodeNode": "22",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.thoroughness": "3",
  "elk.separateConnectedComponents": "false",
};

/** `labelled`: the arrows bear names, which need room between the cards. */
export async function place(
  boxes: Box[],
  edges: { id: string; from: string; to: string }[],
  labelled = false,
): Promise<Positions> {
  const tree: ElkNode = {
    id: "root",
    layoutOptions: labelled ? { ...OPTIONS, "elk.layered.spacing.nodeNodeBetweenLayers": "150" } : OPTIONS,
    children: boxes,
    edges: edges.map((e) => ({ id: e.id, sources: [e.from], targets: [e.to] })),
  };
  const placed = await engine().layout(tree);
  return new Map((placed.children ?? []).map((n) => [n.id, { x: n.x ?? 0, y: n.y ?? 0 }]));
}

/** The same positions, moved so that one node stands where it stood. */
export function anchored(next: Positions, before: Positions, anchor: string): Positions {
  const from = next.get(anchor);
  const to = before.get(anchor);
  if (!from || !to) return next;
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  return new Map([...next].map(([id, { x, y }]) => [id, { x: x + dx, y: y + dy }]));
}
