// Sessions of people who signed in by a provider, and command lines that wait to be let in.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { components } from "@/api/schema";

export type SessionEntry = components["schemas"]["ListedSession"];
export type WaitingDevice = components["schemas"]["DeviceWaiting"];

/** `all`: everybody's, which only those who manage may read. */
export function useSessions(all: boolean) {
  return useQuery({
    queryKey: ["sessions", all],
    queryFn: async ({ signal }) =>
      (
        await answer<{ sessions: SessionEntry[] }>(
          weir.GET("/api/v1/auth/sessions", { params: { query: { all } }, signal }),
        )
      ).sessions,
  });
}

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(weir.DELETE("/api/v1/auth/sessions/{id}", { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["sessions"] }),
  });
}

export function waitingDevice(code: string): Promise<WaitingDevice> {
  return answer(weir.GET("/api/v1/auth/device/{code}", { params: { path: { code } } }));
}

/** Only a page may ask for this; the header is one that other sites cannot send. */
const PAGE = { headers: { "X-Weir-CSRF": "page" } };

export async function continueDevice(code: string, provider: string): Promise<string> {
  const path = { code };
  const call = weir.POST("/api/v1/auth/device/{code}/continue", { params: { path }, body: { provider }, ...PAGE });
  return (await answer<{ address: string }>(call)).address;
}

export async function refuseDevice(code: string): Promise<void> {
  await weir.POST("/api/v1/auth/device/{code}/refuse", { params: { path: { code } }, ...PAGE });
}
