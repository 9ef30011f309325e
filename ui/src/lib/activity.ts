// Whether a person is at work on this page. Requests that a page sends by itself, to see whether something changed, carry a
// header, and do not keep a session alive that nobody uses.

/** The header of such a request. */
export const LOOKS_AGAIN = "X-Weir-Looks-Again";
/** Milliseconds after the last touch of mouse, keys or screen in which a person counts as at work. */
export const AT_WORK = 60_000;
const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"] as const;

let last = Date.now();

/** Notes every touch from now on; opening the page is one. */
export function followActivity(): void {
  last = Date.now();
  for (const sign of SIGNS) {
    window.addEventListener(
      sign,
      (event) => {
        if (event.isTrusted) last = Date.now();
      },
      { passive: true, capture: true },
    );
  }
}

/** Whether somebody touched this page a moment ago. */
export function atWork(now = Date.now()): boolean {
  return now - last < AT_WORK;
}

/** The headers of a request that only reads. */
export function reading(): Record<string, string> {
  return atWork() ? {} : { [LOOKS_AGAIN]: "1" };
}
