import { expect, test } from "vitest";
import type { Flow } from "@/lib/graph";
import { toCsv, toDot, toMermaid } from "@/lib/graphText";

const flow = (from: string, to: string, masked = false): Flow => ({
  id: `${from} → ${to}`,
  from,
  to,
  masked,
  kind: "feeds",
  via: null,
  stale: false,
  unfinished: false,
  origin: null,
  edge: { source: from, target: to, kind: "feeds" },
});
const HOSTILE = 'dataset:k:a"];<script>#\\';
const FLOWS = [flow("dataset:k:orders", "job:s:mail"), flow("job:s:mail", HOSTILE, true)];

test("Graphviz takes any name", () => {
  const text = toDot(FLOWS);
  expect(text).toContain('"dataset:k:orders" -> "job:s:mail";');
  expect(text).toContain('[style=dashed, label="masked"]');
  expect(text).toContain('label="a\\"];<script>#\\\\"');
});

test("Mermaid takes any name", () => {
  const text = toMermaid(FLOWS);
  expect(text).toContain('n1(["mail"])');
  expect(text).toContain("n1 -. masked .-> n2");
  expect(text).not.toContain("<script>");
});

test("CSV has a line an arrow", () => {
  expect(toCsv(FLOWS).trim().split("\r\n")).toHaveLength(3);
});
