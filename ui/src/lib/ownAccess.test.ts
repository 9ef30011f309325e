import { expect, test } from "vitest";
import { readable, whoGrants } from "@/lib/ownAccess";

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
