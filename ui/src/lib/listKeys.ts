import type { KeyboardEvent } from "react";

/** Arrow keys step through the elements of a list that fit `selector`. */
export function arrows(selector: string) {
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === "ArrowUp" && at === 0) {
      event.preventDefault();
      document.querySelector<HTMLElement>(".top .find input")?.focus();
      return;
    }
    const next = items[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (at < 0 || !next) return;
    event.preventDefault();
    next.focus();
  };
}
