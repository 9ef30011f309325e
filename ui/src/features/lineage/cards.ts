// Datasets, jobs and groups as cards: which fields a card lists, and how large it is.
import type { LineageNode } from "@/api/types";
import { cardName, lineWidths, MOST_WIDTH, shortened, sizeFor } from "@/lib/cardName";
import type { Flow, Graph } from "@/lib/graph";
import type { Group } from "@/lib/group";
import { jobTitle } from "@/lib/jobTitle";
import { containerOf, hiddenName, isHidden, parseNodeId } from "@/lib/nodeId";
import { textMeasure } from "@/lib/textWidth";

export interface CardField {
  id: string;
  name: string;
  /** The name as its line has room for it. */
  short: string;
}

export interface Card {
  id: string;
  kind: "dataset" | "job" | "group";
  title: string;
  /** The title on its lines, how wide these are, and the largest size in pixels at which they fit. */
  lines: string[];
  widths: { first: number; widest: number };
  fits: number;
  place: string;
  node: LineageNode | undefined;
  /** The fields in the card's window. */
  fields: CardField[];
  /** Fields with lineage above and below the window. */
  above: number;
  below: number;
  width: number;
  height: number;
  /** From the card's top to its first field, in pixels. */
  head: number;
}

/** A wide table shows few columns at once and scrolls inside its card. */
export const MOST_FIELDS = 8;
export const FIELD_HEIGHT = 24;
/** Heads of cards with one line of title and with two; each more takes as much. A job's is a little lower. */
const HEADS = { dataset: [54, 70], job: [50, 70] } as const;
const LINE = 17;
const WIDTHS = { dataset: 208, job: 164 } as const;
/** What of a field's line is not its name's. */
const BESIDE_FIELD = 24;

const ofTitles = lazily(() => textMeasure(600, 13));
const ofFields = lazily(() => textMeasure(400, 12, true));

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The lines of a title, the card's width, and where its fields begin. */
function headed(title: string, kind: "dataset" | "job", fields: readonly { name: string }[] = []) {
  const { lines, width } = cardName(title, WIDTHS[kind], ofTitles());
  const widest = Math.max(0, ...fields.map((field) => ofFields()(field.name)));
  const whole = Math.max(width, Math.min(MOST_WIDTH, Math.ceil(widest) + BESIDE_FIELD));
  return {
    lines,
    widths: lineWidths(lines, ofTitles()),
    fits: sizeFor(lines, whole, ofTitles()),
    width: whole,
    head: HEADS[kind][lines.length > 1 ? 1 : 0] + Math.max(0, lines.length - 2) * LINE,
  };
}

/** The fields that have lineage, of every dataset in sight, by name. */
export function fieldsOf(shown: Flow[]): Map<string, CardField[]> {
  const found = new Map<string, Map<string, CardField>>();
  for (const end of shown.flatMap((flow) => [flow.from, flow.to])) {
    const of = containerOf(end);
    if (of === end) continue;
    const name = isHidden(end) ? hiddenName(end) : (parseNodeId(end)?.field ?? end);
    const field = { id: end, name, short: shortened(name, MOST_WIDTH - BESIDE_FIELD, ofFields()) };
    const fields = found.get(of);
    if (fields) fields.set(end, field);
    else found.set(of, new Map([[end, field]]));
  }
  return new Map(
    [...found].map(([of, fields]) => [of, [...fields.values()].sort((a, b) => a.name.localeCompare(b.name))]),
  );
}

export function boxesOf(
  graph: Graph,
  nodes: ReadonlySet<string>,
  groups: ReadonlyMap<string, Group>,
  fields: ReadonlyMap<string, CardField[]>,
  scrolled: ReadonlyMap<string, number>,
): Card[] {
  return [...nodes].sort().map((id) => {
    const group = groups.get(id);
    if (group) return groupCard(group);
    const ref = parseNodeId(id);
    const inside = fields.get(id) ?? [];
    const first = Math.max(0, Math.min(scrolled.get(id) ?? 0, inside.length - MOST_FIELDS));
    const listed = inside.slice(first, first + MOST_FIELDS);
    const job = ref?.kind === "job";
    const unseen = isHidden(id);
    const wide = inside.length > MOST_FIELDS;
    const kind = job ? "job" : "dataset";
    const title = unseen ? hiddenName(id) : job ? jobTitle(ref?.name ?? id) : (ref?.name ?? id);
    const head = headed(title, kind, inside);
    return {
      id,
      kind,
      title,
      ...head,
      place: unseen ? "" : (ref?.namespace ?? ""),
      node: graph.nodes.get(id),
      fields: listed,
      above: first,
      below: inside.length - listed.length - first,
      height: head.head + listed.length * FIELD_HEIGHT + (wide ? FIELD_HEIGHT : 0) + (listed.length > 0 ? 8 : 0),
    };
  });
}

/** The windows over the cards' fields, moved where none of a card's lit fields is in sight. */
export function broughtIntoSight(
  scrolled: ReadonlyMap<string, number>,
  fields: ReadonlyMap<string, CardField[]>,
  lit: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const moved = new Map(scrolled);
  for (const [id, inside] of fields) {
    const at = inside.findIndex((f) => lit.has(f.id));
    const first = scrolled.get(id) ?? 0;
    const seen = inside.slice(first, first + MOST_FIELDS).some((f) => lit.has(f.id));
    if (at >= 0 && !seen) moved.set(id, Math.max(0, at - 1));
  }
  return moved;
}

function groupCard({ id, members }: Group): Card {
  const datasets = members.filter((m) => !m.startsWith("job:"));
  const n = datasets.length || members.length;
  const names = (datasets.length ? datasets : members).map((m) => parseNodeId(m)?.name ?? m);
  const title = `${n} ${datasets.length ? "datasets" : "jobs"}`;
  const head = headed(title, "dataset");
  return {
    id,
    kind: "group",
    title,
    ...head,
    place: names.slice(0, 3).join(", "),
    node: undefined,
    fields: [],
    above: 0,
    below: 0,
    height: head.head,
  };
}
