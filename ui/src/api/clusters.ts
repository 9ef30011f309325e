// Whether the servers of a cluster answer: of one that is known, or not declared yet.
import { useMutation } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { TestedCluster } from "@/api/types";

export function useTestCluster() {
  return useMutation({
    mutationFn: (body: { name: string; spec: Record<string, unknown> }) =>
      answer<TestedCluster>(weir.POST("/api/v1/clusters/test", { body })),
  });
}

export function useTestKnown(name: string) {
  return useMutation({
    mutationFn: () => answer<TestedCluster>(weir.POST("/api/v1/clusters/{name}/test", { params: { path: { name } } })),
  });
}
