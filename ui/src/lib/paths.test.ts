import { expect, test } from "vitest";
import { lastName, parsePath, sqlName, stepText } from "@/lib/paths";

const PATHS = [
  "key",
  "value.customer.email",
  "value.items[].sku",
  "value.attributes{}",
  "value.attributes{contact}",
  "value.attributes@keys",
  "value.`a.b`.c",
  "value.`back``quote`",
  "headers.reply-to",
  "value[][].x",
];

test.each(PATHS)("%s reads and writes back the same", (path) => {
  expect(parsePath(path)?.map(stepText).join("")).toBe(path);
});

test.each(["", "customer.email", "value..x", "value.", "value[0]"])("%s is no path", (text) => {
  expect(parsePath(text)).toBeNull();
});

test("the last name is what people call a field", () => {
  expect(lastName("value.items[].sku")).toBe("sku");
  expect(lastName("value.attributes{contact}")).toBe("contact");
  expect(lastName("value.tags[]")).toBe("tags");
  expect(lastName("key")).toBe("key");
});

test("names in SQL", () => {
  expect(sqlName("value.customer.email")).toBe("customer.email");
  expect(sqlName("value.`a.b`")).toBe("`a.b`");
  expect(sqlName("key")).toBe("_key");
  expect(sqlName("key.id")).toBe("_key.id");
  expect(sqlName("headers.trace")).toBe("_headers['trace']");
  expect(sqlName("value.items[].sku")).toBeNull();
});
