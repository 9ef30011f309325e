// What Weir grants, what the brokers let happen, what is used of it. The brokers are asked each time.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { RightsFindings, RightsListing, RightsPrincipals } from "@/api/types";

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
