// The editor in the colours of the pages, light and dark alike.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { backgroundColor: "var(--panel)", color: "var(--text)", fontSize: "14px" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--text)", padding: "10px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--panel-2) 55%, transparent)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "light-dark(#cfe9ec, #1d4a51) !important",
  },
  ".cm-tooltip": { backgroundColor: "var(--panel)", border: "1px solid var(--line)", borderRadius: "6px" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--accent-text)",
  },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal", marginLeft: "1em" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-diagnostic": { fontFamily: "system-ui, sans-serif", maxWidth: "520px" },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--pii)" },
  { tag: [tags.comment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.function(tags.name), tags.typeName, tags.standard(tags.name)], color: "var(--mask)" },
]);

export const editorColours = [theme, syntaxHighlighting(colours)];
