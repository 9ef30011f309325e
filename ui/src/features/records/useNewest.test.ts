import { expect, test } from "vitest";
import type { BrowsedRecord, Records } from "@/api/types";
import { grown, NEWEST, type Newest, shows } from "@/features/records/useNewest";

const NONE: Newest = { page: null, records: [], running: true, error: null };

function page(count: number, older: string | null): Records {
  return { records: Array.from({ length: count }, (_, offset) => ({ offset })), older } as unknown as Records;
}

test("records are read until there are enough or the topic ends", () => {
  const first = grown(NONE, page(500, "c"), "older");
  expect([first.records.length, first.running]).toEqual([500, true]);
  expect(grown(first, page(3, null), "older")).toMatchObject({ running: false, error: null });
  const full = grown(first, page(NEWEST, "c"), "older");
  expect([full.records.length, full.running]).toEqual([NEWEST, false]);
});

test("a filter looks at what is shown, whatever the case", () => {
  const record = { partition: 0, offset: 7, key: "K-7", headers: {}, value: { email: "xxxx@Example.eu" } };
  const shown = record as unknown as BrowsedRecord;
  expect(["k-7", "EXAMPLE", "xxxx@"].map((text) => shows(shown, text))).toEqual([true, true, true]);
  expect(shows(shown, "anna")).toBe(false);
});
