// Clusters that are not declared yet: whether their servers answer.
import { useMutation } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { TestedCluster } from "@/api/types";

export function useTestCluster() {
  return useMutation({
    mutationFn: (body: { name: string; spec: Record<string, unknown> }) =>
      answer<TestedCluster>(weir.POST("/api/v1/clusters/test", { body })),
  });
}
