// Governed queries: run, explain, follow.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, ask, routeIsMissing, weir } from "@/api/client";
import type { Checked, Explanation, Proposed, QueryAnswer, RunningQuery } from "@/api/types";
import { type ServerEvent, serverEvents } from "@/lib/sse";

export interface Asked {
  sql: string;
  purpose: string | null;
  limit: number;
}

export function runQuery(asked: Asked, signal: AbortSignal) {
  return answer<QueryAnswer>(weir.POST("/api/v1/query", { body: asked, signal }));
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
export async function checkQuery(sql: string, purpose: string | null): Promise<Checked> {
  return (await (await ask("POST", "/api/v1/query/check", { body: { sql, purpose } })).json()) as Checked;
}

/** What may be written at a place, counted in characters; `from`: where the word begins that an item replaces. */
export async function completeQuery(sql: string, position: number, purpose: string | null) {
  const answered = await ask("POST", "/api/v1/query/complete", { body: { sql, position, purpose } });
  return (await answered.json()) as { items: Proposed[]; from?: number };
}

export type ExportFormat = "csv" | "parquet" | "arrow";

/** The same query run again, its rows as a file. */
export async function exportQuery(asked: Asked, format: ExportFormat, signal: AbortSignal): Promise<Blob> {
  const { sql, purpose, limit } = asked;
  return (await ask("POST", "/api/v1/query", { query: { format }, body: { sql, purpose, limit }, signal })).blob();
}

/** Queries that run now: one's own, all of them for those who manage. */
export function useRunning(enabled: boolean) {
  return useQuery<RunningQuery[]>({
    queryKey: ["queries"],
    enabled,
    retry: false,
    refetchInterval: (query) => (query.state.error && routeIsMissing(query.state.error) ? false : 2000),
    queryFn: async ({ signal }) =>
      ((await (await ask("GET", "/api/v1/queries", { signal })).json()) as { queries: RunningQuery[] }).queries,
  });
}

export function useStopQuery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => ask("DELETE", `/api/v1/queries/${encodeURIComponent(id)}`),
    onSettled: () => client.invalidateQueries({ queryKey: ["queries"] }),
  });
}
