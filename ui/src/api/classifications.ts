// Personal data across all datasets, and its review, one or many at once.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { Classification, ReviewState } from "@/api/types";

export interface FoundAt extends Classification {
  namespace: string;
  name: string;
  /** CLUSTER/TOPIC */
  dataset: string;
  mayReview: boolean;
}

export interface FoundPage {
  total: number;
  /** Of all that fit: how many by state, entity, dataset. */
  counts: Record<string, Record<string, number>>;
  classifications: FoundAt[];
}

export interface FoundAsked {
  state?: ReviewState | null;
  entity?: string | null;
  dataset?: string | null;
  path?: string | null;
  /** Only suggestions that rest on little. */
  doubtful?: boolean;
}

export function useFound({ doubtful = false, ...rest }: FoundAsked, limit: number, offset = 0) {
  const asked = { order: "doubt" as const, ...rest, ...(doubtful ? { doubtful } : {}) };
  return useQuery({
    queryKey: ["found", asked, limit, offset],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answer<FoundPage>(
        weir.GET("/api/v1/classifications", { params: { query: { ...asked, limit, offset } }, signal }),
      ),
  });
}

export interface Decided {
  /** An item without a state of its own gets the one of all. */
  items: { namespace: string; name: string; path: string; entity: string; state?: ReviewState }[];
  state?: ReviewState;
  /** The kind that all of them are in truth: it is confirmed, and what was detected is rejected. */
  instead?: string;
  reason: string;
}

export interface Outcome {
  reviewed: number;
  refused: number;
  results: { name: string; path: string; entity: string; state?: string; problem?: string }[];
}

export function useReviewMany() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Decided) => answer<Outcome>(weir.POST("/api/v1/classifications/review", { body })),
    onSuccess: () => {
      for (const key of ["found", "classifications", "search", "where-is"])
        client.invalidateQueries({ queryKey: [key] });
    },
  });
}
