// Lineage, impact, jobs.
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { Basis, ImpactAnnounced, ImpactAnswer, Job, LineageAnswer, Reached } from "@/api/types";
import { emptyGraph, flows, inSight, merge, type Way } from "@/lib/graph";
import type { Change } from "@/lib/impact";

export interface LineageAsked {
  nodeId: string;
  direction: "upstream" | "downstream" | "both";
  depth: number;
  level: "dataset" | "column";
  asOf?: string | null;
  /** Without it: of the last runs. */
  basis?: Basis;
}

export function fetchLineage(query: LineageAsked, signal?: AbortSignal) {
  return answer<LineageAnswer>(weir.GET("/api/v1/lineage", { params: { query }, ...(signal ? { signal } : {}) }));
}

export interface ImpactAsked {
  nodeId: string;
  depth: number;
  asOf: string | null;
  /** Without it: by where contents come from. */
  basis?: Basis;
}

/** `change`: each row then has its effect, and what the change leaves alone is left out. */
export function useImpact(asked: ImpactAsked, change: Change | null = null) {
  const query = { ...asked, change };
  return useQuery({
    queryKey: ["impact", query],
    placeholderData: change === null ? keepPreviousData : undefined,
    queryFn: ({ signal }) => answer<ImpactAnswer>(weir.GET("/api/v1/impact", { params: { query }, signal })),
  });
}

export function impactCsv(asked: ImpactAsked, change: Change | null = null) {
  const query = { ...asked, change, format: "csv" as const };
  return answer<string>(weir.GET("/api/v1/impact", { params: { query }, parseAs: "text" }));
}

/** Notifies the owners of what a change affects, by Weir's notifications. */
export function useAnnounce(asked: ImpactAsked, change: Change | null) {
  const { nodeId, depth, basis } = asked;
  return useMutation({
    mutationFn: (note: string) =>
      answer<ImpactAnnounced>(
        weir.POST("/api/v1/impact/announcements", {
          body: { nodeId, depth, change, note, basis: basis ?? "contents" },
        }),
      ),
  });
}

export function useJob(namespace: string, name: string) {
  return useQuery({
    queryKey: ["job", namespace, name],
    queryFn: ({ signal }) =>
      answer<Job>(weir.GET("/api/v1/jobs/{namespace}/{name}", { params: { path: { namespace, name } }, signal })),
  });
}

/** What lies one hop from a dataset each way, jobs passed through. */
export function useNeighbours(nodeId: string) {
  return useQuery({
    queryKey: ["lineage", nodeId, 1, "dataset", null, "neighbours"],
    queryFn: async ({ signal }) => {
      const answer = await fetchLineage({ nodeId, direction: "both", depth: 1, level: "dataset" }, signal);
      const list = flows(merge(emptyGraph(), answer), false);
      const side = (way: Way) => {
        const { nodes } = inSight(list, answer.root ?? nodeId, 1, [way], new Map());
        return [...nodes].filter((id) => id.startsWith("dataset:") && id !== (answer.root ?? nodeId)).sort();
      };
      return { upstream: side("upstream"), downstream: side("downstream") };
    },
  });
}

/** Ids of the jobs that write a dataset, by what they reported. */
export function useFlowsInto(nodeId: string) {
  return useQuery({
    queryKey: ["lineage", nodeId, 1, "dataset", null, "writers"],
    queryFn: async ({ signal }) => {
      const found = await fetchLineage({ nodeId, direction: "upstream", depth: 1, level: "dataset" }, signal);
      const root = found.root ?? nodeId;
      const into = found.edges.filter((edge) => edge.target === root);
      const jobs = into.flatMap((edge) => [edge.source, edge.job ?? ""]).filter((id) => id.startsWith("job:"));
      return [...new Set(jobs)].sort();
    },
  });
}

/** Does data of one node get to another, and on which way? */
export function useReach(from: string | null, to: string | null) {
  return useQuery({
    queryKey: ["reach", from, to],
    enabled: Boolean(from && to),
    retry: false,
    queryFn: ({ signal }) =>
      answer<Reached>(
        weir.GET("/api/v1/lineage/reach", { params: { query: { from: from ?? "", to: to ?? "" } }, signal }),
      ),
  });
}
