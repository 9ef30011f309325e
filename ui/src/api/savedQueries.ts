// Statements that people keep under a name, and share.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { SavedQuery } from "@/api/types";
import type { ChartAsked } from "@/lib/resultChart";

export function useSavedQueries() {
  return useQuery({
    queryKey: ["saved-queries"],
    queryFn: async ({ signal }) =>
      (await answer<{ queries: SavedQuery[] }>(weir.GET("/api/v1/saved-queries", { signal }))).queries,
  });
}

export function useSavedQuery(id: string | null) {
  return useQuery({
    queryKey: ["saved-queries", id],
    enabled: id !== null,
    retry: false,
    queryFn: ({ signal }) =>
      answer<SavedQuery>(weir.GET("/api/v1/saved-queries/{id}", { params: { path: { id: id ?? "" } }, signal })),
  });
}

export interface Kept {
  name: string;
  sql: string;
  purpose: string | null;
  description: string;
  shared: { everyone: boolean; users: string[]; groups: string[] };
  chart: ChartAsked | null;
}

/** Changes the query of that id; without one, makes a new one. */
export function useSaveQuery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, body }: { id: string | null; body: Kept }) =>
      answer<SavedQuery>(
        id === null
          ? weir.POST("/api/v1/saved-queries", { body })
          : weir.PUT("/api/v1/saved-queries/{id}", { params: { path: { id } }, body }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ["saved-queries"] }),
  });
}

export function useDeleteQuery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(weir.DELETE("/api/v1/saved-queries/{id}", { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["saved-queries"] }),
  });
}
