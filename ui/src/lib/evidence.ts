// Evidence of a classification in words.
import type { Classification } from "@/api/types";
import { count, percent } from "@/lib/format";

export function recognizerNames(of: Classification): string[] {
  return (of.evidence.recognizers ?? []).map((r) =>
    typeof r === "string" ? r : r.version ? `${r.name} ${r.version}` : r.name,
  );
}

/** As `DOUBTFUL_BELOW` of catalog/datasets/reviews.py. */
const DOUBTFUL_BELOW = 0.65;

/** How sure a detection is; nothing where a person decided. */
export function certainty(of: Classification): "doubtful" | "likely" | "very likely" | null {
  if (of.state !== "suggested") return null;
  return of.score < DOUBTFUL_BELOW ? "doubtful" : of.score < 0.9 ? "likely" : "very likely";
}

/** "98% of 1,000 values fit, 970 pass its check": of the kind that is named beside it. */
export function evidenceText(of: Classification): string {
  const { matched, sampled, validated, note } = of.evidence;
  const parts: string[] = [];
  if (matched != null && sampled) {
    parts.push(`${percent(matched / sampled)} of ${count(sampled)} values fit`);
    if (validated) parts.push(`${count(validated)} pass its check`);
  }
  if (of.evidence.withheld) parts.push("counts withheld");
  if (of.evidence.freeText) parts.push("inside longer texts");
  if (of.evidence.from && of.evidence.from.length > 0) parts.push("carried here by lineage");
  if (of.evidence.fieldName?.includes(" for ")) parts.push("the field's name fits");
  if (of.evidence.fieldName?.includes("against")) parts.push("the field's name does not fit");
  if (of.source === "declared") parts.push("declared");
  if (of.reviewedBy) parts.push(`${of.state} by ${of.reviewedBy}`);
  if (note) parts.push(note);
  return parts.join(", ") || "the name of the field suggests it";
}

/** For who wants to know exactly: "Score 0.95, by email-recognizer 1". */
export function evidenceDetail(of: Classification): string {
  const names = recognizerNames(of);
  return [`Score ${of.score.toFixed(2)}`, names.length > 0 && `by ${names.join(", ")}`].filter(Boolean).join(", ");
}
