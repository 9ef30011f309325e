// What is beside the answer of a search: suggestions, reasons, opened answers, related datasets.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type SearchFilters, searchQuery } from "@/api/catalog";
import { answer, weir } from "@/api/client";
import type { Hit, RelatedAnswer, SearchAnswer, Suggestion } from "@/api/types";

/** What a text may become while it is typed. */
export function useSuggestions(q: string, enabled: boolean) {
  return useQuery({
    queryKey: ["suggest", q],
    queryFn: ({ signal }) =>
      answer<{ suggestions: Suggestion[] }>(
        weir.GET("/api/v1/search/suggest", { params: { query: { q, limit: 8 } }, signal }),
      ),
    enabled: enabled && q.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  });
}

/** Says which answer of a query was opened. Who opened it is not kept. Nobody waits for it, and it may fail. */
export function reportOpened(q: string, dataset: string | undefined): void {
  if (q.trim() === "" || !dataset) return;
  void weir.POST("/api/v1/search/opened", { body: { q, dataset }, keepalive: true }).catch(() => undefined);
}

export interface Asked {
  filters: SearchFilters;
  limit: number;
  offset: number;
}

const same = (a: Hit, b: Hit) => a.namespace === b.namespace && a.name === b.name && a.path === b.path;

/** Why a hit has its place; asked for when somebody wants to know. */
export function useWhy(asked: Asked, hit: Hit, enabled: boolean) {
  return useQuery({
    queryKey: ["why", asked, hit.namespace, hit.name, hit.path],
    queryFn: async ({ signal }) => {
      const query = { ...searchQuery(asked.filters, asked.limit, asked.offset), explain: true };
      const found = await answer<SearchAnswer>(weir.GET("/api/v1/search", { params: { query }, signal }));
      return found.hits.find((other) => same(hit, other))?.why ?? null;
    },
    enabled,
  });
}

export function useRelated(place: string, name: string) {
  return useQuery({
    queryKey: ["related", place, name],
    queryFn: ({ signal }) =>
      answer<RelatedAnswer>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/related", {
          params: { path: { namespace: place, name } },
          signal,
        }),
      ),
  });
}
