// Keys that step through lists: arrows within one, `j` and `k` from anywhere on a page.
import type { KeyboardEvent } from "react";
import { isTyping } from "@/lib/keys";

/** Rows of a page: those of tables, and what lists mark as theirs. */
export const ROWS = "main [data-row], main [data-hit], main [data-rows] > tr";
const CONTROL = "a[href], button:not(:disabled), input:not(:disabled), summary";

const controlOf = (row: Element) =>
  row.matches("tr") ? row.querySelector<HTMLElement>(CONTROL) : row instanceof HTMLElement ? row : null;

/** The next or previous row of the page, from the one that has the focus; the first one where none has. */
export function stepPage(by: 1 | -1): void {
  if (document.querySelector('[role="dialog"], [role="menu"]')) return; // the page behind it is out of reach
  const rows = [...document.querySelectorAll(ROWS)].filter((row) => controlOf(row) && !row.closest("[inert]"));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at < 0 ? 0 : at + by];
  if (next) controlOf(next)?.focus();
}

/** Arrow keys step through the rows of a table, in the same column where that has something to step to. */
export function stepRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  if ((event.key !== "ArrowDown" && event.key !== "ArrowUp") || isTyping(event.target)) return;
  const { target } = event;
  const row = target instanceof Element ? target.closest("tr") : null;
  const cell = target instanceof Element ? target.closest("td") : null;
  if (!row || !cell) return;
  const side = event.key === "ArrowDown" ? "nextElementSibling" : "previousElementSibling";
  for (let next = row[side]; next instanceof HTMLTableRowElement; next = next[side]) {
    const control = next.cells[cell.cellIndex]?.querySelector<HTMLElement>(CONTROL) ?? controlOf(next);
    if (!control) continue;
    event.preventDefault();
    control.focus();
    return;
  }
}

/** Arrow keys step through the elements of a list that fit `selector`; from the first one up to what is `above`. */
export function arrows(selector: string, above: string | null = ".top .find input") {
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === "ArrowUp" && at === 0 && above) {
      event.preventDefault();
      document.querySelector<HTMLElement>(above)?.focus();
      return;
    }
    const next = items[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (at < 0 || !next) return;
    event.preventDefault();
    next.focus();
  };
}
