// Requests, grants, and who I am.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, v1 } from "@/api/client";
import type { AccessRequest, Grant, Me } from "@/api/types";

/** Who the token belongs to, and what they may do. */
export function useMe(token: string | null) {
  return useQuery({
    queryKey: ["me", token],
    enabled: token !== null,
    staleTime: 60_000,
    queryFn: ({ signal }) => api.get<Me>("/api/v1/me", {}, signal),
  });
}

export function useRequests(params: { state?: string } = {}) {
  return useQuery({
    queryKey: ["requests", params],
    queryFn: async ({ signal }) =>
      (await api.get<{ requests: AccessRequest[] }>("/api/v1/access-requests", params, signal)).requests,
    refetchInterval: 30_000,
  });
}

export function useRequest(id: string) {
  return useQuery({
    queryKey: ["request", id],
    queryFn: ({ signal }) => api.get<AccessRequest>(v1("access-requests", id), {}, signal),
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

function useAccessChange<T>(change: (input: T) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      for (const key of ["requests", "request", "grants", "access"]) client.invalidateQueries({ queryKey: [key] });
    },
  });
}

export function useAsk() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: NewRequest) => api.post<AccessRequest>("/api/v1/access-requests", request),
    onSuccess: () => client.invalidateQueries({ queryKey: ["requests"] }),
  });
}

export function useDecide() {
  return useAccessChange((input: { id: string; verb: "approve" | "deny" | "cancel"; reason: string }) =>
    api.post<AccessRequest>(`${v1("access-requests", input.id)}/${input.verb}`, { reason: input.reason }),
  );
}

export function useGrants() {
  return useQuery({
    queryKey: ["grants"],
    queryFn: async ({ signal }) => (await api.get<{ grants: Grant[] }>("/api/v1/grants", {}, signal)).grants,
  });
}

export function useRevoke() {
  return useAccessChange((input: { name: string; reason: string }) =>
    api.delete(v1("grants", input.name), { reason: input.reason || null }),
  );
}
