// Changes between two versions of a schema, in words.
import type { SchemaChange } from "@/api/types";
import { percent } from "@/lib/format";

export interface ChangeText {
  kind: string;
  what: string;
  where: string;
}

const KINDS: Record<string, string> = {
  added: "added",
  removed: "removed",
  type: "other types",
  presence: "presence moved",
  format: "other format",
  shapes: "other shapes",
};

function words(change: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return change === "presence" ? percent(value) : String(value);
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value !== "object") return String(value);
  const { types, presence } = value as { types?: string[]; presence?: number };
  if (types) return `${types.join(", ")}${presence === undefined ? "" : `, in ${percent(presence)} of records`}`;
  return Object.entries(value)
    .map(([part, what]) => `${part}: ${String(what)}`)
    .join(", ");
}

/** {kind: "presence moved", what: "98% → 61%", where: "partition 2, offset 18,204"} */
export function changeText(change: SchemaChange): ChangeText {
  const before = words(change.change, change.before);
  const after = words(change.change, change.after);
  const both = before !== "" && after !== "";
  const seen = change.firstSeen;
  return {
    kind: KINDS[change.change] ?? change.change,
    what: both ? `${before} → ${after}` : after || (before && `was ${before}`),
    where: seen ? `partition ${seen.partition ?? "?"}, offset ${seen.offset?.toLocaleString("en") ?? "?"}` : "",
  };
}

/** How loud a change is: what breaks readers is bad, what may surprise them a warning. */
export function changeTone(change: SchemaChange): "bad" | "warn" | "ok" | "" {
  switch (change.change) {
    case "removed":
    case "format":
      return "bad";
    case "type":
    case "presence":
      return "warn";
    case "added":
      return "ok";
    default:
      return "";
  }
}
