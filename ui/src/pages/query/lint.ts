// What is wrong with a statement, told while it is written: the same gate that would refuse it when run.
import type { Diagnostic } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import { ApiError } from "@/api/client";
import { explain } from "@/api/query";
import { offsetOf } from "@/lib/sql";

/** The same text is asked about once, however often the cursor rests. */
export function gateLint(purpose: () => string) {
  let last: { key: string; found: Diagnostic[] } | null = null;
  return async (view: EditorView): Promise<Diagnostic[]> => {
    const text = view.state.doc.toString();
    const key = `${purpose()}\u0000${text}`;
    if (last?.key !== key) last = { key, found: await judge(text, purpose()) };
    return last.found;
  };
}

async function judge(text: string, purpose: string): Promise<Diagnostic[]> {
  // A statement that has not got to its FROM is not wrong, only not finished.
  if (!/\bfrom\s+\S/i.test(text)) return [];
  try {
    await explain(text, purpose || null);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 403, 404].includes(error.status)) return [];
    const [from, to] = placeOf(error, text);
    return [{ from, to, severity: error.status === 403 ? "warning" : "error", message: error.message }];
  }
}

/** Where an error stands: at its line and column, else at the name it is about, else under the whole text. */
function placeOf(error: ApiError, text: string): [number, number] {
  const { line, column, name } = error.details as { line?: number; column?: number; name?: string };
  const named = name ? text.search(new RegExp(`\\b${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\b`)) : -1;
  if (!line && named < 0) return [0, text.length];
  const at = line ? offsetOf(text, line, column ?? 1) : named;
  const word = /^(`[^`]*`|[\w.]+)/.exec(text.slice(at))?.[0].length ?? 1;
  return [Math.min(at, Math.max(0, text.length - 1)), Math.min(text.length, at + word)];
}
