// Columns of a result that stand in it twice: once by name, once more by `*`.
import type { QueryColumn } from "@/api/types";

export interface Rows {
  columns: QueryColumn[];
  rows: unknown[][];
}

/** The same rows without columns whose name came before them. Keeps the order. */
export function withoutRepeats({ columns, rows }: Rows): Rows {
  const first = columns.map((column, i) => columns.findIndex((other) => other.name === column.name) === i);
  if (first.every(Boolean)) return { columns, rows };
  const kept = <T>(of: T[]) => of.filter((_, i) => first[i]);
  return { columns: kept(columns), rows: rows.map(kept) };
}
