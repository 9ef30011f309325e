// Decisions on columns in words.
import type { Decision, ExplainColumn } from "@/api/types";
import { reasonList } from "@/components/Reasons";

/** The mask's name, where there is one: `MASK_HASH`. */
export function maskName(decision: Pick<Decision, "mask"> | null | undefined): string | null {
  const mask = decision?.mask;
  if (!mask) return null;
  const name = typeof mask === "string" ? mask : mask.type;
  return name === "MASK_NONE" ? null : name;
}

export type Look = "clear" | "masked" | "denied";

export function lookOf(decision: Decision | ExplainColumn | null | undefined): Look {
  if (!decision) return "clear";
  if (decision.effect === "deny") return "denied";
  return maskName(decision) || decision.effect === "mask" || decision.effect === "masked" ? "masked" : "clear";
}

/** Every reason of a decision; its one sentence first, where it has one. */
export function decisionReasons(decision: Decision | ExplainColumn | null | undefined): string[] {
  if (!decision) return [];
  const text = "text" in decision && typeof decision.text === "string" ? [decision.text] : [];
  return [...text, ...reasonList(decision.reasons)];
}
