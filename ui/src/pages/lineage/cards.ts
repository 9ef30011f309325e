// Datasets, jobs and groups as cards: which fields a card lists, and how large it is.
import type { LineageNode } from "@/api/types";
import type { Flow, Graph } from "@/lib/graph";
import type { Group } from "@/lib/group";
import { jobTitle } from "@/lib/jobTitle";
import { containerOf, parseNodeId } from "@/lib/nodeId";

export interface CardField {
  id: string;
  name: string;
}

export interface Card {
  id: string;
  kind: "dataset" | "job" | "group";
  title: string;
  place: string;
  node: LineageNode | undefined;
  /** The fields in the card's window. */
  fields: CardField[];
  /** Fields with lineage above and below the window. */
  above: number;
  below: number;
  width: number;
  height: number;
}

/** A wide table shows few columns at once and scrolls inside its card; those on the lit path come first. */
export const MOST_FIELDS = 8;
export const FIELD_HEIGHT = 24;
/** From the card's top to its first field, in pixels. */
export const HEAD_HEIGHT = 54;

export function boxesOf(
  graph: Graph,
  shown: Flow[],
  nodes: ReadonlySet<string>,
  groups: ReadonlyMap<string, Group>,
  columns: boolean,
  lit: ReadonlySet<string> | null,
  scrolled: ReadonlyMap<string, number>,
): Card[] {
  const fields = columns ? fieldsOf(shown) : new Map<string, Set<string>>();
  return [...nodes].sort().map((id) => {
    const group = groups.get(id);
    if (group) return groupCard(group);
    const ref = parseNodeId(id);
    const inside = [...(fields.get(id) ?? [])]
      .map((field) => ({ id: field, name: parseNodeId(field)?.field ?? field }))
      .sort(
        (a, b) => Number(lit?.has(b.id) ?? false) - Number(lit?.has(a.id) ?? false) || a.name.localeCompare(b.name),
      );
    const first = Math.max(0, Math.min(scrolled.get(id) ?? 0, inside.length - MOST_FIELDS));
    const listed = inside.slice(first, first + MOST_FIELDS);
    const job = ref?.kind === "job";
    const wide = inside.length > MOST_FIELDS;
    return {
      id,
      kind: job ? "job" : "dataset",
      title: job ? jobTitle(ref?.name ?? id) : (ref?.name ?? id),
      place: ref?.namespace ?? "",
      node: graph.nodes.get(id),
      fields: listed,
      above: first,
      below: inside.length - listed.length - first,
      width: job ? 164 : 208,
      height:
        (job ? 50 : HEAD_HEIGHT) +
        listed.length * FIELD_HEIGHT +
        (wide ? FIELD_HEIGHT : 0) +
        (listed.length > 0 ? 8 : 0),
    };
  });
}

function fieldsOf(shown: Flow[]): Map<string, Set<string>> {
  const fields = new Map<string, Set<string>>();
  for (const flow of shown) {
    for (const end of [flow.from, flow.to]) {
      const of = containerOf(end);
      if (of === end) continue;
      const set = fields.get(of);
      if (set) set.add(end);
      else fields.set(of, new Set([end]));
    }
  }
  return fields;
}

function groupCard({ id, members }: Group): Card {
  const datasets = members.filter((m) => !m.startsWith("job:"));
  const n = datasets.length || members.length;
  const names = (datasets.length ? datasets : members).map((m) => parseNodeId(m)?.name ?? m);
  return {
    id,
    kind: "group",
    title: `${n} ${datasets.length ? "datasets" : "jobs"}`,
    place: names.slice(0, 3).join(", "),
    node: undefined,
    fields: [],
    above: 0,
    below: 0,
    width: 208,
    height: HEAD_HEIGHT,
  };
}
