import type { BrowsedRecord } from "@/api/types";

/** The record as JSON text. */
export function recordText(record: BrowsedRecord, indent?: number): string {
  const { partition, offset, timestamp, key, headers, value } = record;
  const place = offset == null ? {} : { partition, offset };
  return JSON.stringify({ ...place, timestamp, key, headers, value }, null, indent);
}
