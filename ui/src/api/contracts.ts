// Contracts: what is promised of datasets, and what scans saw of it.
import { useQueries, useQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { components } from "@/api/schema";
import type { Contract, ContractSummary } from "@/api/types";

export function useContractsOf(dataset: string) {
  return useQuery({
    queryKey: ["contracts", dataset],
    queryFn: async ({ signal }) =>
      (
        await answer<{ contracts: ContractSummary[] }>(
          weir.GET("/api/v1/contracts", { params: { query: { dataset } }, signal }),
        )
      ).contracts,
  });
}

/** A contract of what the last scan saw; read once, so that a form does not change under a person's hand. */
export function useContractDraft(dataset: string) {
  return useQuery({
    queryKey: ["contract-draft", dataset],
    retry: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: ({ signal }) =>
      answer<components["schemas"]["ContractDraft"]>(
        weir.GET("/api/v1/contracts/draft", { params: { query: { dataset } }, signal }),
      ),
  });
}

export function useContracts(names: string[]) {
  return useQueries({
    queries: names.map((name) => ({
      queryKey: ["contract", name],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        answer<Contract>(weir.GET("/api/v1/contracts/{name}", { params: { path: { name } }, signal })),
    })),
  });
}
