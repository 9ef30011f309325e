// What Weir grants, what the brokers let happen, what is used of it. The brokers are asked each time.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type {
  ConsumerRight,
  RightsApply,
  RightsCopies,
  RightsFindings,
  RightsListing,
  RightsPlan,
  RightsPrincipals,
} from "@/api/types";

export const RIGHTS_PAGE = 100;

export interface RightsFilters {
  dataset: string;
  principal: string;
  user: string;
  offset: number;
}

const KEEP = { placeholderData: keepPreviousData, staleTime: 30_000, retry: false } as const;

export function useRights({ dataset, principal, user, offset }: RightsFilters) {
  return useQuery({
    ...KEEP,
    queryKey: ["rights", dataset, principal, user, offset],
    queryFn: ({ signal }) =>
      answer<RightsListing>(
        weir.GET("/api/v1/rights", {
          params: {
            query: {
              dataset: dataset || null,
              principal: principal || null,
              user: user || null,
              limit: RIGHTS_PAGE,
              offset,
            },
          },
          signal,
        }),
      ),
  });
}

export type Severity = "high" | "medium" | "low" | "info";

export function useRightsFindings(dataset: string, severity: Severity | "", offset: number) {
  return useQuery({
    ...KEEP,
    queryKey: ["rights", "findings", dataset, severity, offset],
    queryFn: ({ signal }) =>
      answer<RightsFindings>(
        weir.GET("/api/v1/rights/findings", {
          params: {
            query: {
              dataset: dataset || null,
              severity: severity ? [severity] : null,
              limit: RIGHTS_PAGE,
              offset,
            },
          },
          signal,
        }),
      ),
  });
}

export function useRightsPrincipals(offset: number) {
  return useQuery({
    ...KEEP,
    queryKey: ["rights", "principals", offset],
    queryFn: ({ signal }) =>
      answer<RightsPrincipals>(
        weir.GET("/api/v1/rights/principals", { params: { query: { limit: RIGHTS_PAGE, offset } }, signal }),
      ),
  });
}

/** The changes that an apply would make now. */
export function useRightsPlan(cluster: string, offset: number) {
  return useQuery({
    ...KEEP,
    queryKey: ["rights", "plan", cluster, offset],
    queryFn: ({ signal }) =>
      answer<RightsPlan>(
        weir.GET("/api/v1/rights/plan", { params: { query: { cluster, limit: RIGHTS_PAGE, offset } }, signal }),
      ),
  });
}

export function useApplyRights() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { plan: string; cluster: string }) =>
      answer<RightsApply>(weir.POST("/api/v1/rights/apply", { body })),
    // A plan that went stale is refused: then, too, the present one is shown.
    onSettled: () => client.invalidateQueries({ queryKey: ["rights"] }),
  });
}

export function useUndoRights() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (cluster: string) => answer<RightsApply>(weir.POST("/api/v1/rights/undo", { body: { cluster } })),
    onSettled: () => client.invalidateQueries({ queryKey: ["rights"] }),
  });
}

/** The masked copies that were made for consumers. */
export function useRightsCopies() {
  return useQuery({
    ...KEEP,
    queryKey: ["rights", "copies"],
    queryFn: ({ signal }) => answer<RightsCopies>(weir.GET("/api/v1/rights/copies", { signal })),
  });
}

/** What a Kafka consumer may read of a dataset by requests; asked again while it is on its way. */
export function useConsumerRight(dataset: string, consumer: string) {
  return useQuery({
    queryKey: ["rights", "consumer", dataset, consumer],
    queryFn: ({ signal }) =>
      answer<ConsumerRight>(weir.GET("/api/v1/rights/consumer", { params: { query: { dataset, consumer } }, signal })),
    refetchInterval: ({ state }) => (["building", "opening"].includes(state.data?.state ?? "") ? 3000 : false),
  });
}
