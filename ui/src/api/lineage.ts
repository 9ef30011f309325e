// Lineage, impact, jobs.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, v1 } from "@/api/client";
import type { ImpactAnswer, Job, LineageAnswer } from "@/api/types";

export interface LineageAsked {
  nodeId: string;
  direction: "upstream" | "downstream" | "both";
  depth: number;
  level: "dataset" | "column";
  asOf?: string | null;
}

export function fetchLineage(asked: LineageAsked, signal?: AbortSignal): Promise<LineageAnswer> {
  return api.get<LineageAnswer>("/api/v1/lineage", { ...asked }, signal);
}

export function useImpact(nodeId: string | null, depth: number, asOf: string | null) {
  return useQuery({
    queryKey: ["impact", nodeId, depth, asOf],
    enabled: nodeId !== null,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.get<ImpactAnswer>("/api/v1/impact", { nodeId, depth, asOf }, signal),
  });
}

export function useJob(namespace: string, name: string) {
  return useQuery({
    queryKey: ["job", namespace, name],
    queryFn: ({ signal }) => api.get<Job>(v1("jobs", namespace, name), {}, signal),
  });
}
