// Field paths as Weir writes them: `value.items[].sku`, `value.attributes{contact}`, value.`a.b`, `headers.trace`.

export type StepKind = "root" | "field" | "elements" | "values" | "key" | "keys";

export interface Step {
  kind: StepKind;
  name: string;
}

const NAME = "(?:`(?:[^`]|``)*`|[^.\\[\\]{}@`]+)";
const STEP = new RegExp(`(\\.${NAME})|(\\[\\])|(\\{\\})|(\\{${NAME}\\})|(@keys)`, "sy");
const ROOT = /^(key|value|headers)/;

function unquote(text: string): string {
  return text.startsWith("`") ? text.slice(1, -1).replaceAll("``", "`") : text;
}

/** The steps of a path, the root first; null when the text is no path. */
export function parsePath(text: string): Step[] | null {
  const root = ROOT.exec(text)?.[0];
  if (!root) return null;
  const steps: Step[] = [{ kind: "root", name: root }];
  STEP.lastIndex = root.length;
  while (STEP.lastIndex < text.length) {
    const found = STEP.exec(text);
    if (!found) return null;
    const part = found[0];
    if (found[1]) steps.push({ kind: "field", name: unquote(part.slice(1)) });
    else if (found[2]) steps.push({ kind: "elements", name: "[]" });
    else if (found[3]) steps.push({ kind: "values", name: "{}" });
    else if (found[4]) steps.push({ kind: "key", name: unquote(part.slice(1, -1)) });
    else steps.push({ kind: "keys", name: "@keys" });
  }
  return steps;
}

function quote(name: string): string {
  return /^[^.[\]{}@`]+$/.test(name) ? name : `\`${name.replaceAll("`", "``")}\``;
}

/** One step as it stands in a path. */
export function stepText(step: Step): string {
  switch (step.kind) {
    case "root":
      return step.name;
    case "field":
      return `.${quote(step.name)}`;
    case "key":
      return `{${quote(step.name)}}`;
    default:
      return step.name;
  }
}

/** The path without its root, as people call a field: `customer.email`; the root itself for a root. */
export function shortPath(path: string): string {
  return path.replace(/^value\./, "");
}

/** The last name on a path: `sku` for `value.items[].sku`. */
export function lastName(path: string): string {
  const steps = parsePath(path);
  if (!steps) return path;
  return steps.findLast((s) => s.kind === "field" || s.kind === "key" || s.kind === "root")?.name ?? path;
}

/** The SQL of a topic's field: `customer.email`, `_key`, `_headers['trace']`; null where SQL has no plain name for it. */
export function sqlName(path: string): string | null {
  const steps = parsePath(path);
  if (!steps) return null;
  const [root, ...rest] = steps;
  const names = rest.map((s) => s.name);
  const quoted = names.map((n) => (/^[A-Za-z_]\w*$/.test(n) ? n : `\`${n.replaceAll("`", "``")}\``));
  if (root?.name === "headers")
    return names.length === 1 ? `_headers['${names[0]?.replaceAll("'", "''")}']` : "_headers";
  if (rest.some((s) => s.kind !== "field")) return null;
  if (root?.name === "key") return ["_key", ...quoted].join(".");
  return quoted.length > 0 ? quoted.join(".") : null;
}
