// Quality over time: series of a dataset, anomalies in them, and marks.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { Anomalies, DatasetQuality, MarkKind, QualityResolution } from "@/api/types";

interface Of {
  namespace: string;
  name: string;
}

export function useQuality({ namespace, name }: Of, path: string | undefined, resolution: QualityResolution) {
  return useQuery({
    queryKey: ["quality", namespace, name, path, resolution],
    queryFn: ({ signal }) =>
      answer<DatasetQuality>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/quality", {
          params: { path: { namespace, name }, query: { path, resolution, limit: 60 } },
          signal,
        }),
      ),
  });
}

export function useAnomalies({ namespace, name }: Of) {
  return useQuery({
    queryKey: ["quality", namespace, name, "anomalies"],
    queryFn: ({ signal }) =>
      answer<Anomalies>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/anomalies", { params: { path: { namespace, name } }, signal }),
      ),
  });
}

export function useRemoveMark({ namespace, name }: Of) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (mark: string) =>
      answer(
        weir.DELETE("/api/v1/datasets/{namespace}/{name}/quality/marks/{mark}", {
          params: { path: { namespace, name, mark } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ["quality", namespace, name] }),
  });
}

export function useMarkTime({ namespace, name }: Of) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { kind: MarkKind; note: string }) =>
      answer(
        weir.POST("/api/v1/datasets/{namespace}/{name}/quality/marks", { params: { path: { namespace, name } }, body }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ["quality", namespace, name] }),
  });
}
