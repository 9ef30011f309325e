import { expect, test } from "vitest";
import type { AccessRequest } from "@/api/types";
import { partOf, wholeChoice } from "@/features/access_requests/PartForm";
import { isInside, toggled } from "@/lib/fieldParts";

test("a field is inside the one around it", () => {
  expect(isInside("value.a.b", "value.a")).toBe(true);
  expect(isInside("value.ab", "value.a")).toBe(false);
  expect(isInside("value.m{contact}", "value.m{}")).toBe(true);
  expect(isInside("value.m{contact}.x", "value.m{}")).toBe(true);
  expect(isInside("value.items[].sku", "value.items[]")).toBe(true);
  expect(isInside("value.a", "value.a")).toBe(false);
  expect(isInside("value.a.b", "value.a.b.c")).toBe(false);
});

test("leaving a field out leaves out what is around it", () => {
  const all = ["value.m{}", "value.m{contact}", "value.x"];
  expect([...toggled(new Set(all), "value.m{contact}", all)]).toEqual(["value.x"]);
  expect([...toggled(new Set(["value.x"]), "value.m{}", all)].sort()).toEqual([...all].sort());
});

const request = {
  opens: [
    { path: "value.a", entities: [], clear: true },
    { path: "value.b", entities: [], clear: true },
    { path: "value.c", entities: [], clear: false },
  ],
} as unknown as AccessRequest;

test("an approval of everything sends no part", () => {
  expect(partOf(request, wholeChoice(request), 0)).toEqual({});
});

test("an approval in part sends what is left", () => {
  const fewer = { ...wholeChoice(request), fields: new Set(["value.a", "value.c"]) };
  expect(partOf(request, fewer, 0)).toEqual({ fields: ["value.a", "value.c"] });
  const masked = { ...wholeChoice(request), unmask: new Set(["value.a"]), days: "2" };
  expect(partOf(request, masked, 0)).toEqual({ unmask: ["value.a"], until: "1970-01-03T00:00:00.000Z" });
  expect(partOf(request, { ...wholeChoice(request), unmask: new Set<string>() }, 0)).toEqual({ unmask: [] });
});
