// Governed queries: run, explain, follow.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, askFile, exactAnswer, weir } from "@/api/client";
import type { Checked, Explanation, Proposed, QueryAnswer, RunningQuery } from "@/api/types";
import { type ServerEvent, serverEvents } from "@/lib/sse";

export interface Asked {
  sql: string;
  purpose: string | null;
  limit: number;
}

export function runQuery(asked: Asked, signal: AbortSignal) {
  return exactAnswer<QueryAnswer>(weir.POST("/api/v1/query", { body: asked, signal, parseAs: "text" }));
}

export function useRunQuery() {
  return useMutation({
    mutationFn: ({ signal, ...asked }: Asked & { signal: AbortSignal }) => runQuery(asked, signal),
  });
}

/** What a query may see; no data is touched. */
export function explain(sql: string, purpose: string | null, signal?: AbortSignal) {
  const body = { sql, purpose, limit: 100 };
  return answer<Explanation>(weir.POST("/api/v1/query/explain", { body, ...(signal ? { signal } : {}) }));
}

/** The events of a push query, until it ends or is stopped. */
export async function* follow(sql: string, purpose: string | null, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const { data } = await weir.GET("/api/v1/query/stream", {
    params: { query: { sql, purpose } },
    parseAs: "stream",
    signal,
  });
  if (data) yield* serverEvents(data);
}

/** Problems with their places, and what the columns would show. Nothing is read and nothing audited. */
export function checkQuery(sql: string, purpose: string | null) {
  return answer<Checked>(weir.POST("/api/v1/query/check", { body: { sql, purpose } }));
}

/** What may be written at a place, counted in characters; `from`: where the word begins that an item replaces. */
export function completeQuery(sql: string, position: number, purpose: string | null) {
  const body = { sql, position, purpose };
  return answer<{ items: Proposed[]; from: number }>(weir.POST("/api/v1/query/complete", { body }));
}

export type ExportFormat = "csv" | "parquet" | "arrow";

/** The same query run again, its rows as a file. */
export function exportQuery({ sql, purpose, limit }: Asked, format: ExportFormat, signal: AbortSignal): Promise<Blob> {
  return askFile(`/api/v1/query?format=${format}`, { sql, purpose, limit }, signal);
}

/** Queries that run now: one's own, all of them for those who manage. */
export function useRunning() {
  return useQuery({
    queryKey: ["queries"],
    refetchInterval: 2000,
    queryFn: async ({ signal }) =>
      (await answer<{ queries: RunningQuery[] }>(weir.GET("/api/v1/queries", { signal }))).queries,
  });
}

export function useStopQuery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(weir.DELETE("/api/v1/queries/{id}", { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ["queries"] }),
  });
}
