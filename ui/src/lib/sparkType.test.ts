import { expect, test } from "vitest";
import { pathIn, sparkType } from "@/lib/sparkType";

const order = sparkType(
  "struct<name:string,items:array<struct<sku:string,tags:map<string,decimal(12,2)>>>,ok:boolean>",
);

test.each([
  [["name"], "value.c.name"],
  [["items", 3, "sku"], "value.c.items[].sku"],
  [["items", 0, "tags", "a b"], "value.c.items[].tags{a b}"],
  [["items", 0, "tags", "a.b"], "value.c.items[].tags{`a.b`}"],
  [[], "value.c"],
])("the path of %j", (steps, path) => {
  expect(pathIn("value.c", order, steps as (string | number)[])).toBe(path);
});

test("places that a type does not have have no path", () => {
  expect(pathIn("value.c", order, ["nothing"])).toBeNull();
  expect(pathIn("value.c", order, ["name", "more"])).toBeNull();
  expect(pathIn("value.c", sparkType("odd"), ["a"])).toBeNull();
});
