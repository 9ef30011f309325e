import { expect, test } from "vitest";
import { relatedText } from "@/lib/relatedReason";
import { heldText, reasonRows } from "@/lib/why";

test("how a word is held, in words; a place or way that is not known keeps its name", () => {
  expect(heldText({ needle: "email", in: "name", how: "word" })).toBe("email: in its name");
  expect(heldText({ needle: "custmer", in: "path", how: "slip" })).toBe(
    "custmer: in its path, spelled a little differently",
  );
  expect(heldText({ needle: "x", missing: true })).toBe("x: not in it");
  expect(heldText({ needle: "x", in: "attic", how: "luck" })).toBe("x: in attic, luck");
});

test("numbers are sorted, factors are factors, nothing is left out but zeros", () => {
  const rows = reasonRows({ words: 0.5, exact: 10, used: 0, clicks: 1.02, novel: 0.1, held: [] });
  expect(rows.map(({ name, value }) => [name, value])).toEqual([
    ["exact", "+ 10.00"],
    ["clicks", "× 1.020"],
    ["words", "+ 0.50"],
    ["novel", "+ 0.10"],
  ]);
});

test("why a dataset is related", () => {
  const key = { kind: "shared_key" as const, field: "value.order_id", other: "value.order.id", type: "string" };
  expect(relatedText({ ...key, tags: ["UUID"] })).toMatch(/^shares .*order_id as .*order\.id \(string, UUID\)$/);
  expect(relatedText({ ...key, other: key.field, tags: [] })).toMatch(/^shares \S*order_id \(string\)$/);
  expect(relatedText({ kind: "read_together", queries: 1 })).toBe("read together in 1 query");
  expect(relatedText({ kind: "lineage", direction: "upstream", distance: 1 })).toBe("one step upstream");
  expect(relatedText({ kind: "lineage", direction: "downstream", distance: 2 })).toBe("2 steps downstream");
});
