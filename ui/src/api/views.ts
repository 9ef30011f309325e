// Stream views: how they are, their rows, following them, operating them.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, exactAnswer, weir } from "@/api/client";
import type { View, ViewClients, ViewDiff, ViewRemoval, ViewRows } from "@/api/types";
import { type ServerEvent, serverEvents } from "@/lib/sse";

const LOOK = 2000;

export function useViews() {
  return useQuery({
    queryKey: ["views"],
    refetchInterval: LOOK,
    queryFn: async ({ signal }) => (await answer<{ views: View[] }>(weir.GET("/api/v1/views", { signal }))).views,
  });
}

export function useView(name: string) {
  return useQuery({
    queryKey: ["views", name],
    refetchInterval: LOOK,
    queryFn: ({ signal }) => answer<View>(weir.GET("/api/v1/views/{name}", { params: { path: { name } }, signal })),
  });
}

/** What connects a Kafka client to the topic that a view writes. */
export function useViewClients(name: string) {
  return useQuery({
    queryKey: ["views", name, "clients"],
    retry: false,
    queryFn: ({ signal }) =>
      answer<ViewClients>(weir.GET("/api/v1/views/{name}/clients", { params: { path: { name } }, signal })),
  });
}

export interface RowsAsked {
  key?: string[];
  prefix?: string;
  where?: string;
  cursor?: string;
}

/** A page of rows; the one before is shown until it is there. */
export function useViewRows(name: string, asked: RowsAsked) {
  return useQuery({
    queryKey: ["views", name, "rows", asked],
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) =>
      exactAnswer<ViewRows>(
        weir.GET("/api/v1/views/{name}/rows", {
          params: { path: { name }, query: { ...asked, limit: "200" } },
          parseAs: "text",
          signal,
        }),
      ),
  });
}

/** The rows and then every change, until the stream ends or is stopped; `after`: the id of the last event there is. */
export async function* followView(
  name: string,
  after: string | null,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const { data } = await weir.GET("/api/v1/views/{name}/changes", {
    params: { path: { name }, query: { lastEventId: after } },
    parseAs: "stream",
    signal,
  });
  if (data) yield* serverEvents(data as ReadableStream<Uint8Array>);
}

export const ACTIONS = ["pause", "resume", "restart", "rebuild"] as const;
export type Action = (typeof ACTIONS)[number];

export function useOperateView(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ action, from }: { action: Action; from?: string | null }) => {
      const params = { path: { name } };
      if (action === "rebuild")
        return answer(
          weir.POST("/api/v1/views/{name}/rebuild", { params: { ...params, query: { from: from ?? null } } }),
        );
      return answer(weir.POST(`/api/v1/views/{name}/${action}` as "/api/v1/views/{name}/pause", { params }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["views"] }),
  });
}

/** What runs against what a declaration would build; without one, against what is declared. Nothing is written. */
export function useViewDiff() {
  return useMutation({
    mutationFn: ({ name, spec }: { name: string; spec?: Record<string, unknown> }) =>
      answer<ViewDiff>(
        weir.POST("/api/v1/views/{name}/diff", { params: { path: { name } }, body: { spec: spec ?? null } }),
      ),
  });
}

/** What goes with a view, and who reads it. */
export function useRemoval(name: string, enabled: boolean) {
  return useQuery({
    queryKey: ["views", name, "removal"],
    enabled,
    queryFn: ({ signal }) =>
      answer<ViewRemoval>(weir.GET("/api/v1/views/{name}/removal", { params: { path: { name } }, signal })),
  });
}
