// Spark's type names (`struct<a:string,b:map<string,int>>`) as a tree, and the path of a value inside a column.
import { type Step, stepText } from "@/lib/paths";

export type SparkType =
  | { kind: "leaf"; name: string }
  | { kind: "struct"; fields: Map<string, SparkType> }
  | { kind: "array"; element: SparkType }
  | { kind: "map"; value: SparkType };

/** The parts of a list between commas that are not inside brackets. */
function parts(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "<" || c === "(") depth += 1;
    else if (c === ">" || c === ")") depth -= 1;
    else if (c === "," && depth === 0) {
      found.push(text.slice(from, i));
      from = i + 1;
    }
  }
  if (from < text.length) found.push(text.slice(from));
  return found;
}

/** A type; what cannot be read is a leaf of that name. */
export function sparkType(text: string): SparkType {
  const inner = /^(struct|array|map)<(.*)>$/s.exec(text.trim());
  if (!inner) return { kind: "leaf", name: text.trim() };
  const list = parts(inner[2] ?? "");
  if (inner[1] === "array") return { kind: "array", element: sparkType(inner[2] ?? "") };
  if (inner[1] === "map") return { kind: "map", value: sparkType(list.slice(1).join(",")) };
  const fields = new Map<string, SparkType>();
  for (const part of list) {
    const colon = part.indexOf(":");
    fields.set(part.slice(0, colon), sparkType(part.slice(colon + 1)));
  }
  return { kind: "struct", fields };
}

/** The field path of a value: `steps` from the root's own value down. Null where the type has no such place. */
export function pathIn(root: string, type: SparkType, steps: (string | number)[]): string | null {
  let at = type;
  let path = root;
  for (const step of steps) {
    let next: Step;
    if (at.kind === "array" && typeof step === "number") {
      next = { kind: "elements", name: "[]" };
      at = at.element;
    } else if (at.kind === "map") {
      next = { kind: "key", name: String(step) };
      at = at.value;
    } else if (at.kind === "struct") {
      const field = at.fields.get(String(step));
      if (!field) return null;
      next = { kind: "field", name: String(step) };
      at = field;
    } else return null;
    path += stepText(next);
  }
  return path;
}
