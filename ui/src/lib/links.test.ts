import { expect, test } from "vitest";
import { askedFields, links } from "@/lib/links";

const fieldsOf = (fields: string[]) =>
  askedFields(new URL(links.ask("prod/orders", fields), "http://weir").searchParams);

test("a link to a request has the fields that it was made of, whatever is in their names", () => {
  for (const fields of [[], ["value.a"], ["value.a", "value.b"], ["value.`a,b`"], ["value.`a,b`", "key"]])
    expect(fieldsOf(fields)).toEqual(fields);
});

test("a link with commas between fields is read as before", () => {
  expect(askedFields(new URLSearchParams("fields=value.a,value.b"))).toEqual(["value.a", "value.b"]);
});
