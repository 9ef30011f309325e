// Many leaves of one node drawn as one card, so that a wide graph stays readable. A group opens by a click.
import type { Flow, Way } from "@/lib/graph";
import { containerOf } from "@/lib/nodeId";

export interface Group {
  id: string;
  /** Datasets and jobs that the card stands for. */
  members: string[];
}

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
): Grouped {
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
  const into = new Map<string, string>();
  for (const [id, found] of units) {
    if (opened.has(id) || found.length < MANY) continue;
    const members = found.flat();
    groups.set(id, { id, members });
    for (const member of members) into.set(member, id);
  }
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
