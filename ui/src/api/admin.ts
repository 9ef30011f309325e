// Clusters, scans, audit, declared documents, reports, health.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, v1 } from "@/api/client";
import type { AuditEntry, Cluster, DeclaredDocument, Scan, WhereIs } from "@/api/types";

export const over = (scan: Scan) => scan.state === "done" || scan.state === "failed" || scan.state === "cancelled";

export function useClusters() {
  return useQuery({
    queryKey: ["clusters"],
    queryFn: async ({ signal }) => (await api.get<{ clusters: Cluster[] }>("/api/v1/clusters", {}, signal)).clusters,
  });
}

export function useScans() {
  return useQuery({
    queryKey: ["scans"],
    queryFn: async ({ signal }) => (await api.get<{ scans: Scan[] }>("/api/v1/scans", {}, signal)).scans,
    refetchInterval: (query) => (query.state.data?.every(over) === false ? 1000 : 15_000),
  });
}

export function useScan(id: string) {
  return useQuery({
    queryKey: ["scan", id],
    queryFn: ({ signal }) => api.get<Scan>(v1("scans", id), {}, signal),
    refetchInterval: (query) => (query.state.data && over(query.state.data) ? false : 700),
  });
}

export interface NewScan {
  cluster?: string;
  bootstrapServers?: string;
  schemaRegistry?: string | null;
  topics: string[];
  sample: { strategy: string; records: number };
}

export function useStartScan() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (scan: NewScan) => api.post<{ id: string }>("/api/v1/scans", scan),
    onSuccess: () => client.invalidateQueries({ queryKey: ["scans"] }),
  });
}

export function useCancelScan() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.post(`${v1("scans", id)}/cancel`),
    onSuccess: () => client.invalidateQueries({ queryKey: ["scan"] }),
  });
}

export interface AuditFilters {
  actor?: string | null;
  action?: string | null;
  target?: string | null;
  since?: string | null;
  until?: string | null;
}

export function useAudit(filters: AuditFilters) {
  return useInfiniteQuery({
    queryKey: ["audit", filters],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      api.get<{ entries: AuditEntry[]; next?: string | null }>(
        "/api/v1/audit",
        { ...filters, limit: 100, cursor: pageParam },
        signal,
      ),
    getNextPageParam: (last) => last.next ?? null,
  });
}

export interface Verified {
  holds: boolean;
  entries: number;
  head?: string | null;
  first_bad?: number | null;
  [key: string]: unknown;
}

export function useVerify() {
  return useMutation({ mutationFn: () => api.get<Verified>("/api/v1/audit/verify") });
}

export function useDeclared(kind: string) {
  return useQuery({
    queryKey: ["declared", kind],
    queryFn: async ({ signal }) =>
      (await api.get<{ documents: DeclaredDocument[] }>(v1("declared", kind), {}, signal)).documents,
  });
}

export interface Applied {
  changes: { action: string; kind: string; name: string; diff?: unknown }[];
}

export function useApply() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: { yaml: string; dryRun: boolean }) =>
      api.postYaml<Applied>("/api/v1/apply", input.yaml, { dryRun: input.dryRun }),
    onSuccess: (_, input) => (input.dryRun ? undefined : client.invalidateQueries()),
  });
}

export interface WhereIsAsked {
  field?: string | null;
  entity?: string | null;
  term?: string | null;
  asOf?: string | null;
}

export function useWhereIs(asked: WhereIsAsked) {
  return useQuery({
    queryKey: ["where-is", asked],
    enabled: Boolean(asked.field || asked.entity || asked.term),
    queryFn: ({ signal }) => api.get<WhereIs>("/api/v1/reports/where-is", { ...asked }, signal),
  });
}

export interface Health {
  status: string;
  [key: string]: unknown;
}

export function useHealth() {
  return useQuery({
    queryKey: ["health"],
    refetchInterval: 10_000,
    queryFn: async ({ signal }): Promise<Health> => {
      // Not through `api`: 503 is an answer here, with the same body.
      const answer = await fetch("/readyz", { signal });
      return (await answer.json()) as Health;
    },
  });
}
