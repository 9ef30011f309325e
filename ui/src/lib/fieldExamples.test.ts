import { expect, test } from "vitest";
import type { BrowsedRecord } from "@/api/types";
import { decisionAt, shapeOf, shapesAt, valuesAt } from "@/lib/fieldExamples";

const record = {
  key: "K-1",
  headers: { actor: "otto" },
  value: {
    customer: { email: "anna.k@shop.example", "a.b": "x" },
    items: [{ sku: "B7" }, { sku: null }, { sku: "C9" }],
    attributes: { contact: "0151 234", other: 5 },
  },
} as unknown as BrowsedRecord;

test.each([
  ["key", ["K-1"]],
  ["headers.actor", ["otto"]],
  ["value.customer.email", ["anna.k@shop.example"]],
  ["value.customer.`a.b`", ["x"]],
  ["value.items[].sku", ["B7", "C9"]],
  ["value.attributes{contact}", ["0151 234"]],
  ["value.attributes{}", ["0151 234", 5]],
  ["value.attributes@keys", ["contact", "other"]],
  ["value.customer.toString", []],
  ["value.nowhere.at[].all", []],
  ["elsewhere", []],
])("%s holds %j", (path, values) => expect(valuesAt(record, path)).toEqual(values));

test("a shape keeps the form and no letter or digit", () => {
  expect(shapeOf("anna.K@shop.example")).toBe("aaaa.A@aaaa.aaaaaaa");
  expect(shapeOf("Élodie Müller, 東京 ٣")).toBe("Aaaaaa Aaaaaa, aa 9");
  expect(shapeOf({ A: 17 })).toBe('{"A":99}');
});

test("different shapes, the most frequent first", () => {
  const of = (phone: string) => ({ key: null, headers: null, value: { phone } }) as unknown as BrowsedRecord;
  expect(shapesAt([of("1-2"), of("ab"), of("3-4"), of(" ")], "value.phone")).toEqual(["9-9", "aa"]);
});

test("the decision is that of the column that the path is in", () => {
  const decision = (text: string) => ({ type: "string", decision: { effect: "masked" as const, text } });
  const page = {
    key: decision("key"),
    headers: null,
    columns: [
      { name: "cust", ...decision("other") },
      { name: "customer", ...decision("customer") },
      { name: "a.b", ...decision("quoted") },
    ],
  };
  const of = (path: string) => decisionAt(page as never, path)?.text;
  expect(["key.id", "headers.actor", "value.customer.email", "value.`a.b`", "value.nothing"].map(of)).toEqual([
    "key",
    undefined,
    "customer",
    "quoted",
    undefined,
  ]);
});
