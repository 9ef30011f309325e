// Requests, grants, and who I am.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { AccessRequest, Delegation, Grant, Me, RequestTemplate } from "@/api/types";

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
  ticket: string;
  consumer?: string;
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

/** What an approval in part leaves; what is left out stays as requested. */
export interface Part {
  fields?: string[];
  unmask?: string[];
  until?: string;
}

export function useDecide() {
  return useAccessChange(({ id, verb, reason, part }: { id: string; verb: Verb; reason: string; part?: Part }) => {
    const params = { path: { id } };
    if (verb === "cancel") return answer(weir.POST("/api/v1/access-requests/{id}/cancel", { params }));
    if (verb === "deny") return answer(weir.POST("/api/v1/access-requests/{id}/deny", { params, body: { reason } }));
    return answer(weir.POST("/api/v1/access-requests/{id}/approve", { params, body: { reason, ...part } }));
  });
}

/** Writes into a request's thread; `question` asks the requester back. */
export function useWrite() {
  return useAccessChange(({ id, text, question }: { id: string; text: string; question: boolean }) => {
    const sent = { params: { path: { id } }, body: { text } };
    return question
      ? answer(weir.POST("/api/v1/access-requests/{id}/ask-back", sent))
      : answer(weir.POST("/api/v1/access-requests/{id}/comments", sent));
  });
}

/** Asks that a grant of one's own ends later. */
export function useExtend() {
  return useAccessChange(({ name, until, reason }: { name: string; until: string; reason: string }) =>
    answer<AccessRequest>(
      weir.POST("/api/v1/grants/{name}/extend", { params: { path: { name } }, body: { until, reason, ticket: "" } }),
    ),
  );
}

/** Several datasets at once; each is decided on its own. */
export function useAskBundle() {
  return useAccessChange((body: Omit<NewRequest, "dataset"> & { datasets: string[] }) =>
    answer<{ bundle: string | null; requests: AccessRequest[] }>(weir.POST("/api/v1/access-requests/bundle", { body })),
  );
}

/** Requests that are often made, those that I may use. */
export function useTemplates() {
  return useQuery({
    queryKey: ["request-templates"],
    queryFn: async ({ signal }) =>
      (await answer<{ templates: RequestTemplate[] }>(weir.GET("/api/v1/request-templates", { signal }))).templates,
  });
}

export function useTemplateRequest() {
  return useAccessChange(({ name, reason, ticket }: { name: string; reason: string; ticket: string }) =>
    answer<{ bundle: string | null; requests: AccessRequest[] }>(
      weir.POST("/api/v1/request-templates/{name}/requests", { params: { path: { name } }, body: { reason, ticket } }),
    ),
  );
}

/** The other parts of a bundle, those that I may see. */
export function useBundle(bundle: string | null) {
  return useQuery({
    queryKey: ["requests", { bundle }],
    enabled: bundle !== null,
    queryFn: async ({ signal }) =>
      (
        await answer<{ requests: AccessRequest[] }>(
          weir.GET("/api/v1/access-requests", { params: { query: { bundle } }, signal }),
        )
      ).requests,
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
