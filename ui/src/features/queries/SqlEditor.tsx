// The SQL editor: completion from the catalog, errors under the place they stand at, Ctrl+Enter runs.
import { autocompletion } from "@codemirror/autocomplete";
import { StandardSQL, sql } from "@codemirror/lang-sql";
import { linter } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import { keymap, placeholder } from "@codemirror/view";
import { basicSetup, EditorView } from "codemirror";
import { useEffect, useRef } from "react";
import type { Checked } from "@/api/types";
import { serverCompletion } from "@/features/queries/complete";
import { editorColours } from "@/features/queries/editorColours";
import { gateLint } from "@/features/queries/lint";
import type { Parameter } from "@/lib/parameters";

/** A text put into the editor from outside: each one once. */
export interface Given {
  sql: string;
}

export function SqlEditor({
  given,
  purpose,
  values,
  onChange,
  onRun,
  onChecked,
}: {
  given: Given;
  purpose: string;
  values: ReadonlyMap<string, Parameter>;
  onChange: (sql: string) => void;
  onRun: (sql: string) => void;
  /** What the check of the present text said; null while there is none. */
  onChecked: (checked: Checked | null) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  // The editor lives through renders; what it calls is always the newest.
  const calls = useRef({ onChange, onRun, onChecked, purpose, values });
  calls.current = { onChange, onRun, onChecked, purpose, values };
  const first = useRef(given.sql);

  useEffect(() => {
    if (!place.current) return;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          Prec.highest(
            keymap.of([
              {
                key: "Mod-Enter",
                run: (v) => {
                  calls.current.onRun(v.state.doc.toString());
                  return true;
                },
              },
            ]),
          ),
          basicSetup,
          sql({ dialect: StandardSQL, upperCaseKeywords: true }),
          autocompletion({ icons: false, override: [serverCompletion(() => calls.current.purpose)] }),
          linter(
            gateLint(
              () => calls.current.purpose,
              () => calls.current.values,
              (checked) => calls.current.onChecked(checked),
            ),
            { delay: 500 },
          ),
          placeholder(
            "SELECT order_id, customer.email FROM prod.orders      (end with EMIT CHANGES to follow what arrives)",
          ),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "SQL" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.onChange(update.state.doc.toString());
          }),
          ...editorColours,
        ],
      }),
    });
    view.current = editor;
    editor.focus();
    return () => editor.destroy();
  }, []);

  // Only what comes from outside is written into the editor. Its own text, coming back a render later, would take away
  // the letters typed since.
  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== given.sql) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: given.sql } });
    }
  }, [given]);

  return <div ref={place} className="sql-editor" />;
}
