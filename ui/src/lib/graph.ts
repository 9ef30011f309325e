// Lineage as a graph to draw: which way data flows on an edge, what is in sight, what lies on the path of a node.
import type { LineageAnswer, LineageEdge, LineageNode } from "@/api/types";
import type { FlowChange } from "@/lib/compare";
import { containerOf } from "@/lib/nodeId";

/** One arrow in the direction the data flows. `via`: the job that moves it, where it is no node of its own. */
export interface Flow {
  id: string;
  from: string;
  to: string;
  masked: boolean;
  kind: string;
  via: string | null;
  stale: boolean;
  /** Only runs that have not completed report it, so perhaps nothing has flowed yet. */
  unfinished: boolean;
  origin: string | null;
  edge: LineageEdge;
  /** What changed since another time, where two times are compared. */
  change?: FlowChange;
}

export interface Graph {
  nodes: Map<string, LineageNode>;
  edges: Map<string, LineageEdge>;
  truncated: boolean;
}

export const emptyGraph = (): Graph => ({ nodes: new Map(), edges: new Map(), truncated: false });

const edgeKey = (e: LineageEdge) => [e.kind, e.source, e.target, e.job ?? "", e.from ?? ""].join("\u0000");

/** What was known and what came now, together. */
export function merge(graph: Graph, answer: LineageAnswer): Graph {
  const nodes = new Map(graph.nodes);
  const edges = new Map(graph.edges);
  for (const node of answer.nodes) nodes.set(node.id, node);
  for (const edge of answer.edges) edges.set(edgeKey(edge), edge);
  return { nodes, edges, truncated: graph.truncated || answer.truncated };
}

/** The arrows of a graph. At dataset level a job stands between what it reads and what it writes. */
export function flows(graph: Graph, columns: boolean): Flow[] {
  const found = new Map<string, Flow>();
  // Arrows of which an edge says whether values pass masked; that a job reads or writes says nothing of it.
  const judged = new Set<string>();
  const add = (from: string, to: string, edge: LineageEdge, masked: boolean | null, via: string | null = null) => {
    const id = `${from} → ${to}`;
    const before = found.get(id);
    const first = !judged.has(id);
    if (masked !== null) judged.add(id);
    if (before) {
      // An arrow stands for every edge between its ends: one raw way is enough to make it raw, one live way live.
      if (masked !== null) before.masked = first ? masked : before.masked && masked;
      before.stale &&= edge.stale ?? false;
      before.unfinished &&= edge.unfinished ?? false;
      return;
    }
    const origin = edge.origin ?? null;
    const { stale = false, unfinished = false } = edge;
    found.set(id, { id, from, to, masked: masked ?? false, kind: edge.kind, via, stale, unfinished, origin, edge });
  };
  // Datasets of which some columns' ways are known are joined by those; the arrow between the whole would say it twice.
  const byColumn = new Set<string>();
  for (const { source, target, kind } of columns ? graph.edges.values() : [])
    if (kind !== "feeds" && containerOf(source) !== source)
      byColumn.add(`${containerOf(source)} ${containerOf(target)}`);
  for (const edge of graph.edges.values()) {
    const masked = edge.masked ?? false;
    switch (edge.kind) {
      case "reads":
        add(edge.target, edge.source, edge, null);
        break;
      case "writes":
        if (!columns) add(edge.source, edge.target, edge, null);
        break;
      case "child_of":
        break;
      case "feeds":
        if (columns && (edge.columns === "known" || byColumn.has(`${edge.source} ${edge.target}`))) break;
        // Where nobody said which columns go, the job stands between the datasets, among columns too.
        if (edge.job && (!columns || edge.columns === "unknown")) {
          add(edge.source, edge.job, edge, null);
          add(edge.job, edge.target, edge, masked);
        } else add(edge.source, edge.target, edge, masked, edge.job ?? null);
        break;
      default:
        add(edge.source, edge.target, edge, masked, edge.job ?? null);
    }
  }
  return [...found.values()];
}

export type Way = "upstream" | "downstream";

/** Opened and closed by hand: `node|way` -> open. What is not in it follows the depth. */
export type Toggles = ReadonlyMap<string, boolean>;

export const toggleKey = (node: string, way: Way) => `${node}|${way}`;

export interface Sight {
  /** Containers in sight: datasets and jobs. */
  nodes: Set<string>;
  /** `node|way` -> how many neighbours are not in sight; 0 where all are. */
  hidden: Map<string, number>;
}

