// API tokens.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";

export interface TokenEntry {
  id: string;
  user: string;
  name?: string;
  created_at?: string | null;
  expires_at?: string | null;
  revoked_at?: string | null;
}

/** `enabled`: only those who manage may read the list. */
export function useTokens(enabled = true) {
  return useQuery({
    enabled,
    queryKey: ["tokens"],
    queryFn: async ({ signal }) =>
      (await answer<{ tokens: TokenEntry[] }>(weir.GET("/api/v1/tokens", { signal }))).tokens,
  });
}

export interface MadeToken {
  id: string;
  user: string;
  token: string;
}

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ user, days }: { user: string; days: number | null }) =>
      answer<MadeToken>(weir.POST("/api/v1/tokens", { body: { user, days, name: "" } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["tokens"] }),
  });
}

export function useEndToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(weir.DELETE("/api/v1/tokens/{id}", { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["tokens"] }),
  });
}
