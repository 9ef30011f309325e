// What is wrong with a statement, told while it is written: the same gate that would refuse it when run.
import type { Action, Diagnostic } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import { checkQuery } from "@/api/query";
import type { Checked, SqlProblem } from "@/api/types";
import { filled, type Parameter, placeBefore } from "@/lib/parameters";
import { offsetOf } from "@/lib/sql";

/** The same text is asked about once, however often the cursor rests. `onChecked` gets every answer, null for none. */
export function gateLint(
  purpose: () => string,
  values: () => ReadonlyMap<string, Parameter>,
  onChecked: (checked: Checked | null) => void,
) {
  let last: { key: string; found: Diagnostic[] } | null = null;
  return async (view: EditorView): Promise<Diagnostic[]> => {
    const text = view.state.doc.toString();
    const given = values();
    let full: string;
    try {
      full = filled(text, given);
    } catch {
      onChecked(null); // a number that is still being written
      return [];
    }
    const key = `${purpose()}\u0000${full}`;
    if (last?.key === key) return last.found;
    // A statement that has not got to its FROM is not wrong, only not finished.
    const ready = /\bfrom\s+\S/i.test(text);
    const checked = ready ? await checkQuery(full, purpose() || null).catch(() => null) : null;
    if (view.state.doc.toString() !== text) return [];
    onChecked(checked);
    last = { key, found: (checked?.problems ?? []).map((problem) => diagnostic(problem, text, full, given)) };
    return last.found;
  };
}

/** A problem of the statement with its values, at its place in the statement as it is written. */
function diagnostic(
  problem: SqlProblem,
  text: string,
  full: string,
  given: ReadonlyMap<string, Parameter>,
): Diagnostic {
  const place = (line: number, column: number) => placeBefore(text, given, offsetOf(full, line, column));
  const at = place(problem.line, problem.column);
  const end = problem.endLine && problem.endColumn ? place(problem.endLine, problem.endColumn) : text.length;
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
