// A table of the pages. Its columns are chosen, sized and sorted; long text wraps or not; the first column stays in sight.
import { ArrowDown, ArrowUp } from "lucide-react";
import { Fragment, type Key, memo, type ReactNode, useMemo, useState } from "react";
import { TableTools } from "@/components/TableTools";
import { type ColumnWidths, useColumnWidths, WidthHandle } from "@/components/WidthHandle";
import { useTableSettings } from "@/lib/kept";
import { stepRows } from "@/lib/listKeys";
import { nextOrder, type Order, ordered, type SortKey, USUAL } from "@/lib/tableSettings";

export interface Column<T> {
  /** The name that its settings are kept under. */
  id: string;
  head: string;
  cell: (row: T, at: number) => ReactNode;
  /** Of the head and of the cells. */
  className?: string;
  /** What rows are sorted by; without it the column does not sort. */
  sort?: (row: T) => SortKey;
  /** Buttons, or a box to tick: the head is for screen readers alone, and the column is always shown. */
  tool?: boolean;
}

interface Rows<T> {
  rows: readonly T[];
  rowKey: (row: T, at: number) => Key;
  /** A line under a row, over all columns. */
  below?: ((row: T) => ReactNode) | undefined;
  current?: ((row: T) => boolean) | undefined;
}

export function DataTable<T>({
  table,
  label,
  columns: given,
  ...body
}: Rows<T> & {
  /** The name that the settings are kept under. */
  table: string;
  label: string;
  columns: readonly (Column<T> | false)[];
}) {
  const { known, settings, change } = useTableSettings(table);
  const widths = useColumnWidths(settings.widths, (widths) => change({ widths }));
  const [order, setOrder] = useState<Order | null>(null);
  const columns = useMemo(() => given.filter((column) => column !== false), [given]);
  const first = columns.find((column) => !column.tool)?.id;
  const shown = useMemo(
    () => columns.filter(({ id, tool }) => tool || id === first || !settings.hidden.includes(id)),
    [columns, first, settings.hidden],
  );
  const wrap = settings.wrap ?? true;
  const sized = shown.some(({ id }) => widths.now[id] !== undefined);
  const width = (column: Column<T>) => sizeOf(widths.now[column.id] ?? USUAL, column.id === first);
  return (
    <>
      <TableTools
        label={label}
        columns={columns.filter(({ tool }) => !tool).map(({ id, head }) => ({ id, head, always: id === first }))}
        settings={settings}
        wrap={wrap}
        known={known}
        onChange={change}
      />
      <section
        className="table-wrap"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={(event) => event.currentTarget.toggleAttribute("data-scrolled", event.currentTarget.scrollLeft > 0)}
      >
        <table
          className={`table data ${wrap ? "" : "one-line"} ${sized ? "sized" : ""}`}
          aria-label={label}
          style={sized ? { width: `calc(${shown.map(width).join(" + ")})` } : undefined}
        >
          {sized && (
            <colgroup>
              {shown.map((column) => (
                <col key={column.id} style={{ width: width(column) }} />
              ))}
            </colgroup>
          )}
          <thead>
            <tr>
              {shown.map((column) => (
                <Head
                  key={column.id}
                  column={column}
                  pinned={column.id === first || column === shown[0]}
                  order={order}
                  onOrder={setOrder}
                  widths={widths}
                />
              ))}
            </tr>
          </thead>
          <Body columns={shown} first={first} order={order} {...body} />
        </table>
      </section>
    </>
  );
}

/** The column that stays in sight leaves room for the others on a narrow screen. */
const sizeOf = (width: number, first: boolean) => (first ? `min(${width}px, 55vw)` : `${width}px`);

function Head<T>({
  column,
  pinned,
  order,
  onOrder,
  widths,
}: {
  column: Column<T>;
  pinned: boolean;
  order: Order | null;
  onOrder: (order: Order | null) => void;
  widths: ColumnWidths;
}) {
  const { id, head, sort, tool } = column;
  const here = order?.by === id ? order : null;
  const Arrow = here?.down ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      data-column={id}
      className={classes(column, pinned)}
      aria-sort={sort && (here ? (here.down ? "descending" : "ascending") : "none")}
    >
      {tool ? (
        <span className="visually-hidden">{head}</span>
      ) : sort ? (
        <button type="button" className="sort" onClick={() => onOrder(nextOrder(order, id))}>
          {head} {here && <Arrow size={12} aria-hidden />}
        </button>
      ) : (
        head
      )}
      {!tool && <WidthHandle column={id} label={head} widths={widths} />}
    </th>
  );
}

const classes = <T,>({ className = "", tool }: Column<T>, pinned: boolean) =>
  `${className} ${tool ? "tool" : ""} ${pinned ? "pinned" : ""}`.trim() || undefined;

/** Drawn again for other rows, columns or another order only: not at every step of a drag. */
const Body = memo(BodyOf) as typeof BodyOf;

function BodyOf<T>({
  columns,
  first,
  order,
  rows,
  rowKey,
  below,
  current,
}: Rows<T> & { columns: Column<T>[]; first: string | undefined; order: Order | null }) {
  const sort = columns.find(({ id }) => id === order?.by)?.sort;
  const places = sort ? ordered(rows.map(sort), order?.down ?? false) : rows.keys();
  return (
    <tbody data-rows onKeyDown={stepRows}>
      {[...places].map((at) => {
        const row = rows[at] as T;
        const under = below?.(row);
        return (
          <Fragment key={rowKey(row, at)}>
            <tr aria-current={current?.(row) ? "true" : undefined}>
              {columns.map((column) => (
                <td key={column.id} className={classes(column, column.id === first || column === columns[0])}>
                  {column.cell(row, at)}
                </td>
              ))}
            </tr>
            {under && (
              <tr className="below">
                <td colSpan={columns.length}>{under}</td>
              </tr>
            )}
          </Fragment>
        );
      })}
    </tbody>
  );
}
