import { expect, test } from "vitest";
import { ancestors, buildTree, filterTree, flatten, foldable } from "@/lib/tree";

const fields = [
  "value",
  "value.items",
  "value.items[]",
  "value.items[].sku",
  "value.attributes",
  "value.attributes{}",
  "value.attributes{contact}",
  "value.`a.b`",
  "key",
  "headers.trace",
].map((path) => ({ path }));

test("roots stand in the order key, value, headers, whatever the list's order", () => {
  expect(buildTree(fields).map((n) => n.label)).toEqual(["key", "value", "headers"]);
});

test("an array and its elements share one row", () => {
  const value = buildTree(fields).find((n) => n.label === "value");
  const items = value?.children.find((n) => n.path === "value.items");
  expect(items?.label).toBe("items[]");
  expect(items?.paths).toEqual(["value.items", "value.items[]"]);
  expect(items?.children.map((n) => n.path)).toEqual(["value.items[].sku"]);
});

test("map keys show their braces, dotted names stay one name", () => {
  const value = buildTree(fields).find((n) => n.label === "value");
  expect(value?.children.map((n) => n.label)).toContain("a.b");
  const map = value?.children.find((n) => n.path === "value.attributes");
  expect(map?.children.map((n) => n.label)).toEqual(["{}", "{contact}"]);
});

test("a parent the list leaves out is made, without a profile", () => {
  const [value] = buildTree([{ path: "value.a.b.c" }]);
  expect(value?.field).toBeNull();
  expect(value?.children[0]?.path).toBe("value.a");
  expect(value?.children[0]?.children[0]?.children[0]?.field).toEqual({ path: "value.a.b.c" });
});

test("filtering keeps the ancestors of what fits and nothing else", () => {
  const kept = filterTree(buildTree(fields), (n) => n.path.includes("sku"));
  expect(flatten(kept, new Set()).map((r) => r.node.path)).toEqual(["value", "value.items", "value.items[].sku"]);
});

test("folding hides what is inside", () => {
  const tree = buildTree(fields);
  expect(flatten(tree, new Set(foldable(tree))).map((r) => r.node.path)).toEqual(["key", "value", "headers"]);
});

test("ancestors are found through the shared row of an array", () => {
  const tree = buildTree(fields);
  expect(ancestors(tree, "value.items[].sku")).toEqual(["value", "value.items"]);
  expect(ancestors(tree, "value.items[]")).toEqual(["value"]);
  expect(ancestors(tree, "key")).toEqual([]);
});

test("5,000 fields are built and flattened well within a frame's patience", () => {
  const many = Array.from({ length: 5000 }, (_, i) => ({ path: `value.group${i % 100}.field${i}` }));
  const begun = performance.now();
  const rows = flatten(buildTree(many), new Set());
  expect(rows).toHaveLength(5101);
  expect(performance.now() - begun).toBeLessThan(500);
});
