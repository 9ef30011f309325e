import { expect, test } from "vitest";
import type { LineageEdge } from "@/api/types";
import { emptyGraph, type Flow, flows, merge } from "@/lib/graph";
import { grouped, MANY } from "@/lib/group";
import { containerOf } from "@/lib/nodeId";

const feeds = (source: string, target: string, job?: string, masked = false): LineageEdge => ({
  source: `dataset:k:${source}`,
  target: `dataset:k:${target}`,
  kind: "feeds",
  masked,
  ...(job ? { job: `job:s:${job}` } : {}),
});
const flowsOf = (edges: LineageEdge[]) => flows(merge(emptyGraph(), { nodes: [], edges, truncated: false }), false);
const nodesOf = (list: Flow[]) => new Set(list.flatMap((f) => [containerOf(f.from), containerOf(f.to)]));
const group = (edges: LineageEdge[], keep: string[] = ["dataset:k:a"], opened: string[] = []) => {
  const list = flowsOf(edges);
  return grouped(list, nodesOf(list), new Set(keep), new Set(opened));
};
const fan = (n: number, job = (i: number): string | undefined => `j${i}`) =>
  Array.from({ length: n }, (_, i) => feeds("a", `b${i}`, job(i), i > 0));

test("few leaves stay by themselves", () => {
  expect(group(fan(MANY - 1)).groups.size).toBe(0);
});

test("many leaves, each behind its own job, become one card with one arrow", () => {
  const { groups, nodes, shown } = group(fan(40));
  expect([...nodes].sort()).toEqual(["dataset:k:a", "group:downstream:dataset:k:a"]);
  expect(groups.get("group:downstream:dataset:k:a")?.members).toHaveLength(80);
  expect(shown).toHaveLength(1);
  // One of the forty passes raw, so the arrow does.
  expect(shown[0]?.masked).toBe(false);
});

test("one job that writes many leaves keeps its own card", () => {
  const { nodes } = group(fan(40, () => "one"));
  expect([...nodes].sort()).toEqual(["dataset:k:a", "group:downstream:job:s:one", "job:s:one"]);
});

test("a group that was opened is drawn whole, and the chosen node stays in sight", () => {
  expect(group(fan(40), undefined, ["group:downstream:dataset:k:a"]).groups.size).toBe(0);
  const { nodes } = group(fan(40), ["dataset:k:a", "dataset:k:b7"]);
  expect(nodes.has("dataset:k:b7")).toBe(true);
});

test("a node with more behind it is no leaf", () => {
  const { nodes } = group([...fan(40), feeds("b3", "c", "on")]);
  expect(nodes.has("dataset:k:b3")).toBe(true);
});

test("by place, everything of a namespace is one card, and the root stays by itself", () => {
  const edges = [
    { source: "dataset:k:root", target: "dataset:k:a", kind: "feeds" },
    { source: "dataset:k:a", target: "dataset:k:b", kind: "feeds" },
    { source: "dataset:k:b", target: "dataset:db:t", kind: "feeds" },
  ];
  const list = flows(merge(emptyGraph(), { nodes: [], edges, truncated: false }), false);
  const nodes = new Set(["dataset:k:root", "dataset:k:a", "dataset:k:b", "dataset:db:t"]);
  const one = grouped(list, nodes, new Set(["dataset:k:root"]), new Set(), "place");
  expect([...one.nodes].sort()).toEqual(["dataset:db:t", "dataset:k:root", "group:dataset:k"]);
  expect(one.shown.map((f) => f.id)).toEqual(["dataset:k:root → group:dataset:k", "group:dataset:k → dataset:db:t"]);
  expect(grouped(list, nodes, new Set(), new Set(["group:dataset:k"]), "place").nodes.size).toBe(4);
  expect(grouped(list, nodes, new Set(), new Set(), "none").nodes.size).toBe(4);
});
