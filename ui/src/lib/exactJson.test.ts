import { expect, test } from "vitest";
import { exactJson } from "@/lib/exactJson";

test("a whole number that the browser would round keeps its digits", () => {
  expect(exactJson("[9007199254740993, -9223372036854775808, 9007199254740991]")).toEqual([
    "9007199254740993",
    "-9223372036854775808",
    9007199254740991,
  ]);
  expect(exactJson('{"rows":[[{"id":1234567890123456789}]]}')).toEqual({ rows: [[{ id: "1234567890123456789" }]] });
});

test("all else is read as it is", () => {
  const others = [
    '{"a":"9007199254740993, \\"9007199254740993\\" \\\\","b":1}',
    "[0.12345678901234567, 12345678901234567890.5, 1e22, 12345678901234567e2, 1.5E-12345678901234567]",
    `["${"x".repeat(1_000_000)}12345678901234567890"]`,
    '{"12345678901234567890":null}',
    "[]",
  ];
  for (const text of others) expect(exactJson(text)).toEqual(JSON.parse(text));
});
