import type { AgentEntry } from "@/api/agents";
import { agentState } from "@/lib/agents";

/** Whether an agent's token is good. */
export function AgentStateBadge({ of: agent }: { of: AgentEntry }) {
  const state = agentState(agent);
  return <span className={state === "active" ? "badge ok" : "badge"}>{state}</span>;
}
