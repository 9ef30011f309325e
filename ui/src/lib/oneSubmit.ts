/** The second click of a double click sends no form again: it comes before the button is drawn as busy, and a comment or a
 * token would be there twice. */
export function submitOnce(): void {
  document.addEventListener(
    "click",
    (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (event.detail > 1 && button?.type === "submit") event.preventDefault();
    },
    { capture: true },
  );
}
