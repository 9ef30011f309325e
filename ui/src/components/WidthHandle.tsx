// The edge of a column's head: dragged, or moved by the arrow keys, it makes the column wider or narrower.
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { NARROWEST, WIDEST, type Widths, widened } from "@/lib/tableSettings";

const STEP = 16;

export interface ColumnWidths {
  /** Those that are kept, or those of the drag that goes on. */
  now: Widths;
  drag: (widths: Widths | null) => void;
  keep: (widths: Widths) => void;
}

/** While a drag goes on its widths are shown; where it ends they are kept. */
export function useColumnWidths(kept: Widths, keep: (widths: Widths) => void): ColumnWidths {
  const [live, setLive] = useState<Widths | null>(null);
  return { now: live ?? kept, drag: setLive, keep };
}

/** Stands in a head that has its column's name in `data-column`, beside the heads of the others. */
export function WidthHandle({ column, label, widths }: { column: string; label: string; widths: ColumnWidths }) {
  const handle = useRef<HTMLSpanElement>(null);
  const from = useRef<{ x: number; widths: Widths } | null>(null);
  const [drawn, setDrawn] = useState(0);
  const look = () => setDrawn(headOf(handle.current)?.offsetWidth ?? 0);
  useEffect(look, []);

  const begin = (event: PointerEvent<HTMLSpanElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus({ preventScroll: true });
    from.current = { x: event.clientX, widths: measured(event.currentTarget, widths.now) };
  };
  const at = (x: number) => (from.current ? widened(from.current.widths, column, x - from.current.x) : null);
  const end = (event: PointerEvent) => {
    const next = from.current && event.clientX !== from.current.x ? at(event.clientX) : null;
    from.current = null;
    widths.drag(null);
    if (next) widths.keep(next);
  };
  const stop = () => {
    from.current = null;
    widths.drag(null);
  };
  const keys = (event: KeyboardEvent<HTMLSpanElement>) => {
    if (event.key === "Escape" && from.current) return stop();
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    const step = (event.shiftKey ? 4 : 1) * STEP * (event.key === "ArrowLeft" ? -1 : 1);
    widths.keep(widened(measured(event.currentTarget, widths.now), column, step));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line between columns that is moved is a separator with a value, not an <hr>.
    <span
      ref={handle}
      role="separator"
      className="width-handle no-print"
      aria-orientation="vertical"
      aria-label={`Width of ${label}`}
      aria-valuenow={widths.now[column] ?? drawn}
      aria-valuemin={NARROWEST}
      aria-valuemax={WIDEST}
      tabIndex={0}
      onFocus={look}
      onPointerDown={begin}
      onPointerMove={(event) => from.current && widths.drag(at(event.clientX))}
      onPointerUp={end}
      onPointerCancel={stop}
      onKeyDown={keys}
    />
  );
}

const headOf = (inside: Element | null) => inside?.closest<HTMLElement>("[data-column]");

/** Every column of the row of heads as wide as it is drawn now, and what is kept of those that are hidden. */
function measured(handle: Element, kept: Widths): Widths {
  const heads = headOf(handle)?.parentElement?.querySelectorAll<HTMLElement>(":scope > [data-column]") ?? [];
  return { ...kept, ...Object.fromEntries([...heads].map((head) => [head.dataset.column, head.offsetWidth])) };
}
