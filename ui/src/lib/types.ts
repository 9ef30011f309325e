// Types of a field in words.
import type { Field } from "@/api/types";
import { percent } from "@/lib/format";

function mix(types: Record<string, number>): string {
  const named = Object.entries(types)
    .filter(([name, share]) => name !== "null" && share > 0)
    .sort((a, b) => b[1] - a[1]);
  if (named.length === 0) return "null" in types ? "null" : "";
  if (named.length === 1) return named[0]?.[0] ?? "";
  return named.map(([name, share]) => `${name} ${percent(share)}`).join(" · ");
}

/** `string`, `string 80% · int64 20%`, `array of object`, with what is null. */
export function typeText(field: Field | null, element: Field | null): string {
  if (!field) return element ? `array of ${mix(element.types)}` : "";
  const own = mix(field.types);
  const text = element && own === "array" ? `array of ${mix(element.types)}` : own;
  return field.nullShare && own !== "null" ? `${text}, ${percent(field.nullShare)} null` : text;
}
