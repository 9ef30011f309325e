// What a field holds in a few records, as shapes: letters and digits are replaced, so that a reviewer sees the form and no value.
import type { BrowsedRecord, ColumnDecision, Records } from "@/api/types";

const STEP = /\.(?:`((?:[^`]|``)*)`|([^.[\]{}@`]+))|(\[\])|\{(?:`((?:[^`]|``)*)`|([^}]*))\}|(@keys)/g;

/** The values at a path such as `value.items[].email`; none where the path leads nowhere. */
export function valuesAt(record: BrowsedRecord, path: string): unknown[] {
  const root = /^(?:key|value|headers)/.exec(path)?.[0];
  if (!root) return [];
  let values: unknown[] = [record[root as "key" | "value" | "headers"]];
  for (const [, quoted, name, elements, quotedKey, key, keys] of path.slice(root.length).matchAll(STEP)) {
    if (elements) values = values.flatMap((value) => (Array.isArray(value) ? value : []));
    else if (keys) values = values.flatMap((value) => (isObject(value) ? Object.keys(value) : []));
    else {
      const wanted = (quoted ?? quotedKey)?.replaceAll("``", "`") ?? name ?? key ?? "";
      values = values.flatMap((value) => {
        if (!isObject(value)) return [];
        if (wanted === "") return Object.values(value);
        return Object.hasOwn(value, wanted) ? [value[wanted]] : [];
      });
    }
  }
  return values.filter((value) => value !== null && value !== undefined);
}

/** The decision on the column that a path is in. */
export function decisionAt(
  page: Pick<Records, "key" | "headers" | "columns">,
  path: string,
): ColumnDecision | undefined {
  if (/^key\b/.test(path)) return page.key?.decision;
  if (/^headers\b/.test(path)) return page.headers?.decision;
  return page.columns.find(({ name }) => isAt(path.slice("value.".length), name))?.decision;
}

const isAt = (path: string, name: string) =>
  path.startsWith(name) ? /^($|[.[{@])/.test(path.slice(name.length)) : path.startsWith(`\`${name}\``);

/** `anna.k@shop.example` -> `aaaa.a@aaaa.aaaaaaa`, `DE12` -> `AA99`: only the form is left. */
export function shapeOf(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text
    .replace(/\p{Lu}/gu, "A")
    .replace(/[\p{L}\p{M}]/gu, (letter) => (letter === "A" ? letter : "a"))
    .replace(/\p{N}/gu, "9");
}

/** Different shapes of a field in these records, the most frequent first. */
export function shapesAt(records: readonly BrowsedRecord[], path: string, most = 3): string[] {
  const counts = new Map<string, number>();
  for (const value of records.flatMap((record) => valuesAt(record, path))) {
    const shape = shapeOf(value).slice(0, 80);
    if (shape.trim() !== "") counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([shape]) => shape);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
