// Decisions on columns in words.
import type { ColumnDecision, Decision, Reason } from "@/api/types";

export type Look = "clear" | "masked" | "withheld";

export function lookOf(decision: ColumnDecision | null | undefined): Look {
  if (!decision || decision.effect === "clear") return "clear";
  if (decision.effect === "masked") return "masked";
  if (decision.effect === "derived") return (decision.masks ?? []).length > 0 ? "masked" : "clear";
  return "withheld";
}

/** The sentences of a column's decision, one a line: the API joins them with semicolons. */
export function columnReasons(decision: ColumnDecision | null | undefined): string[] {
  if (!decision || decision.text === "clear" || decision.text === "derived") return [];
  // A semicolon inside brackets belongs to the evidence.
  return decision.text.split(/; (?=\S+: )/);
}

/** What was decided on datasets as a whole; what concerns single fields stands in the columns' heads. */
export function datasetReasons(decision: Decision): string[] {
  return decision.reasons.filter((r) => r.field === undefined).map((r) => r.text);
}

/** The dataset a hidden field stands in, as the decision's reasons tell it. */
export function datasetOf(fields: string[], reasons: Reason[]): string | undefined {
  return reasons.find((r) => r.dataset !== undefined && r.field !== undefined && fields.includes(r.field))?.dataset;
}
