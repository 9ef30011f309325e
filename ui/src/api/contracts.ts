// Contracts: what is promised of datasets, and what scans saw of it.
import { useQueries, useQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
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

export function useContracts(names: string[]) {
  return useQueries({
    queries: names.map((name) => ({
      queryKey: ["contract", name],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        answer<Contract>(weir.GET("/api/v1/contracts/{name}", { params: { path: { name } }, signal })),
    })),
  });
}
