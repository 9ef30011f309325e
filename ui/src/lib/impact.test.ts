import { expect, test } from "vitest";
import { changesOf, effects, valueText } from "@/lib/impact";

const row = (id: string, more = {}) => ({ id, type: "field" as const, hops: 1, raw: true, ...more });

test("what a change leaves alone is safe, what loses its input breaks, the worst stands first", () => {
  const all = [row("a"), row("b"), row("c"), row("d")];
  const touched = [
    row("c", { effect: "breaks" }),
    row("a", { effect: "may_break" }),
    row("d", { effect: "loses_input" }),
  ];
  expect(effects(all, touched).map(({ effect, rows }) => [effect, rows.map((r) => r.id)])).toEqual([
    ["breaks", ["c", "d"]],
    ["may_break", ["a"]],
    ["safe", ["b"]],
  ]);
});

test("a value that nobody knows to arrive raw is not called raw", () => {
  expect(valueText(row("a"))?.text).toBe("raw value");
  expect(valueText(row("a", { raw: false }))?.text).toBe("masked on the way");
  expect(valueText(row("a", { type: "dataset", columns: "unknown" }))?.text).toBe("columns unknown, may be raw");
  expect(valueText(row("a", { type: "dataset" }))?.text).toBe("some columns unmasked");
  expect(valueText(row("a", { via: "influences", raw: false }))?.text).toBe("condition only");
  expect(valueText(row("a", { type: "job" }))).toBeNull();
});

test("a field is dropped, renamed, retyped or masked; a dataset is lost", () => {
  expect(changesOf("datasetField:k:a:value.x")).toEqual(["drop", "rename", "retype", "mask"]);
  expect(changesOf("dataset:k:a")).toEqual(["lose"]);
});
