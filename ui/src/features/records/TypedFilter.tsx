// A filter over the records that are read already, and what it found of them.
import { Filter } from "lucide-react";
import type { BrowsedRecord } from "@/api/types";
import { NEWEST, type Newest } from "@/features/records/useNewest";
import { count, plural } from "@/lib/format";
import type { View } from "@/lib/recordsAddress";

/** Records of a list that are drawn at once; the table draws those in sight. */
export const DRAWN = 200;

export function TypedFilter({ value, change }: { value: string; change: (text: string) => void }) {
  return (
    <div className="find">
      <Filter size={15} aria-hidden />
      <input
        className="input"
        aria-label="Filter as you type"
        placeholder={`Filter ${count(NEWEST)} records as you type`}
        value={value}
        onChange={(e) => change(e.target.value)}
      />
    </div>
  );
}

/** How many fit of those that were read, and what the filter did not look at. */
export function typedStatus(newest: Newest, records: BrowsedRecord[], view: View): string {
  const cut = newest.records.filter((record) => record.cut).length;
  const parts = [`${count(records.length)} of ${plural(newest.records.length, "record")} fit`];
  if (view !== "table" && records.length > DRAWN) parts.push(`The first ${DRAWN} are drawn`);
  if (cut > 0) parts.push(`${plural(cut, "record")} cut, looked at as far as shown`);
  if (newest.running && newest.error === null) parts.push("Reading more …");
  return parts.join(". ");
}
