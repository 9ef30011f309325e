// API tokens.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";

export interface TokenEntry {
  id: string;
  user: string;
  name?: string;
  createdAt?: string | null;
  expiresAt?: string | null;
  revokedAt?: string | null;
  usedAt?: string | null;
  /** Null: not limited. */
  scopes?: string[] | null;
  /** Of a service account. */
  service?: boolean;
  rotatedTo?: string | null;
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
  expiresAt?: string | null;
}

/** `before`: the token whose place it takes, and until when that is good. */
export type RotatedToken = MadeToken & { before: { id: string; expiresAt: string | null } };

export interface TokenAsked {
  user: string;
  days: number | null;
  name?: string;
  /** Without them all that the user may. */
  scopes?: string[];
}

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ user, days, name = "", scopes }: TokenAsked) =>
      answer<MadeToken>(
        weir.POST("/api/v1/tokens", { body: { user, days, name, ...(scopes === undefined ? {} : { scopes }) } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ["tokens"] }),
  });
}

/** A token in place of another; both are good for the overlap. */
export function useRotateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, overlapHours }: { id: string; overlapHours: number }) =>
      answer<RotatedToken>(
        weir.POST("/api/v1/tokens/{id}/rotate", { params: { path: { id } }, body: { overlapHours } }),
      ),
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
