// Lineage node ids as Marquez writes them: dataset:NS:NAME, datasetField:NS:NAME:FIELD, job:NS:NAME.
// A colon before `//` or before a port belongs to the namespace.

export interface NodeRef {
  kind: "dataset" | "field" | "job";
  namespace: string;
  name: string;
  field?: string;
}

const COLON = /:(?!\/\/|\d+(?:[:/]|$))/;

export function parseNodeId(text: string): NodeRef | null {
  const at = text.indexOf(":");
  if (at < 0) return null;
  const kind = text.slice(0, at);
  const parts = text.slice(at + 1).split(COLON);
  const [namespace, name, ...rest] = parts;
  if (!namespace || !name) return null;
  if (kind === "dataset" || kind === "job") return { kind, namespace, name: [name, ...rest].join(":") };
  if (kind === "datasetField" && rest.length > 0) return { kind: "field", namespace, name, field: rest.join(":") };
  return null;
}

export function nodeIdOf(ref: NodeRef): string {
  const kind = ref.kind === "field" ? "datasetField" : ref.kind;
  return [kind, ref.namespace, ref.name, ref.field].filter((p) => p !== undefined).join(":");
}

export function datasetNode(namespace: string, name: string): string {
  return nodeIdOf({ kind: "dataset", namespace, name });
}

export function fieldNode(namespace: string, name: string, field: string): string {
  return nodeIdOf({ kind: "field", namespace, name, field });
}

/** The dataset a field stands in; datasets and jobs are their own. */
export function containerOf(id: string): string {
  const ref = parseNodeId(id);
  return ref?.kind === "field" ? datasetNode(ref.namespace, ref.name) : id;
}

/** The id of a node's card in the drawing, which looks for it by a selector: nothing in it ends a quoted string. */
export function cardId(id: string): string {
  return id.replace(/["\\%\p{Cc}]/gu, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
