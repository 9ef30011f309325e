import { expect, test } from "vitest";
import { recordsQuery } from "@/api/records";
import { changed, fieldFilter, fromOf, readAsked, readView } from "@/lib/recordsAddress";

const at = (text: string) => new URLSearchParams(text);

test("an address is what it asks for; what is not known is left out", () => {
  expect(recordsQuery(readAsked(at("")))).toEqual({ order: "newest", limit: 50 });
  expect(recordsQuery(readAsked(at("order=odd&partition=x&offset=-1&time=no&in=all")))).toEqual({
    order: "newest",
    limit: 50,
  });
  const full = "order=oldest&partition=2&offset=0&time=2026-03-01T12:00:00Z&text=a&in=key&key=k&field=value.a%3D1";
  expect(recordsQuery(readAsked(at(full)))).toEqual({
    order: "oldest",
    limit: 50,
    partition: 2,
    offset: 0,
    time: "2026-03-01T12:00:00Z",
    text: "a",
    in: ["key"],
    key: "k",
    field: ["value.a=1"],
  });
  expect(readView(at("view=odd"))).toBe("table");
  expect(fromOf(readAsked(at("offset=0")))).toBe("offset");
});

test("another question begins at its first page, another view stays where it is", () => {
  expect(changed(at("cursor=c&text=a"), { text: "b" }).toString()).toBe("text=b");
  expect(changed(at("cursor=c&text=a"), { view: "raw" }).toString()).toBe("cursor=c&text=a&view=raw");
  expect(changed(at("field=a&field=b"), { field: ["b", "c"] }).toString()).toBe("field=b&field=c");
});

test.each([
  ["EU", true, "value.a=EU"],
  ["EU", false, "value.a!=EU"],
  [null, true, "value.a="],
  ["", true, 'value.a=""'],
  [1.5, true, "value.a=1.5"],
  [{ a: 1 }, true, null],
  ["x".repeat(2000), true, null],
])("a click on %j", (value, equal, filter) => {
  expect(fieldFilter("value.a", value, equal)).toBe(filter);
});
