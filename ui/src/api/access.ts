// Requests, grants, and who I am.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { AccessRequest, Delegation, Grant, Me } from "@/api/types";

/** Who the token belongs to, and what they may do. */
export function useMe(token: string | null) {
  return useQuery({
    queryKey: ["me", token],
    enabled: token !== null,
    staleTime: 60_000,
    queryFn: ({ signal }) => answer<Me>(weir.GET("/api/v1/me", { signal })),
  });
}

/** My requests, and those I may decide, newest first. */
export function useRequests(query: { state?: string } = {}) {
  return useQuery({
    queryKey: ["requests", query],
    queryFn: async ({ signal }) =>
      (await answer<{ requests: AccessRequest[] }>(weir.GET("/api/v1/access-requests", { params: { query }, signal })))
        .requests,
    refetchInterval: 30_000,
  });
}

export function useRequest(id: string) {
  return useQuery({
    queryKey: ["request", id],
    queryFn: ({ signal }) =>
      answer<AccessRequest>(weir.GET("/api/v1/access-requests/{id}", { params: { path: { id } }, signal })),
  });
}

export interface NewRequest {
  dataset: string;
  fields: string[];
  purpose: string;
  from: string;
  until: string;
  reason: string;
}

function useAccessChange<T, R>(change: (input: T) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      for (const key of ["requests", "request", "grants", "access"]) client.invalidateQueries({ queryKey: [key] });
    },
  });
}

export function useAsk() {
  return useAccessChange((body: NewRequest) => answer<AccessRequest>(weir.POST("/api/v1/access-requests", { body })));
}

/** Takes access at once, where a workflow lets one; short, audited, reviewed afterwards. */
export function useBreakGlass() {
  return useAccessChange((body: { dataset: string; fields: string[]; purpose: string; reason: string }) =>
    answer<AccessRequest>(weir.POST("/api/v1/access-requests/break-glass", { body })),
  );
}

export type Verb = "approve" | "deny" | "cancel";

export function useDecide() {
  return useAccessChange(({ id, verb, reason }: { id: string; verb: Verb; reason: string }) => {
    const params = { path: { id } };
    if (verb === "cancel") return answer(weir.POST("/api/v1/access-requests/{id}/cancel", { params }));
    const path = verb === "approve" ? "/api/v1/access-requests/{id}/approve" : "/api/v1/access-requests/{id}/deny";
    return answer(weir.POST(path, { params, body: { reason } }));
  });
}

export function useGrants() {
  return useQuery({
    queryKey: ["grants"],
    queryFn: async ({ signal }) => (await answer<{ grants: Grant[] }>(weir.GET("/api/v1/grants", { signal }))).grants,
  });
}

export function useRevoke() {
  return useAccessChange(({ name, reason }: { name: string; reason: string }) =>
    answer(weir.DELETE("/api/v1/grants/{name}", { params: { path: { name }, query: { reason } } })),
  );
}

/** Who decides in my place, and in whose place I may decide now. */
export function useDelegation() {
  return useQuery({
    queryKey: ["delegation"],
    queryFn: ({ signal }) =>
      answer<{ delegation: Delegation | null; insteadOf: string[] }>(weir.GET("/api/v1/me/delegation", { signal })),
  });
}

/** Names who decides in my place until then; null: I decide for myself again. */
export function useDelegate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { delegates: string[]; until: string } | null) =>
      body ? answer(weir.PUT("/api/v1/me/delegation", { body })) : answer(weir.DELETE("/api/v1/me/delegation")),
    onSuccess: () => client.invalidateQueries({ queryKey: ["delegation"] }),
  });
}
