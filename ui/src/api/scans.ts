// Clusters and scans.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { Cluster, Scan } from "@/api/types";

export const over = (scan: Scan) => scan.state === "done" || scan.state === "failed" || scan.state === "cancelled";

export function useClusters() {
  return useQuery({
    queryKey: ["clusters"],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await answer<{ clusters: Cluster[] }>(weir.GET("/api/v1/clusters", { signal }))).clusters,
  });
}

export function useScans() {
  return useQuery({
    queryKey: ["scans"],
    queryFn: async ({ signal }) => (await answer<{ scans: Scan[] }>(weir.GET("/api/v1/scans", { signal }))).scans,
    refetchInterval: (query) => (query.state.data?.every(over) === false ? 1000 : 15_000),
  });
}

export function useScan(id: string) {
  return useQuery({
    queryKey: ["scan", id],
    queryFn: ({ signal }) => answer<Scan>(weir.GET("/api/v1/scans/{id}", { params: { path: { id } }, signal })),
    refetchInterval: (query) => (query.state.data && over(query.state.data) ? false : 700),
  });
}

export interface NewScan {
  cluster?: string;
  bootstrapServers?: string;
  schemaRegistry?: string | null;
  topics: string[];
  sample: { strategy: string; records: number };
  reread?: boolean;
}

export function useStartScan() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewScan) => answer<{ id: string }>(weir.POST("/api/v1/scans", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["scans"] }),
  });
}

export function useCancelScan() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(weir.POST("/api/v1/scans/{id}/cancel", { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["scan"] }),
  });
}

/** Takes a cluster away, declared or met by a scan. */
export function useRemoveCluster() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => answer(weir.DELETE("/api/v1/clusters/{name}", { params: { path: { name } } })),
    onSuccess: () => client.invalidateQueries(),
  });
}
