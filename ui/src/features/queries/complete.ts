// What may be written next, as Weir proposes it: tables one may read, their columns, functions, keywords.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { completeQuery } from "@/api/query";
import { pointsIn, unitsOf } from "@/lib/sql";

const TYPES: Record<string, string> = { table: "class", column: "property", function: "function", keyword: "keyword" };
/** Weir proposes no more than this many; then further letters are a new question. */
const MOST = 200;

export function serverCompletion(purpose: () => string) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[\w`]+/);
    const after = context.matchBefore(/(?:[\w`]\.|\b(?:FROM|JOIN)\s+)$/i);
    if (!word && !after && !context.explicit) return null;
    const text = context.state.doc.toString();
    const given = text.slice(0, context.pos);
    // Completion is a help: where it fails the editor stays quiet, and running tells what is wrong.
    const answer = await completeQuery(text, pointsIn(given), purpose() || null).catch(() => null);
    if (!answer || answer.items.length === 0 || context.aborted) return null;
    const options: Completion[] = answer.items.map((item, i) => ({
      label: item.label,
      apply: item.insert,
      detail: item.detail === item.kind ? "" : item.detail,
      type: TYPES[item.kind] ?? "text",
      boost: -i / 10,
    }));
    const from = unitsOf(text, answer.from);
    return { from, options, ...(answer.items.length < MOST ? { validFor: /^[\w`]*$/ } : {}) };
  };
}
