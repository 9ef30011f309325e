// Keys that work on every page: `g` and a letter goes to a page, `j` and `k` step through its rows, `?` lists them.
import { useEffect } from "react";

const WRITTEN = "input:not([type=checkbox], [type=radio]), textarea, select";

/** True while the keys belong to a text that is being written. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(WRITTEN));
}

const plain = (event: KeyboardEvent) => !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);

/** How long a `g` waits for its letter, in milliseconds. */
const PATIENCE = 1500;

/** Calls `go` for `g` + letter, `step` for `j` and `k`, and `help` for `?`, wherever nobody is writing. */
export function usePageKeys(
  letters: ReadonlyMap<string, string>,
  go: (to: string) => void,
  step: (by: 1 | -1) => void,
  help: () => void,
): void {
  useEffect(() => {
    let since = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent) => {
      if (!plain(event)) return;
      const waiting = event.timeStamp - since < PATIENCE;
      since = Number.NEGATIVE_INFINITY;
      const to = waiting ? letters.get(event.key) : undefined;
      if (to !== undefined) {
        event.preventDefault();
        go(to);
      } else if (event.key === "g") since = event.timeStamp;
      else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
      else if (event.key === "?") help();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [letters, go, step, help]);
}

/** `/` puts the cursor into a search box. */
export function useSlash(input: { current: HTMLInputElement | null }): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "/" || !plain(event)) return;
      event.preventDefault();
      input.current?.select();
      input.current?.focus();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [input]);
}
