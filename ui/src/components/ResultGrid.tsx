// Rows of a query. The header says of each column how it is shown and why; only rows in sight are drawn.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import type { QueryColumn, Reason } from "@/api/types";
import { ColumnHead } from "@/components/ColumnHead";
import { RecordView } from "@/components/RecordView";
import { lookOf } from "@/lib/decision";
import { cellText } from "@/lib/format";
import "@/styles/grid.css";

const ROW = 30;

export function ResultGrid({
  columns,
  rows,
  dataset,
  reasons = [],
  fill = true,
  onOpen,
}: {
  columns: QueryColumn[];
  rows: unknown[][];
  dataset?: string | undefined;
  reasons?: Reason[];
  fill?: boolean;
  /** What opens a row, in place of the dialog with its columns. */
  onOpen?: (index: number) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<unknown[] | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 15,
  });
  const widths = columns.map(width);
  const template = `52px ${widths.map((w) => `minmax(${w}px, 1fr)`).join(" ")}`;
  const least = 52 + widths.reduce((sum, w) => sum + w, 0);
  return (
    <>
      <div
        ref={scroller}
        className={`grid ${fill ? "fill" : ""}`}
        role="table"
        aria-label="Result"
        aria-rowcount={rows.length + 1}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
      >
        <div role="rowgroup" className="grid-head-group">
          <div role="row" className="grid-row grid-head" style={{ gridTemplateColumns: template, minWidth: least }}>
            <span role="columnheader" className="muted">
              #
            </span>
            {columns.map((column, i) => (
              <ColumnHead key={i} column={column} dataset={dataset} reasons={reasons} />
            ))}
          </div>
        </div>
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((item) => (
            <div
              key={item.index}
              role="row"
              aria-rowindex={item.index + 2}
              className="grid-row"
              style={{
                gridTemplateColumns: template,
                minWidth: least,
                height: ROW,
                top: item.start,
                position: "absolute",
              }}
            >
              <span role="cell">
                <button
                  type="button"
                  className="link muted"
                  aria-label={`Open row ${item.index + 1}`}
                  onClick={() => (onOpen ? onOpen(item.index) : setOpened(rows[item.index] ?? null))}
                >
                  {item.index + 1}
                </button>
              </span>
              {columns.map((_, i) => (
                <Cell key={i} value={rows[item.index]?.[i]} />
              ))}
            </div>
          ))}
        </div>
      </div>
      {opened && <RecordView columns={columns.map((c) => c.name)} row={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined) {
    return (
      <span role="cell" className="muted">
        null
      </span>
    );
  }
  // A cell draws its beginning only: one record of 300 kB must not hold up the page.
  const text = cellText(value);
  return (
    <span role="cell" className={typeof value === "number" ? "mono right" : "mono"}>
      {text.length > 300 ? `${text.slice(0, 300)}…` : text}
    </span>
  );
}

function width(column: QueryColumn): number {
  if (/^(struct|map|array)/.test(column.type)) return 280;
  if (column.type === "timestamp") return 232; // microseconds and the zone: the beginning alone says the day
  if (column.type === "int") return Math.max(96, column.name.length * 9 + 30);
  const mask = lookOf(column.decision) === "clear" ? 0 : 150;
  return Math.max(130, Math.min(260, column.name.length * 9 + 60)) + mask;
}
