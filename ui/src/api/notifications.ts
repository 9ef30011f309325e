// How I am notified, what I was notified of, and figures for administrators.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { Notice, NotifyPreference, NotifyStatus } from "@/api/types";

export function usePreference() {
  return useQuery({
    queryKey: ["notify", "preference"],
    queryFn: ({ signal }) => answer<NotifyPreference>(weir.GET("/api/v1/me/notifications", { signal })),
  });
}

export interface Chosen {
  channels: string[];
  off: string[];
  digest: string;
  at: string;
  zone: string;
  chatKind: string | null;
  /** The address of a webhook: null leaves the one that is kept, an empty text forgets it. */
  chatUrl: string | null;
}

export function useChoose() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Chosen) => answer<NotifyPreference>(weir.PUT("/api/v1/me/notifications", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["notify"] }),
  });
}

export function useNotices() {
  return useQuery({
    queryKey: ["notify", "notices"],
    queryFn: async ({ signal }) =>
      (
        await answer<{ notices: Notice[] }>(
          weir.GET("/api/v1/me/notices", { params: { query: { limit: 50 } }, signal }),
        )
      ).notices,
  });
}

/** Sends a test message now. */
export function useTestNotice() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (channel: string) =>
      answer<{ sent: boolean; problem: string | null }>(weir.POST("/api/v1/notifications/test", { body: { channel } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["notify"] }),
  });
}

/** For those who manage: what is set up, and what was not delivered. */
export function useNotifyStatus(enabled: boolean) {
  return useQuery({
    queryKey: ["notify", "status"],
    enabled,
    queryFn: ({ signal }) => answer<NotifyStatus>(weir.GET("/api/v1/notifications", { signal })),
    refetchInterval: 30_000,
  });
}
