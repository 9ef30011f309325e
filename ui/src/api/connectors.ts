// Declared connectors of Kafka Connect: how they are, and operating them.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/api/access";
import { answer, weir } from "@/api/client";
import { fetchDeclared } from "@/api/declared";
import type { Connector, DescribedConnector } from "@/api/types";
import { mayDo } from "@/lib/may";
import { useToken } from "@/lib/session";

/** Each answer asks every worker, so it is asked for less often than a view. */
const LOOK = 5000;

export function useConnectors() {
  return useQuery({
    queryKey: ["connectors"],
    refetchInterval: LOOK,
    queryFn: async ({ signal }) =>
      (await answer<{ connectors: Connector[] }>(weir.GET("/api/v1/connectors", { signal }))).connectors,
  });
}

export function useConnector(name: string) {
  return useQuery({
    queryKey: ["connectors", name],
    refetchInterval: LOOK,
    queryFn: ({ signal }) =>
      answer<DescribedConnector>(weir.GET("/api/v1/connectors/{name}", { params: { path: { name } }, signal })),
  });
}

/** Whether any connector is declared, or I may declare one. Weir's own record answers it: no worker is asked. */
export function useShowsConnectors(): boolean {
  const me = useMe(useToken()).data;
  const manages = mayDo(me, "manage");
  const documents = useQuery({
    queryKey: ["declared", "Connector"],
    enabled: me !== undefined && !manages,
    staleTime: 60_000,
    queryFn: ({ signal }) => fetchDeclared("Connector", undefined, signal),
  });
  return manages || (documents.data ?? []).length > 0;
}

/** The document of one connector as it was applied; null where there is none any more. */
export function useConnectorDocument(name: string) {
  return useQuery({
    queryKey: ["declared", "Connector", name],
    queryFn: async ({ signal }) => (await fetchDeclared("Connector", name, signal))[0] ?? null,
  });
}

export type ConnectorAction = "restart" | "pause" | "resume" | "stop";

export function useOperateConnector(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: ConnectorAction) =>
      answer(
        weir.POST(`/api/v1/connectors/{name}/${action}` as "/api/v1/connectors/{name}/pause", {
          params: { path: { name } },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ["connectors"] }),
  });
}
