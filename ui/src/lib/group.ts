// Many leaves of one node drawn as one card, so that a wide graph stays readable. A group opens by a click.
import type { Flow, Way } from "@/lib/graph";
import { containerOf, parseNodeId } from "@/lib/nodeId";

export interface Group {
  id: string;
  /** Datasets and jobs that the card stands for. */
  members: string[];
}

/** What is drawn as one card: many leaves of one node, everything of one place (a cluster, a database), or nothing. */
export type GroupBy = "leaves" | "place" | "none";

export interface Grouped {
  shown: Flow[];
  nodes: Set<string>;
  groups: Map<string, Group>;
}

/** From how many leaves on one side of a node they are drawn as one. */
export const MANY = 9;

export const isGroup = (id: string) => id.startsWith("group:");

/** `keep`: nodes that stay by themselves (the root, the chosen one); `opened`: groups that are not drawn as one. */
export function grouped(
  flows: Flow[],
  nodes: ReadonlySet<string>,
  keep: ReadonlySet<string>,
  opened: ReadonlySet<string>,
  by: GroupBy = "leaves",
): Grouped {
  if (by === "none") return { shown: flows, nodes: new Set(nodes), groups: new Map() };
  if (by === "place") return drawnAs(flows, nodes, byPlace(nodes, keep, opened));
  const near = neighboursOf(flows);
  const leaf = (id: string) => !keep.has(id) && near.get(id)?.size === 1;
  const units = new Map<string, string[][]>();
  const put = (to: string, way: Way, members: string[]) => {
    const id = `group:${way}:${to}`;
    units.set(id, [...(units.get(id) ?? []), members]);
  };
  for (const [id, around] of near) {
    if (leaf(id)) {
      const [other, way] = [...around][0] as [string, Way];
      put(other, opposite(way), [id]);
      continue;
    }
    // A job between a node and its leaves goes with them.
    if (!id.startsWith("job:") || keep.has(id)) continue;
    const rest = [...around].filter(([other]) => !leaf(other));
    const own = [...around].map(([other]) => other).filter(leaf);
    const [first] = rest;
    if (rest.length === 1 && first && own.length > 0 && own.length < MANY)
      put(first[0], opposite(first[1]), [id, ...own]);
  }
  const groups = new Map<string, Group>();
  for (const [id, found] of units) {
    if (!opened.has(id) && found.length >= MANY) groups.set(id, { id, members: found.flat() });
  }
  return drawnAs(flows, nodes, groups);
}

/** Datasets of one namespace, jobs of one: a card each, from two on. */
function byPlace(
  nodes: ReadonlySet<string>,
  keep: ReadonlySet<string>,
  opened: ReadonlySet<string>,
): Map<string, Group> {
  const places = new Map<string, string[]>();
  for (const node of nodes) {
    const ref = parseNodeId(node);
    if (!ref || keep.has(node)) continue;
    const id = `group:${ref.kind}:${ref.namespace}`;
    places.set(id, [...(places.get(id) ?? []), node]);
  }
  return new Map(
    [...places]
      .filter(([id, members]) => members.length > 1 && !opened.has(id))
      .map(([id, members]) => [id, { id, members }]),
  );
}

/** The graph with each group's members drawn as one. */
function drawnAs(flows: Flow[], nodes: ReadonlySet<string>, groups: Map<string, Group>): Grouped {
  const into = new Map([...groups.values()].flatMap(({ id, members }) => members.map((member) => [member, id])));
  if (groups.size === 0) return { shown: flows, nodes: new Set(nodes), groups };
  const drawn = new Map<string, Flow>();
  for (const flow of flows) {
    const from = into.get(containerOf(flow.from)) ?? flow.from;
    const to = into.get(containerOf(flow.to)) ?? flow.to;
    if (from === to) continue;
    const id = `${from} → ${to}`;
    const before = drawn.get(id);
    // One raw way is enough to make the arrow of a group raw.
    drawn.set(id, before ? { ...before, masked: before.masked && flow.masked } : { ...flow, id, from, to });
  }
  const kept = new Set([...nodes].filter((node) => !into.has(node)));
  for (const id of groups.keys()) kept.add(id);
  return { shown: [...drawn.values()], nodes: kept, groups };
}

const opposite = (way: Way): Way => (way === "upstream" ? "downstream" : "upstream");

/** node -> its neighbours, and on which side of the node each stands. */
function neighboursOf(flows: Flow[]): Map<string, Map<string, Way>> {
  const near = new Map<string, Map<string, Way>>();
  const put = (node: string, other: string, way: Way) => {
    const around = near.get(node);
    if (around) around.set(other, way);
    else near.set(node, new Map([[other, way]]));
  };
  for (const flow of flows) {
    const from = containerOf(flow.from);
    const to = containerOf(flow.to);
    if (from === to) continue;
    put(from, to, "downstream");
    put(to, from, "upstream");
  }
  return near;
}
