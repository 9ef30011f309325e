import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, v1 } from "@/api/client";

export interface TokenEntry {
  id: string;
  user: string;
  name?: string;
  created_at?: string | null;
  expires_at?: string | null;
  revoked_at?: string | null;
}

export function useTokens() {
  return useQuery({
    queryKey: ["tokens"],
    queryFn: async ({ signal }) => (await api.get<{ tokens: TokenEntry[] }>("/api/v1/tokens", {}, signal)).tokens,
  });
}

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: { user: string; days: number | null }) =>
      api.post<{ id: string; user: string; token: string }>("/api/v1/tokens", asked),
    onSuccess: () => client.invalidateQueries({ queryKey: ["tokens"] }),
  });
}

export function useEndToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.delete(v1("tokens", id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ["tokens"] }),
  });
}
