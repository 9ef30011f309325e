// Agents: programs that act for a person by a token of their own.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, weir } from "@/api/client";
import type { components } from "@/api/schema";

export type AgentEntry = components["schemas"]["Agent"];
export type AgentCall = components["schemas"]["AgentCall"];
export type AgentPage = components["schemas"]["AgentPage"];

const LOOK_AGAIN_MS = 5000;

/** `all`: everybody's, which those who manage, review or audit may read. */
export function useAgents(all: boolean) {
  return useQuery({
    queryKey: ["agents", all],
    refetchInterval: LOOK_AGAIN_MS,
    queryFn: async ({ signal }) =>
      (await answer<{ agents: AgentEntry[] }>(weir.GET("/api/v1/agents", { params: { query: { all } }, signal })))
        .agents,
  });
}

/** One agent and what it did lately. */
export function useAgent(id: string) {
  return useQuery({
    queryKey: ["agents", "one", id],
    refetchInterval: LOOK_AGAIN_MS,
    queryFn: ({ signal }) => answer<AgentPage>(weir.GET("/api/v1/agents/{id}", { params: { path: { id } }, signal })),
  });
}

export function useEndAgent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(weir.DELETE("/api/v1/agents/{id}", { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["agents"] }),
  });
}
