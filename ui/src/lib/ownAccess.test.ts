import { expect, test } from "vitest";
import { readable, seesAll, whoGrants } from "@/lib/ownAccess";

const own = (shows: string[], notes: string[] = []) =>
  ({ entries: shows.map((each) => ({ shows: each })), notes, gone: null }) as unknown as Parameters<typeof readable>[0];

test("a dataset is readable when anything of it shows, for any purpose", () => {
  expect(readable(own(["none", "masked"]))).toBe(true);
  expect(readable(own(["clear"]))).toBe(true);
  expect(readable(own(["none"]))).toBe(false);
});

test("what is not known is not held against anybody", () => {
  expect(readable(undefined)).toBeUndefined();
  expect(readable(own([]))).toBeUndefined();
  expect(readable(own(["none"], ["what a provider gives is unknown."]))).toBeUndefined();
});

test("owners grant access, or those who manage where there is none", () => {
  expect(whoGrants(["otto"], "admin can")).toBe("otto can grant access");
  expect(whoGrants(["otto", "group:team-orders"], "admin can")).toBe("otto or group team-orders can grant access");
  expect(whoGrants([], "admin can")).toBe("admin can grant access");
});

const entry = (more: object = {}) => ({
  entries: [
    {
      shows: "clear",
      purpose: null,
      until: null,
      fields: { clear: 3, masked: 0, hidden: 0 },
      rows: [],
      clearWhen: [],
      ...more,
    },
  ] as unknown as NonNullable<Parameters<typeof seesAll>[0]>["entries"],
});

test("a request opens nothing more for a person who sees every field of every row for ever", () => {
  expect(seesAll(entry())).toBe(true);
  expect(seesAll(undefined)).toBe(false);
  expect(seesAll({ entries: [] })).toBe(false);
});

test.each([
  ["a field is masked", { shows: "partly", fields: { clear: 2, masked: 1, hidden: 0 } }],
  ["a field is hidden", { fields: { clear: 2, masked: 0, hidden: 1 } }],
  ["only some rows are shown", { rows: ["region = 'eu'"] }],
  ["a mask is lifted in some rows only", { clearWhen: ["region = 'eu'"] }],
  ["it is for one purpose", { purpose: "care" }],
  ["it ends", { until: "2026-12-03T15:00:15Z" }],
])("a request can open more where %s", (_, more) => {
  expect(seesAll(entry(more))).toBe(false);
});
