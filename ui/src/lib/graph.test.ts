import { expect, test } from "vitest";
import type { LineageEdge } from "@/api/types";
import { earliest, emptyGraph, flows, inSight, merge, path, toggleKey, wayBetween } from "@/lib/graph";

const feeds = (source: string, target: string, job?: string, more: Partial<LineageEdge> = {}): LineageEdge => ({
  source: `dataset:k:${source}`,
  target: `dataset:k:${target}`,
  kind: "feeds",
  ...(job ? { job: `job:s:${job}` } : {}),
  ...more,
});
const graphOf = (...edges: LineageEdge[]) => merge(emptyGraph(), { nodes: [], edges, truncated: false });
const chain = flows(graphOf(feeds("a", "b", "ab"), feeds("b", "c", "bc"), feeds("c", "d", "cd")), false);
const BOTH = ["upstream", "downstream"] as const;

test("a job stands between what it reads and what it writes", () => {
  expect(chain.map((f) => f.id)).toContain("dataset:k:a → job:s:ab");
  expect(chain.map((f) => f.id)).toContain("job:s:ab → dataset:k:b");
});

test("one hop is one dataset further, jobs do not count", () => {
  const sight = inSight(chain, "dataset:k:b", 1, BOTH, new Map());
  expect([...sight.nodes].sort()).toEqual(["dataset:k:a", "dataset:k:b", "dataset:k:c", "job:s:ab", "job:s:bc"]);
  expect(sight.hidden.get("dataset:k:c|downstream")).toBe(1);
  expect(sight.hidden.get("dataset:k:a|upstream")).toBeUndefined();
});

test("what is opened by hand shows, what is closed hides", () => {
  const open = new Map([[toggleKey("dataset:k:c", "downstream"), true]]);
  expect(inSight(chain, "dataset:k:b", 1, BOTH, open).nodes.has("dataset:k:d")).toBe(true);
  const shut = new Map([[toggleKey("dataset:k:b", "downstream"), false]]);
  const sight = inSight(chain, "dataset:k:b", 20, BOTH, shut);
  expect(sight.nodes.has("dataset:k:c")).toBe(false);
  expect(sight.nodes.has("dataset:k:a")).toBe(true);
  expect(sight.hidden.get("dataset:k:b|downstream")).toBe(1);
});

test("only the ways asked for", () => {
  const sight = inSight(chain, "dataset:k:b", 20, ["upstream"], new Map());
  expect([...sight.nodes].sort()).toEqual(["dataset:k:a", "dataset:k:b", "job:s:ab"]);
});

test("a ring ends", () => {
  const ring = flows(graphOf(feeds("a", "b", "x"), feeds("b", "a", "y")), false);
  expect(inSight(ring, "dataset:k:a", 20, BOTH, new Map()).nodes.size).toBe(4);
});

test("an arrow is masked only when every edge under it is", () => {
  const both = flows(
    graphOf(feeds("a", "b", undefined, { masked: true }), feeds("a", "b", undefined, { masked: false, from: "x" })),
    false,
  );
  expect(both).toHaveLength(1);
  expect(both[0]?.masked).toBe(false);
  const only = flows(graphOf(feeds("a", "b", "j", { masked: true })), false);
  expect(only.find((f) => f.to === "dataset:k:b")?.masked).toBe(true);
  expect(only.find((f) => f.to === "job:s:j")?.masked).toBe(false);
});

test("reads and writes flow the way the data does", () => {
  const list = flows(
    graphOf(
      { source: "job:s:j", target: "dataset:k:a", kind: "reads" },
      { source: "job:s:j", target: "dataset:k:b", kind: "writes" },
      { source: "job:s:j", target: "job:s:parent", kind: "child_of" },
    ),
    false,
  );
  expect(list.map((f) => f.id)).toEqual(["dataset:k:a → job:s:j", "job:s:j → dataset:k:b"]);
  expect([...inSight(list, "job:s:j", 1, BOTH, new Map()).nodes].sort()).toEqual([
    "dataset:k:a",
    "dataset:k:b",
    "job:s:j",
  ]);
});

test("the path of a column is what leads to it and what it leads to", () => {
  const field = (of: string, name: string) => `datasetField:k:${of}:value.${name}`;
  const derives = (source: string, target: string): LineageEdge => ({ source, target, kind: "derives" });
  const list = flows(
    graphOf(
      derives(field("a", "x"), field("b", "x")),
      derives(field("b", "x"), field("c", "x")),
      derives(field("b", "y"), field("c", "y")),
    ),
    true,
  );
  const lit = path(list, field("b", "x"));
  expect(lit.flows.size).toBe(2);
  expect(lit.nodes.has(field("c", "y"))).toBe(false);
  expect(path(list, "dataset:k:b").flows.size).toBe(3);
});

test("the earliest beginning of any edge", () => {
  expect(earliest(graphOf(feeds("a", "b", "x", { from: "2026-02-01T00:00:00Z" }), feeds("b", "c")))).toBe(
    Date.parse("2026-02-01T00:00:00Z"),
  );
  expect(earliest(emptyGraph())).toBeNull();
});

test("the way between two nodes names each step, and is none against the flow", () => {
  const way = wayBetween(chain, "dataset:k:a", "dataset:k:c");
  expect(way?.map((f) => f.to)).toEqual(["job:s:ab", "dataset:k:b", "job:s:bc", "dataset:k:c"]);
  expect(wayBetween(chain, "dataset:k:c", "dataset:k:a")).toBeNull();
  expect(wayBetween(chain, "dataset:k:a", "dataset:k:a")).toBeNull();
});

test("that a job writes a dataset does not turn what it writes masked into raw", () => {
  const feeds = { source: "dataset:k:a", target: "dataset:k:b", kind: "feeds", job: "job:s:j", masked: true };
  const writes = { source: "job:s:j", target: "dataset:k:b", kind: "writes" };
  for (const edges of [
    [feeds, writes],
    [writes, feeds],
  ]) {
    const list = flows(merge(emptyGraph(), { nodes: [], edges, truncated: false }), false);
    expect(list.find((f) => f.to === "dataset:k:b")?.masked).toBe(true);
  }
});

test("among columns a dataset whose columns are unknown is there, with the job between, and the known ones by column", () => {
  const job = "job:s:j";
  const edges = [
    { source: "datasetField:k:a:value.x", target: "datasetField:k:b:value.y", kind: "derives", job, masked: false },
    { source: "dataset:k:a", target: "dataset:k:b", kind: "feeds", job, columns: "known" as const, masked: false },
    { source: "dataset:k:a", target: "dataset:k:c", kind: "feeds", job, columns: "unknown" as const, masked: false },
  ];
  const list = flows(merge(emptyGraph(), { nodes: [], edges, truncated: false }), true);
  expect(list.map((f) => f.id)).toEqual([
    "datasetField:k:a:value.x → datasetField:k:b:value.y",
    "dataset:k:a → job:s:j",
    "job:s:j → dataset:k:c",
  ]);
});

test("an arrow is unfinished while every run that reports it is", () => {
  const open = feeds("a", "b", undefined, { unfinished: true });
  expect(flows(graphOf(open), false).map((f) => f.unfinished)).toEqual([true]);
  const done = flows(graphOf(open, feeds("a", "b", undefined, { from: "2026-01-01T00:00:00Z" })), false);
  expect(done.map((f) => f.unfinished)).toEqual([false]);
});
