// What forms of declared documents share: values of a JSON document, lists as text, and what a change leaves as it was.

export type Json = Record<string, unknown>;

export const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : value ? [String(value)] : [];

/** Words between commas or on lines of their own; a purpose or a tag may have a space in it. */
export function listFromText(text: string): string[] {
  return [
    ...new Set(
      text
        .split(/[,\n]/)
        .map((word) => word.trim())
        .filter(Boolean),
    ),
  ];
}

export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** Keys of `given` over those of `before`; undefined and empty lists take their key away. */
export function over(before: Json, given: Json): Json {
  const made: Json = { ...before };
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) delete made[key];
    else made[key] = value;
  }
  return made;
}

/** Whether two JSON values are the same, whatever the order of their keys. */
export const same = (a: unknown, b: unknown): boolean => sorted(a) === sorted(b);

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
