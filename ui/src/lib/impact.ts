// What a change does downstream, as the pages group it, and how a value arrives.
import type { Affected } from "@/api/types";

export type Change = "drop" | "rename" | "retype" | "mask" | "lose";
export type Effect = "breaks" | "may_break" | "changes" | "safe";

export const CHANGES: Record<Change, { verb: string; does: string }> = {
  drop: { verb: "Drop", does: "If it is dropped" },
  rename: { verb: "Rename", does: "If it is renamed" },
  retype: { verb: "Retype", does: "If its type changes" },
  mask: { verb: "Mask", does: "If its values are masked" },
  lose: { verb: "Lose", does: "If it is lost, with all it holds" },
};

/** What can be done to a node: a field is changed, a dataset or a job is lost. */
export function changesOf(node: string): Change[] {
  return node.startsWith("datasetField:") ? ["drop", "rename", "retype", "mask"] : ["lose"];
}

const ORDER: Effect[] = ["breaks", "may_break", "changes", "safe"];

/** Everything downstream by what the change does to it, the worst first. What the change leaves alone is safe. */
export function effects(all: Affected[], touched: Affected[]): { effect: Effect; rows: Affected[] }[] {
  const known = new Map(touched.map((row) => [row.id, row]));
  const groups = new Map<Effect, Affected[]>(ORDER.map((effect) => [effect, []]));
  for (const row of all) {
    const hit = known.get(row.id);
    // What loses its input is as broken as what asks for a column that is gone.
    const told = hit?.effect === "loses_input" ? "breaks" : hit?.effect;
    const effect = ORDER.find((one) => one === told) ?? (hit ? "may_break" : "safe");
    groups.get(effect)?.push(hit ?? row);
  }
  return ORDER.map((effect) => ({ effect, rows: groups.get(effect) ?? [] })).filter(({ rows }) => rows.length > 0);
}

/** How the value arrives. A whole dataset is told of with care: that some column arrives raw is not that this one does. */
export function valueText(of: Affected): { text: string; tone: "warn" | "mask" | "" } | null {
  if (of.type === "job") return null;
  if (of.columns === "unknown") return { text: of.raw ? "columns unknown, may be raw" : "columns unknown", tone: "" };
  if (of.via === "influences") return { text: "condition only", tone: "" };
  if (!of.raw) return { text: "masked on the way", tone: "mask" };
  return of.type === "field" ? { text: "raw value", tone: "warn" } : { text: "some columns unmasked", tone: "warn" };
}
