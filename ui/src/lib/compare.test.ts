import { expect, test } from "vitest";
import { changesText, compared } from "@/lib/compare";
import { emptyGraph, flows, merge } from "@/lib/graph";

const edge = (source: string, target: string, masked = false) => ({ source, target, kind: "feeds", masked });
const arrows = (...edges: ReturnType<typeof edge>[]) =>
  flows(merge(emptyGraph(), { nodes: [], edges, truncated: false }), false);

test("what is new, gone and masked otherwise since then is told apart from what stayed", () => {
  const then = arrows(edge("a", "b"), edge("b", "c"), edge("c", "d"));
  const now = arrows(edge("a", "b"), edge("b", "c", true), edge("b", "e"));
  const { flows: shown, counts } = compared(now, then);
  expect(shown.map((f) => [f.id, f.change])).toEqual([
    ["a → b", undefined],
    ["b → c", "masked"],
    ["b → e", "added"],
    ["c → d", "removed"],
  ]);
  expect(changesText(counts)).toBe("Flows: 1 new, 1 gone, 1 masked now");
  expect(changesText(compared(now, now).counts)).toBe("No flow changed");
});
