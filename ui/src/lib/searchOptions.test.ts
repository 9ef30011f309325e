import { expect, test } from "vitest";
import { searchOptions, stepped } from "@/lib/searchOptions";

const named = (kind: string, text: string, of: string | null = null) => ({ kind, text, of });
const starred = { place: "prod", name: "orders" };

test("an empty box offers what was searched before and favourites", () => {
  const options = searchOptions(" ", [], ["email"], [starred]);
  expect(options.map(({ kind, text }) => [kind, text])).toEqual([
    ["recent", "email"],
    ["favourite", "orders"],
  ]);
  expect(options[0]?.fills).toBe("email");
  expect(options[1]?.opens).toEqual(starred);
});

test("words become names, and the typed filters stay", () => {
  const options = searchOptions("owner:otto cust em", [named("field", "email", "prod/orders")], ["x"], [starred]);
  expect(options.map((o) => [o.kind, o.note, o.fills])).toEqual([
    ["field", "field of prod/orders", "owner:otto email"],
  ]);
});

test("a filter that is typed becomes its values, and the words before stay", () => {
  const options = searchOptions("card owner:ot", [named("owner", "otto"), named("field", "late")], [], []);
  expect(options.map((o) => o.fills)).toEqual(["card owner:otto "]);
  expect(searchOptions("tag:t", [named("tag", "two words")], [], [])[0]?.fills).toBe('tag:"two words" ');
});

test("names of filters have their place, however many names fit", () => {
  const many = Array.from({ length: 20 }, (_, n) => named("dataset", `owned-${n}`));
  const options = searchOptions("big ow", many, [], []);
  expect(options).toHaveLength(8);
  expect(options.at(-1)).toMatchObject({ kind: "filter", text: "owner:", fills: "big owner:" });
  expect(new Set(options.map((o) => o.id)).size).toBe(8);
});

test("arrows walk the list, to the box above it and out at its end", () => {
  expect([-1, 0, 1].map((at) => stepped(at, 1, 2))).toEqual([0, 1, null]);
  expect([1, 0, -1].map((at) => stepped(at, -1, 2))).toEqual([0, -1, 1]);
  expect(stepped(-1, 1, 0)).toBeNull();
});