/** Neighbours of every container, each way. Jobs between datasets do not count as a hop. */
function neighbours(list: Flow[]): Record<Way, Map<string, Set<string>>> {
  const next = { upstream: new Map<string, Set<string>>(), downstream: new Map<string, Set<string>>() };
  const put = (map: Map<string, Set<string>>, from: string, to: string) => {
    const set = map.get(from);
    if (set) set.add(to);
    else map.set(from, new Set([to]));
  };
  for (const flow of list) {
    const from = containerOf(flow.from);
    const to = containerOf(flow.to);
    if (from === to) continue;
    put(next.downstream, from, to);
    put(next.upstream, to, from);
  }
  return next;
}

/**
 * What is in sight from a root: everything within `depth` hops each way, less what was closed, more what was opened.
 * A job is passed through to the datasets behind it, so that opening a dataset shows datasets.
 */
export function inSight(list: Flow[], root: string, depth: number, ways: readonly Way[], toggles: Toggles): Sight {
  const next = neighbours(list);
  const start = containerOf(root);
  const nodes = new Set([start]);
  const hidden = new Map<string, number>();
  for (const way of ways) {
    const distance = new Map([[start, 0]]);
    const queue = [start];
    while (queue.length > 0) {
      const node = queue.shift() as string;
      const hops = distance.get(node) ?? 0;
      const around = [...(next[way].get(node) ?? [])];
      if (around.length === 0) continue;
      const key = toggleKey(node, way);
      // A job on the way is passed through: whoever opened the dataset before it wants the datasets behind it.
      const passed = node.startsWith("job:") && node !== start;
      const open = passed || (toggles.get(key) ?? hops < depth);
      if (!open) {
        hidden.set(key, around.filter((n) => !nodes.has(n)).length);
        continue;
      }
      hidden.set(key, 0);
      for (const other of around) {
        nodes.add(other);
        if (distance.has(other)) continue;
        // A job stands as far as the dataset before it; what is behind the job is one hop further.
        distance.set(other, other.startsWith("job:") && !node.startsWith("job:") ? hops : hops + 1);
        queue.push(other);
      }
    }
  }
  // An end that another branch brought into sight is not hidden.
  for (const [key, n] of hidden) {
    if (n === 0) continue;
    const at = key.lastIndexOf("|");
    const way = key.slice(at + 1) as Way;
    const left = [...(next[way].get(key.slice(0, at)) ?? [])].filter((other) => !nodes.has(other)).length;
    hidden.set(key, left);
  }
  return { nodes, hidden };
}

/** Every node and arrow on a way into or out of a node: what is lit when it is chosen. */
export function path(list: Flow[], from: string): { nodes: Set<string>; flows: Set<string> } {
  // A dataset at column level stands for all its fields.
  const starts = new Set([from]);
  for (const { from: a, to: b } of list) for (const end of [a, b]) if (containerOf(end) === from) starts.add(end);
  const nodes = new Set(starts);
  const lit = new Set<string>();
  for (const way of ["upstream", "downstream"] as const) {
    const ends = new Map<string, Flow[]>();
    for (const flow of list) {
      const near = way === "downstream" ? flow.from : flow.to;
      ends.set(near, [...(ends.get(near) ?? []), flow]);
    }
    const seen = new Set(starts);
    const queue = [...starts];
    while (queue.length > 0) {
      const node = queue.pop() as string;
      for (const flow of ends.get(node) ?? []) {
        lit.add(flow.id);
        const far = way === "downstream" ? flow.to : flow.from;
        nodes.add(far);
        if (!seen.has(far)) {
          seen.add(far);
          queue.push(far);
        }
      }
    }
  }
  return { nodes, flows: lit };
}

/** The earliest time any edge is known to hold from, in milliseconds; null where none says. */
export function earliest(graph: Graph): number | null {
  let first: number | null = null;
  for (const edge of graph.edges.values()) {
    const at = edge.from ? Date.parse(edge.from) : Number.NaN;
    if (!Number.isNaN(at) && (first === null || at < first)) first = at;
  }
  return first;
}

/** The shortest way from one node to another along the arrows; null where there is none. Fields of a dataset count as it. */
export function wayBetween(list: Flow[], from: string, to: string): Flow[] | null {
  const is = (id: string, wanted: string) => id === wanted || containerOf(id) === wanted;
  const next = new Map<string, Flow[]>();
  for (const flow of list) next.set(flow.from, [...(next.get(flow.from) ?? []), flow]);
  const begins = [...next.keys()].filter((id) => is(id, from));
  const came = new Map<string, Flow | null>(begins.map((id) => [id, null]));
  const queue = [...begins];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    if (is(node, to) && came.get(node)) {
      const way: Flow[] = [];
      for (let flow = came.get(node); flow; flow = came.get(flow.from)) way.unshift(flow);
      return way;
    }
    for (const flow of next.get(node) ?? []) {
      if (came.has(flow.to)) continue;
      came.set(flow.to, flow);
      queue.push(flow.to);
    }
  }
  return null;
}
