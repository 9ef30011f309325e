// The graph in sight as text: Graphviz, Mermaid, CSV.

import { csv } from "@/lib/format";
import type { Flow } from "@/lib/graph";
import { isGroup } from "@/lib/group";
import { jobTitle } from "@/lib/jobTitle";
import { hiddenName, isHidden, parseNodeId } from "@/lib/nodeId";

/** `orders`, or `orders · value.email`. */
export function nodeName(id: string): string {
  if (isHidden(id)) return hiddenName(id);
  const ref = parseNodeId(id);
  if (ref) return [ref.kind === "job" ? jobTitle(ref.name) : ref.name, ref.field].filter(Boolean).join(" · ");
  return isGroup(id) ? "more" : id;
}

const ends = (flows: Flow[]) => [...new Set(flows.flatMap((f) => [f.from, f.to]))];
const quoted = (text: string) => `"${text.replace(/[\\"]/g, "\\$&").replace(/[\r\n]+/g, " ")}"`;

export function toDot(flows: Flow[]): string {
  const lines = ends(flows).map(
    (id) => `  ${quoted(id)} [label=${quoted(nodeName(id))}, shape=${id.startsWith("job:") ? "ellipse" : "box"}];`,
  );
  const arrows = flows.map((f) => {
    const label = f.masked ? ' [style=dashed, label="masked"]' : f.kind === "influences" ? " [style=dotted]" : "";
    return `  ${quoted(f.from)} -> ${quoted(f.to)}${label};`;
  });
  return ["digraph lineage {", "  rankdir=LR;", ...lines, ...arrows, "}", ""].join("\n");
}

export function toMermaid(flows: Flow[]): string {
  const number = new Map(ends(flows).map((id, i) => [id, `n${i}`]));
  // Mermaid reads entities in quoted labels, so everything that could end the label is written as one.
  const label = (id: string) => nodeName(id).replace(/["#<>&\\\r\n]/g, (c) => `#${c.charCodeAt(0)};`);
  const nodes = [...number].map(([id, n]) =>
    id.startsWith("job:") ? `  ${n}(["${label(id)}"])` : `  ${n}["${label(id)}"]`,
  );
  const arrows = flows.map((f) => `  ${number.get(f.from)} ${f.masked ? "-. masked .->" : "-->"} ${number.get(f.to)}`);
  return ["flowchart LR", ...nodes, ...arrows, ""].join("\n");
}

export function toCsv(flows: Flow[]): string {
  const rows = flows.map((f) => [f.from, f.to, f.kind, String(f.masked), f.origin ?? "", f.via ?? ""]);
  return csv(["source", "target", "kind", "masked", "origin", "job"], rows);
}
