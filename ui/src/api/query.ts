// Governed queries: run, explain, follow.
import { useMutation } from "@tanstack/react-query";
import { api, open } from "@/api/client";
import type { Explanation, QueryAnswer } from "@/api/types";
import { type ServerEvent, serverEvents } from "@/lib/sse";

export interface Asked {
  sql: string;
  purpose: string | null;
  limit: number;
}

export function useRunQuery() {
  return useMutation({
    mutationFn: ({ signal, ...asked }: Asked & { signal: AbortSignal }) =>
      api.post<QueryAnswer>("/api/v1/query", asked, undefined, signal),
  });
}

export function explain(sql: string, purpose: string | null, signal?: AbortSignal): Promise<Explanation> {
  return api.post<Explanation>("/api/v1/query/explain", { sql, purpose }, undefined, signal);
}

/** The events of a push query, until it ends or is stopped. */
export async function* follow(sql: string, purpose: string | null, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const answer = await open("GET", "/api/v1/query/stream", { params: { sql, purpose }, signal });
  if (answer.body) yield* serverEvents(answer.body);
}
