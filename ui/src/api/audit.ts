// The audit chain.
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { AuditEntry } from "@/api/types";

export interface AuditFilters {
  actor: string | null;
  action: string | null;
  target: string | null;
  person?: string | null;
  dataset?: string | null;
  field?: string | null;
  agent?: string | null;
  tool?: string | null;
  /** From then on, and before then. */
  since?: string | null;
  until?: string | null;
  /** Actions that are left out. */
  without?: readonly string[];
}

interface AuditPage {
  entries: AuditEntry[];
  next?: string | null;
  note?: string | null;
}

export function useAudit(filters: AuditFilters) {
  return useInfiniteQuery({
    queryKey: ["audit", filters],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      answer<AuditPage>(
        weir.GET("/api/v1/audit", {
          params: { query: { ...filters, without: [...(filters.without ?? [])], limit: 100, cursor: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: (last) => last.next ?? null,
  });
}

export interface Verified {
  holds: boolean;
  entries: number;
  head?: { seq: number; hash: string } | string | null;
  firstBad?: number | null;
  problem?: string | null;
  note?: string | null;
}

export function useVerify() {
  return useMutation({ mutationFn: () => answer<Verified>(weir.GET("/api/v1/audit/verify")) });
}
