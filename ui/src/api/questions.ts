// Questions about a dataset, owners that are suggested, and what descriptions were before.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { DatasetQuestion, DatasetQuestions, DescriptionChange, OwnerSuggestions } from "@/api/types";

export function useQuestions(namespace: string, name: string) {
  return useQuery({
    queryKey: ["questions", namespace, name],
    queryFn: ({ signal }) =>
      answer<DatasetQuestions>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/questions", { params: { path: { namespace, name } }, signal }),
      ),
  });
}

/** What to do with questions of a dataset. */
export type QuestionChange =
  | { kind: "ask"; text: string }
  | { kind: "answer"; id: string; text: string }
  | { kind: "edit"; id: string; answer?: string; text: string }
  | { kind: "accept"; id: string; answer: string | null }
  | { kind: "state"; id: string; state: "open" | "closed" }
  | { kind: "remove"; id: string; answer?: string };

export function useChangeQuestions(namespace: string, name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: QuestionChange) => answer<DatasetQuestion | { id: string }>(sent(namespace, name, change)),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["questions"] }),
        client.invalidateQueries({ queryKey: ["inbox"] }),
      ]),
  });
}

function sent(namespace: string, name: string, change: QuestionChange) {
  if (change.kind === "ask") {
    const params = { path: { namespace, name } };
    return weir.POST("/api/v1/datasets/{namespace}/{name}/questions", { params, body: { text: change.text } });
  }
  const params = { path: { id: change.id } };
  switch (change.kind) {
    case "answer":
      return weir.POST("/api/v1/questions/{id}/answers", { params, body: { text: change.text } });
    case "accept":
      return weir.PATCH("/api/v1/questions/{id}", { params, body: { accepted: change.answer } });
    case "state":
      return weir.PATCH("/api/v1/questions/{id}", { params, body: { state: change.state } });
    case "edit": {
      const body = { text: change.text };
      if (change.answer === undefined) return weir.PATCH("/api/v1/questions/{id}", { params, body });
      const path = { id: change.id, answer: change.answer };
      return weir.PATCH("/api/v1/questions/{id}/answers/{answer}", { params: { path }, body });
    }
    case "remove": {
      if (change.answer === undefined) return weir.DELETE("/api/v1/questions/{id}", { params });
      const path = { id: change.id, answer: change.answer };
      return weir.DELETE("/api/v1/questions/{id}/answers/{answer}", { params: { path } });
    }
  }
}

export function useOwnerSuggestions(namespace: string, name: string) {
  return useQuery({
    queryKey: ["owner-suggestions", namespace, name],
    queryFn: ({ signal }) =>
      answer<OwnerSuggestions>(
        weir.GET("/api/v1/datasets/{namespace}/{name}/owner-suggestions", {
          params: { path: { namespace, name } },
          signal,
        }),
      ),
  });
}

export function useDescriptionHistory(namespace: string, name: string, enabled: boolean) {
  return useQuery({
    queryKey: ["description-history", namespace, name],
    enabled,
    queryFn: async ({ signal }) =>
      (
        await answer<{ changes: DescriptionChange[] }>(
          weir.GET("/api/v1/datasets/{namespace}/{name}/descriptions", {
            params: { path: { namespace, name } },
            signal,
          }),
        )
      ).changes,
  });
}
