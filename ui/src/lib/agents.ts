// Agents as the pages show them.
import type { AgentEntry } from "@/api/agents";

type Limits = Pick<AgentEntry, "rows" | "rowsADay" | "maskedOnly">;
export type AgentState = "active" | "ended" | "expired";

const rows = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;

/** `1,000 rows an answer, 10,000 a day, masked values only`. */
export function limitWords({ rows: most, rowsADay, maskedOnly }: Limits): string {
  const day = `${rowsADay.toLocaleString("en")} a day`;
  return [`${rows(most)} an answer`, day, ...(maskedOnly ? ["masked values only"] : [])].join(", ");
}

/** `12 of 10,000`. */
export const todayWords = ({ rowsToday, rowsADay }: Pick<AgentEntry, "rowsToday" | "rowsADay">) =>
  `${rowsToday.toLocaleString("en")} of ${rowsADay.toLocaleString("en")}`;

export function agentState({ active, endedAt }: Pick<AgentEntry, "active" | "endedAt">): AgentState {
  if (active) return "active";
  return endedAt ? "ended" : "expired";
}
