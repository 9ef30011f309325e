// Two graphs of one question at two times: which arrows are new, gone, or masked otherwise since then.
import type { Flow } from "@/lib/graph";

export type FlowChange = "added" | "removed" | "masked" | "unmasked";

export interface Compared {
  flows: Flow[];
  counts: Record<FlowChange, number>;
}

/** The arrows of now, each with what changed since then, and after them those that are gone. */
export function compared(now: Flow[], then: Flow[]): Compared {
  const before = new Map(then.map((flow) => [flow.id, flow]));
  const after = new Set(now.map((flow) => flow.id));
  const counts: Compared["counts"] = { added: 0, removed: 0, masked: 0, unmasked: 0 };
  const changed = (flow: Flow, change: FlowChange): Flow => {
    counts[change] += 1;
    return { ...flow, change };
  };
  const shown = now.map((flow) => {
    const old = before.get(flow.id);
    if (!old) return changed(flow, "added");
    if (old.masked === flow.masked) return flow;
    return changed(flow, flow.masked ? "masked" : "unmasked");
  });
  const gone = then.filter((flow) => !after.has(flow.id)).map((flow) => changed(flow, "removed"));
  return { flows: [...shown, ...gone], counts };
}

const WORDS: [FlowChange, string][] = [
  ["added", "new"],
  ["removed", "gone"],
  ["masked", "masked now"],
  ["unmasked", "unmasked now"],
];

/** "2 flows new, 1 gone"; "nothing changed". */
export function changesText(counts: Compared["counts"]): string {
  const parts = WORDS.filter(([change]) => counts[change] > 0).map(([change, word]) => `${counts[change]} ${word}`);
  return parts.length > 0 ? `Flows: ${parts.join(", ")}` : "No flow changed";
}

export const CHANGE_COLOUR: Record<FlowChange, string> = {
  added: "var(--ok)",
  removed: "var(--bad)",
  masked: "var(--mask)",
  unmasked: "var(--warn)",
};
