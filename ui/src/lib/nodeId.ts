// Lineage node ids: dataset:NS:NAME, datasetField:NS:NAME:FIELD, job:NS:NAME, as Marquez writes them. A colon before
// `//`, before a port or within an ARN does not separate; parts that this would not give back are written with the
// lengths of all but the last (dataset:~9:s3://lake:2024/x). The same rules as catalog/node_ids.py.

export interface NodeRef {
  kind: "dataset" | "field" | "job";
  namespace: string;
  name: string;
  field?: string;
}

/** The namespace of nodes that the reader may not see (api/joins/visible/graph.py). */
const HIDDEN = "hidden";

/** Whether a node stands for something that the reader may not see: it keeps its edges, and has neither name nor page. */
export function isHidden(id: string): boolean {
  return parseNodeId(id)?.namespace === HIDDEN;
}

/** What a hidden node is called. */
export function hiddenName(id: string): string {
  return id.startsWith("job:")
    ? "a job you may not see"
    : id.startsWith("datasetField:")
      ? "a field you may not see"
      : "a dataset you may not see";
}

const COLON = /:(?!\/\/|[0-9]+(?:[:/]|$))/;
const ARN = /^(arn(?::[^:]*){4}):(.+)/s;
const LENGTHS = /^~([0-9]{1,6})(?:,([0-9]{1,6}))?:/;

export function parseNodeId(text: string): NodeRef | null {
  const at = text.indexOf(":");
  const kind = at < 0 ? "" : text.slice(0, at);
  if (kind !== "dataset" && kind !== "job" && kind !== "datasetField") return null;
  const rest = text.slice(at + 1);
  const parts = rest.startsWith("~") ? byLengths(rest, kind === "datasetField") : byColons(rest);
  const [namespace, ...more] = parts ?? [];
  if (kind !== "datasetField") {
    const name = more.join(":");
    return namespace && name ? { kind, namespace, name } : null;
  }
  const [name, ...field] = more;
  return namespace && name && field.length > 0 ? { kind: "field", namespace, name, field: field.join(":") } : null;
}

function byColons(rest: string): string[] {
  const arn = ARN.exec(rest);
  return arn ? [arn[1] ?? "", ...(arn[2] ?? "").split(":")] : rest.split(COLON);
}

function byLengths(text: string, field: boolean): string[] | null {
  const found = LENGTHS.exec(text);
  if (!found || (found[2] !== undefined) !== field) return null;
  let rest = [...text.slice(found[0].length)]; // lengths count characters, not UTF-16 units
  const parts: string[] = [];
  for (const length of found.slice(1)) {
    if (length === undefined) continue;
    const at = Number(length);
    if (rest[at] !== ":") return null;
    parts.push(rest.slice(0, at).join(""));
    rest = rest.slice(at + 1);
  }
  return [...parts, rest.join("")];
}

export function nodeIdOf(ref: NodeRef): string {
  const kind = ref.kind === "field" ? "datasetField" : ref.kind;
  const parts = [ref.namespace, ref.name, ref.field].filter((p) => p !== undefined);
  const plain = [kind, ...parts].join(":");
  const back = parseNodeId(plain);
  const same = back?.namespace === ref.namespace && back.name === ref.name && back.field === ref.field;
  if (same && !ref.namespace.startsWith("~")) return plain;
  const lengths = parts.slice(0, -1).map((p) => [...p].length);
  return [kind, `~${lengths.join(",")}`, ...parts].join(":");
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
