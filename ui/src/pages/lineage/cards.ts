// Datasets and jobs as cards: which fields a card lists, and how large it is.
import type { LineageNode } from "@/api/types";
import type { Flow, Graph, Sight } from "@/lib/graph";
import { containerOf, parseNodeId } from "@/lib/nodeId";

export interface CardField {
  id: string;
  name: string;
}

export interface Card {
  id: string;
  kind: "dataset" | "job";
  title: string;
  place: string;
  node: LineageNode | undefined;
  fields: CardField[];
  /** Fields with lineage that the card does not list. */
  more: number;
  width: number;
  height: number;
}

/** A wide table opens with few columns; those on the lit path come first. */
const MOST_FIELDS = 10;
const FIELD_HEIGHT = 24;

export function boxesOf(
  graph: Graph,
  shown: Flow[],
  sight: Sight,
  columns: boolean,
  lit: ReadonlySet<string> | null,
): Card[] {
  const fields = new Map<string, Set<string>>();
  if (columns) {
    for (const flow of shown) {
      for (const end of [flow.from, flow.to]) {
        const of = containerOf(end);
        if (of === end) continue;
        const set = fields.get(of);
        if (set) set.add(end);
        else fields.set(of, new Set([end]));
      }
    }
  }
  return [...sight.nodes].sort().map((id) => {
    const ref = parseNodeId(id);
    const inside = [...(fields.get(id) ?? [])]
      .map((field) => ({ id: field, name: parseNodeId(field)?.field ?? field }))
      .sort(
        (a, b) => Number(lit?.has(b.id) ?? false) - Number(lit?.has(a.id) ?? false) || a.name.localeCompare(b.name),
      );
    const listed = inside.slice(0, MOST_FIELDS);
    const job = ref?.kind === "job";
    const more = inside.length - listed.length;
    return {
      id,
      kind: job ? "job" : "dataset",
      title: ref?.name ?? id,
      place: ref?.namespace ?? "",
      node: graph.nodes.get(id),
      fields: listed,
      more,
      width: job ? 176 : 216,
      height:
        (job ? 44 : 54) + listed.length * FIELD_HEIGHT + (more > 0 ? FIELD_HEIGHT : 0) + (listed.length > 0 ? 8 : 0),
    };
  });
}
