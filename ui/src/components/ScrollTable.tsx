import type { ReactNode } from "react";

/** A table that scrolls sideways where the screen is narrow, by keyboard too. */
export function ScrollTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="table-wrap" aria-label={label} tabIndex={0}>
      <table className="table" aria-label={label}>
        {children}
      </table>
    </section>
  );
}
