import { expect, test } from "vitest";
import {
  columnIds,
  NARROWEST,
  nextOrder,
  ordered,
  readSettings,
  toggled,
  USUAL,
  untouched,
  WIDEST,
  widened,
} from "@/lib/tableSettings";

test("settings are found by their table", () => {
  const kept = [
    { table: "audit", hidden: ["what"], widths: { on: 300 }, wrap: false },
    { table: "views", hidden: [], widths: {} },
  ];
  expect(readSettings(kept, "audit")).toEqual({ table: "audit", hidden: ["what"], widths: { on: 300 }, wrap: false });
  expect(readSettings(kept, "views")).toEqual({ table: "views", hidden: [], widths: {} });
  expect(readSettings(kept, "people")).toEqual({ table: "people", hidden: [], widths: {} });
});

test.each([
  ["no entries", []],
  ["other things", [null, 7, "audit", ["audit"]]],
  ["parts of other kinds", [{ table: "audit", hidden: "what", widths: [1, 2].slice(2), wrap: "yes" }]],
  ["widths that are no numbers", [{ table: "audit", widths: { on: "300", what: null, who: Number.NaN } }]],
])("kept settings that are %s leave the table as it is by itself", (_, kept) => {
  const settings = readSettings(kept, "audit");
  expect(settings).toEqual({ table: "audit", hidden: [], widths: {} });
  expect(untouched(settings)).toBe(true);
});

test("the good part of kept settings is used, and a width is never beyond its bounds", () => {
  const kept = [{ table: "audit", hidden: ["what", 3], widths: { on: 1e9, who: -4, what: 99.6 }, wrap: true }];
  expect(readSettings(kept, "audit")).toEqual({
    table: "audit",
    hidden: ["what"],
    widths: { on: WIDEST, who: NARROWEST, what: 100 },
    wrap: true,
  });
});

test("a drag changes one width and keeps the others as they are on the screen", () => {
  const now = { who: 100, what: 200 };
  expect(widened(now, "who", 35)).toEqual({ who: 135, what: 200 });
  expect(widened(now, "who", -500)).toEqual({ who: NARROWEST, what: 200 });
  expect(widened(now, "what", 99_999)).toEqual({ who: 100, what: WIDEST });
  expect(widened(now, "on", 10)).toEqual({ who: 100, what: 200, on: USUAL + 10 });
  expect(now).toEqual({ who: 100, what: 200 });
});

test("a column is hidden and shown again", () => {
  expect(toggled(["a"], "b")).toEqual(["a", "b"]);
  expect(toggled(["a", "b"], "a")).toEqual(["b"]);
});

test("columns of one name are told apart", () => {
  expect(columnIds(["id", "email", "id", "id"])).toEqual(["id", "email", "id 2", "id 3"]);
});

test("a head is clicked three times", () => {
  const up = nextOrder(null, "who");
  expect(up).toEqual({ by: "who", down: false });
  const down = nextOrder(up, "who");
  expect(down).toEqual({ by: "who", down: true });
  expect(nextOrder(down, "who")).toBeNull();
  expect(nextOrder(down, "what")).toEqual({ by: "what", down: false });
});

test("rows are sorted by numbers as numbers, by words as people count, and those without a key come last", () => {
  expect(ordered([10, 9, null, 100], false)).toEqual([1, 0, 3, 2]);
  expect(ordered([10, 9, null, 100], true)).toEqual([3, 0, 1, 2]);
  expect(ordered(["topic-10", "Topic-9", "", undefined], false)).toEqual([1, 0, 2, 3]);
});

test("rows of one key keep their order, either way", () => {
  expect(ordered([1, 0, 1, 0], false)).toEqual([1, 3, 0, 2]);
  expect(ordered([1, 0, 1, 0], true)).toEqual([0, 2, 1, 3]);
});
