// One record as a tree: each value with its mask and the reason, and a click to filter by it.
import { EyeOff, ListFilter, ListX } from "lucide-react";
import type { BrowsedRecord, Records } from "@/api/types";
import { JsonTree } from "@/components/JsonTree";
import { Tip } from "@/components/Tip";
import { columnReasons, lookOf } from "@/lib/decision";
import { fieldFilter } from "@/lib/recordsAddress";
import { pathIn, sparkType } from "@/lib/sparkType";
import { sqlQuote } from "@/lib/sql";

export type AddFilter = (filter: string) => void;

/** Where a value is: its path, and what was decided on the column that it is in. */
function placeOf(page: Records, steps: (string | number)[]) {
  const [part, ...rest] = steps;
  if (part === "key" && page.key) {
    return { path: pathIn("key", sparkType(page.key.type), rest), decision: page.key.decision };
  }
  if (part === "headers" && page.headers) {
    return { path: `headers.${quoted(String(rest[0]))}`, decision: page.headers.decision };
  }
  const column = page.columns.find((c) => c.name === rest[0]);
  if (part !== "value" || !column) return null;
  const scalar = page.columns.length === 1 && column.name === "value" && !column.type.startsWith("struct");
  const root = scalar ? "value" : `value.${quoted(column.name)}`;
  return { path: pathIn(root, sparkType(column.type), rest.slice(1)), decision: column.decision };
}

function quoted(name: string): string {
  return /^[^.[\]{}@`]+$/.test(name) ? name : sqlQuote(name);
}

export function RecordTree({
  page,
  record,
  filter,
  addFilter,
}: {
  page: Records;
  record: BrowsedRecord;
  filter: string;
  addFilter?: AddFilter | undefined;
}) {
  const shown = { key: record.key, headers: record.headers, value: record.value };
  const beside = (steps: (string | number)[], value: unknown) => {
    const place = placeOf(page, steps);
    if (!place?.path) return null;
    const { path, decision } = place;
    const hidden = ["masked", "withheld"].includes(lookOf(decision));
    const why = hidden ? columnReasons(decision).filter((line) => line.startsWith(`${path}:`)) : [];
    const equal = fieldFilter(path, value, true);
    const unequal = fieldFilter(path, value, false);
    return (
      <span className="record-beside">
        {(why.length > 0 || (hidden && decision.fields?.includes(path))) && (
          <Tip text={why.join(" ") || decision.text}>
            <button type="button" className="badge mask" aria-label={`Masked: ${why.join(" ") || decision.text}`}>
              <EyeOff size={11} aria-hidden />
              masked
            </button>
          </Tip>
        )}
        {addFilter && equal && unequal && (
          <span className="record-filters">
            <button
              type="button"
              className="link"
              aria-label={`Only records where ${equal}`}
              title="Only records with this value"
              onClick={() => addFilter(equal)}
            >
              <ListFilter size={13} aria-hidden />
            </button>
            <button
              type="button"
              className="link"
              aria-label={`Only records where ${unequal}`}
              title="Only records without this value"
              onClick={() => addFilter(unequal)}
            >
              <ListX size={13} aria-hidden />
            </button>
          </span>
        )}
      </span>
    );
  };
  return <JsonTree value={shown} filter={filter} beside={beside} />;
}
