// The rows in an event of a push query: one row or several, as lists or as objects.
import type { QueryColumn } from "@/api/types";

export function rowsOf(data: unknown, columns: QueryColumn[]): unknown[][] {
  if (data === null || typeof data !== "object") return [];
  if (Array.isArray(data)) {
    return data.every(Array.isArray) && data.length > 0 && columns.length !== data.length ? data : [data];
  }
  const { rows, row } = data as { rows?: unknown[][]; row?: unknown[] };
  if (Array.isArray(rows)) return rows;
  if (Array.isArray(row)) return [row];
  const record = data as Record<string, unknown>;
  return columns.length > 0 ? [columns.map((c) => record[c.name])] : [Object.values(record)];
}
