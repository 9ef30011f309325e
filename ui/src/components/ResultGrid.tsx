// Rows of a query. The header says of each column how it is shown and why; only rows in sight are drawn.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, useEffect, useMemo, useRef, useState } from "react";
import type { QueryColumn, Reason } from "@/api/types";
import { ColumnHead } from "@/components/ColumnHead";
import { RecordView } from "@/components/RecordView";
import { TableTools } from "@/components/TableTools";
import { useColumnWidths, WidthHandle } from "@/components/WidthHandle";
import { lookOf } from "@/lib/decision";
import { cellText } from "@/lib/format";
import { useTableSettings } from "@/lib/kept";
import { arrows } from "@/lib/listKeys";
import { columnIds } from "@/lib/tableSettings";
import { exactLocalTime } from "@/lib/times";
import "@/styles/grid.css";

const ROW = 30;
const PLACE = 52;

export function ResultGrid({
  table,
  columns,
  rows,
  dataset,
  reasons = [],
  fill = true,
  onOpen,
}: {
  /** What the settings of the columns are kept under; results of the same columns share them. */
  table: string;
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
  const ids = useMemo(() => columnIds(columns.map(({ name }) => name)), [columns]);
  const { known, settings, change } = useTableSettings(table);
  const widths = useColumnWidths(settings.widths, (widths) => change({ widths }));
  const shown = columns
    .map((column, at) => ({ column, at, id: ids[at] ?? column.name }))
    .filter(({ id }) => !settings.hidden.includes(id));
  const wrap = settings.wrap ?? false;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 15,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that were measured while text wrapped are forgotten.
  useEffect(() => virtual.measure(), [wrap]);
  const sizes = shown.map(({ id, column }) => ({ kept: widths.now[id], usual: width(column) }));
  const least = PLACE + sizes.reduce((sum, { kept, usual }) => sum + (kept ?? usual), 0);
  const template = sizes.map(({ kept, usual }) => (kept ? `${kept}px` : `minmax(${usual}px, 1fr)`)).join(" ");
  // Widths stand once, at the grid: a drag does not write them to every row.
  const sized = { "--columns": `${PLACE}px ${template}`, "--least": `${least}px` } as CSSProperties;
  return (
    <>
      <TableTools
        label="the result"
        columns={columns.map(({ name }, at) => ({ id: ids[at] ?? name, head: ids[at] ?? name }))}
        settings={settings}
        wrap={wrap}
        known={known}
        onChange={change}
      />
      <div
        ref={scroller}
        className={`grid ${fill ? "fill" : ""} ${wrap ? "wrap" : ""}`}
        style={sized}
        role="table"
        aria-label="Result"
        aria-rowcount={rows.length + 1}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
      >
        <div role="rowgroup" className="grid-head-group">
          <div role="row" className="grid-row grid-head">
            <span role="columnheader" className="muted">
              #
            </span>
            {shown.map(({ id, column }) => (
              <ColumnHead key={id} id={id} column={column} dataset={dataset} reasons={reasons}>
                <WidthHandle column={id} label={id} widths={widths} />
              </ColumnHead>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className="grid-body"
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={arrows("[data-row]", null)}
        >
          {virtual.getVirtualItems().map((item) => (
            <div
              key={item.index}
              ref={wrap ? virtual.measureElement : undefined}
              data-index={item.index}
              role="row"
              aria-rowindex={item.index + 2}
              className="grid-row"
              style={{ height: wrap ? undefined : ROW, top: item.start, position: "absolute" }}
            >
              <span role="cell">
                <button
                  type="button"
                  className="link muted"
                  data-row
                  aria-label={`Open row ${item.index + 1}`}
                  onClick={() => (onOpen ? onOpen(item.index) : setOpened(rows[item.index] ?? null))}
                >
                  {item.index + 1}
                </button>
              </span>
              {shown.map(({ id, at, column }) => (
                <Cell key={id} value={rows[item.index]?.[at]} type={column.type} />
              ))}
            </div>
          ))}
        </div>
      </div>
      {opened && <RecordView columns={columns.map((c) => c.name)} row={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

function Cell({ value, type }: { value: unknown; type: string }) {
  if (value === null || value === undefined) {
    return (
      <span role="cell" className="muted">
        null
      </span>
    );
  }
  if (type === "timestamp" && typeof value === "string") {
    return (
      <time role="cell" className="mono" dateTime={value} title={value}>
        {exactLocalTime(value)}
      </time>
    );
  }
  // A cell draws its beginning only: one record of 300 kB must not hold up the page.
  const text = cellText(value);
  return (
    <span role="cell" className={typeof value === "number" || type === "bigint" ? "mono right" : "mono"}>
      {text.length > 300 ? `${text.slice(0, 300)}…` : text}
    </span>
  );
}

function width(column: QueryColumn): number {
  if (/^(struct|map|array)/.test(column.type)) return 280;
  if (column.type === "timestamp") return 208; // with the fraction of a second
  if (column.type === "int") return Math.max(96, column.name.length * 9 + 30);
  const mask = lookOf(column.decision) === "clear" ? 0 : 150;
  return Math.max(130, Math.min(260, column.name.length * 9 + 60)) + mask;
}
