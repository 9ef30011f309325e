// Evidence of a classification in words.
import type { Classification } from "@/api/types";
import { count, percent } from "@/lib/format";

export function recognizerNames(of: Classification): string[] {
  return (of.evidence.recognizers ?? []).map((r) =>
    typeof r === "string" ? r : r.version ? `${r.name} ${r.version}` : r.name,
  );
}

/** "98% of 1,000 values match, score 0.95, by email-recognizer 1". */
export function evidenceText(of: Classification): string {
  const { matched, sampled, note } = of.evidence;
  const parts: string[] = [];
  if (matched != null && sampled) parts.push(`${percent(matched / sampled)} of ${count(sampled)} values match`);
  if (of.evidence.withheld) parts.push("counts withheld");
  if (of.source === "declared") parts.push("declared");
  if (of.score != null) parts.push(`score ${of.score.toFixed(2)}`);
  const names = recognizerNames(of);
  if (names.length > 0) parts.push(`by ${names.join(", ")}`);
  if (of.reviewedBy) parts.push(`${of.state} by ${of.reviewedBy}`);
  if (note) parts.push(note);
  return parts.join(", ") || "no evidence was kept";
}
