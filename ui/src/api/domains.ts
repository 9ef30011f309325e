// Domains: which there are, what one has, what its audit shows.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMe } from "@/api/access";
import { answer, weir } from "@/api/client";
import type { DomainAuditEntry, DomainDataset, ListedDomain, OneDomain } from "@/api/types";
import { mayDo } from "@/lib/may";
import { useToken } from "@/lib/session";

export function useDomains(enabled = true) {
  return useQuery({
    queryKey: ["domains"],
    enabled,
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await answer<{ domains: ListedDomain[] }>(weir.GET("/api/v1/domains", { signal }))).domains,
  });
}

export function useDomain(name: string) {
  return useQuery({
    queryKey: ["domains", name],
    queryFn: ({ signal }) =>
      answer<OneDomain>(weir.GET("/api/v1/domains/{name}", { params: { path: { name } }, signal })),
  });
}

/** Whether I may know of any domain, or may declare one. */
export function useShowsDomains(): boolean {
  const me = useMe(useToken()).data;
  const manages = mayDo(me, "manage");
  const domains = useDomains(me !== undefined && !manages);
  return manages || (domains.data ?? []).length > 0;
}

const PAGE = 100;

export function useDomainDatasets(name: string) {
  return useInfiniteQuery({
    queryKey: ["domains", name, "datasets"],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      answer<{ datasets: DomainDataset[]; total: number }>(
        weir.GET("/api/v1/domains/{name}/datasets", {
          params: { path: { name }, query: { limit: PAGE, offset: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: (last, pages) => {
      const shown = pages.reduce((sum, page) => sum + page.datasets.length, 0);
      return last.datasets.length > 0 && shown < last.total ? shown : null;
    },
  });
}

export function useDomainAudit(name: string) {
  return useInfiniteQuery({
    queryKey: ["domains", name, "audit"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      answer<{ entries: DomainAuditEntry[]; next: string | null; note: string | null }>(
        weir.GET("/api/v1/domains/{name}/audit", {
          params: { path: { name }, query: { limit: 50, cursor: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: (last) => last.next,
  });
}
