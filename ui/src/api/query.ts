// Governed queries: run, explain, follow.
import { useMutation } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { Explanation, QueryAnswer } from "@/api/types";
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
