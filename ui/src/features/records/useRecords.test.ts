import { expect, test } from "vitest";
import type { Records } from "@/api/types";
import { type Found, joined } from "@/features/records/useRecords";

const NONE: Found = { page: null, records: [], older: null, newer: null, searched: null, running: true, error: null };

function page(offsets: number[], older: string | null, newer: string | null, left: number): Records {
  const records = offsets.map((offset) => ({ offset }));
  return { order: "newest", records, older, newer, searched: { records: 100, left } } as unknown as Records;
}

test("a search goes on until a page is full, and counts what it read", () => {
  const first = joined(NONE, page([9], "c1", null, 50), "older", 2);
  expect([first.running, first.older, first.newer, first.searched]).toEqual([
    true,
    "c1",
    null,
    { records: 100, left: 50 },
  ]);
  const second = joined(first, page([3], "c2", "n", 10), "older", 2);
  expect(second.records.map((r) => r.offset)).toEqual([9, 3]);
  expect([second.running, second.older, second.newer, second.searched]).toEqual([
    false,
    "c2",
    null,
    { records: 200, left: 10 },
  ]);
});

test("a search ends with the topic; one that goes back puts what it finds before", () => {
  expect(joined(NONE, page([], null, null, 0), "older", 2).running).toBe(false);
  const first = joined(NONE, page([5], "o", "n", 5), "newer", 3);
  expect(joined(first, page([8, 7], "o2", null, 0), "newer", 3).records.map((r) => r.offset)).toEqual([8, 7, 5]);
});
