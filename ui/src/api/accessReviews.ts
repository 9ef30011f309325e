// Access reviews: rights that are confirmed or revoked, by whom, with which evidence.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { components } from "@/api/schema";

type Schemas = components["schemas"];
export type AccessReview = Schemas["AccessReview"];
export type OneAccessReview = Schemas["OneAccessReview"];
export type ReviewItem = Schemas["ReviewedRight"];
export type ReviewDecisions = Schemas["ReviewDecisions"];
export type ReviewStart = Schemas["ReviewStartBody"];
export type Verdict = "keep" | "revoke" | "undo";

export interface ItemsAsked {
  mine: boolean;
  state: ReviewItem["state"] | null;
  person: string | null;
  dataset: string | null;
  unused: boolean | null;
}

export const PAGE = 100;

export function useAccessReviews() {
  return useQuery({
    queryKey: ["access-reviews"],
    queryFn: ({ signal }) =>
      answer<Schemas["AccessReviews"]>(
        weir.GET("/api/v1/access-reviews", { params: { query: { limit: 1000 } }, signal }),
      ),
  });
}

export function useAccessReview(id: string) {
  return useQuery({
    queryKey: ["access-reviews", id],
    queryFn: ({ signal }) =>
      answer<OneAccessReview>(weir.GET("/api/v1/access-reviews/{id}", { params: { path: { id } }, signal })),
  });
}

export function useReviewItems(id: string, asked: ItemsAsked, limit: number) {
  return useQuery({
    queryKey: ["access-reviews", id, "items", asked, limit],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      answer<Schemas["ReviewedRights"]>(
        weir.GET("/api/v1/access-reviews/{id}/items", {
          params: { path: { id }, query: { ...asked, limit } },
          signal,
        }),
      ),
  });
}

export function useStartReview() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ReviewStart) => answer<OneAccessReview>(weir.POST("/api/v1/access-reviews", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["access-reviews"] }),
  });
}

export function useDecideItems(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { items: number[]; verdict: Verdict; reason: string }) =>
      answer<ReviewDecisions>(weir.POST("/api/v1/access-reviews/{id}/decisions", { params: { path: { id } }, body })),
    // A refusal may have noticed that a right ended or changed, so the list is read again after it, too.
    onSettled: () => {
      for (const key of ["access-reviews", "grants"]) client.invalidateQueries({ queryKey: [key] });
    },
  });
}

export function useCloseReview(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { onNoAnswer: "revoke" | "keep"; reason: string }) =>
      answer<OneAccessReview>(weir.POST("/api/v1/access-reviews/{id}/close", { params: { path: { id } }, body })),
    onSuccess: () => client.invalidateQueries(),
  });
}

/** The evidence as a file. */
export function reviewReport(id: string, format: "json" | "csv" | "html") {
  return answer<string>(
    weir.GET("/api/v1/access-reviews/{id}/report", { params: { path: { id }, query: { format } }, parseAs: "text" }),
  );
}
