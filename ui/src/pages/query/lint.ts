// What is wrong with a statement, told while it is written: the same gate that would refuse it when run.
import type { Action, Diagnostic } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import { checkQuery } from "@/api/query";
import type { Checked, SqlProblem } from "@/api/types";
import { offsetOf } from "@/lib/sql";

/** The same text is asked about once, however often the cursor rests. `onChecked` gets every answer, null for none. */
export function gateLint(purpose: () => string, onChecked: (checked: Checked | null) => void) {
  let last: { key: string; found: Diagnostic[] } | null = null;
  return async (view: EditorView): Promise<Diagnostic[]> => {
    const text = view.state.doc.toString();
    const key = `${purpose()}\u0000${text}`;
    if (last?.key === key) return last.found;
    // A statement that has not got to its FROM is not wrong, only not finished.
    const ready = /\bfrom\s+\S/i.test(text);
    const checked = ready ? await checkQuery(text, purpose() || null).catch(() => null) : null;
    if (view.state.doc.toString() !== text) return [];
    onChecked(checked);
    last = { key, found: (checked?.problems ?? []).map((problem) => diagnostic(problem, text)) };
    return last.found;
  };
}

function diagnostic(problem: SqlProblem, text: string): Diagnostic {
  const at = offsetOf(text, problem.line, problem.column);
  const end =
    problem.end_line && problem.end_column ? offsetOf(text, problem.end_line, problem.end_column) : text.length;
  const from = Math.min(at, Math.max(0, text.length - 1));
  const { suggestion } = problem;
  const actions: Action[] = suggestion
    ? [
        {
          name: `Write ${suggestion}`,
          apply: (view, start, stop) => view.dispatch({ changes: { from: start, to: stop, insert: suggestion } }),
        },
      ]
    : [];
  return {
    from,
    to: Math.max(from + 1, Math.min(text.length, end)),
    severity: "error",
    message: problem.message,
    actions,
  };
}
