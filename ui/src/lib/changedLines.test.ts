import { expect, test } from "vitest";
import { changedLines } from "./changedLines";

test("a difference keeps its lines and loses its heads", () => {
  const diff = "--- now\n+++ then\n@@ -0,0 +1,3 @@\n+kind: Cluster\n+metadata:\n+  name: shop\n";
  expect(changedLines(diff)).toBe("+kind: Cluster\n+metadata:\n+  name: shop");
});

test("a line of the document that looks like a head stays", () => {
  expect(changedLines("---\n-- a\n+++\n@@ mail")).toBe("---\n-- a\n+++\n@@ mail");
});
