// What is wrong with a statement, told while it is written: the same gate that would refuse it when run.
import type { Diagnostic } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import { ApiError } from "@/api/client";
import { explain } from "@/api/query";
import { offsetOf } from "@/lib/sql";

export function gateLint(purpose: () => string) {
  return async (view: EditorView): Promise<Diagnostic[]> => {
    const text = view.state.doc.toString();
    // A statement that has not got to its FROM is not wrong, only not finished.
    if (!/\bfrom\s+\S/i.test(text)) return [];
    try {
      await explain(text, purpose() || null);
      return [];
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 401) return [];
      const { line, column } = error.details as { line?: number; column?: number };
      const at = line ? offsetOf(text, line, column ?? 1) : 0;
      const word = /^(`[^`]*`|[\w.]+)/.exec(text.slice(at))?.[0].length ?? 1;
      const to = line ? Math.min(text.length, at + word) : text.length;
      return [{ from: Math.min(at, to), to, severity: error.status === 403 ? "warning" : "error", message: error.message }];
    }
  };
}
