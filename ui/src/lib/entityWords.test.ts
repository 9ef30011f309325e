import { expect, test } from "vitest";
import { entityNamed, entityWords, kindsToChoose } from "@/lib/entityWords";

test.each([
  ["EMAIL_ADDRESS", "e-mail address"],
  ["PERSON", "name of a person"],
  ["LOYALTY_NUMBER", "loyalty number"],
  ["DE_TAX_ID", "DE tax ID"],
  ["NL_BSN", "NL BSN"],
  ["MEMBER_ID", "member ID"],
  ["GOLD", "GOLD"],
  ["domain.sales", "domain.sales"],
  ["constructor", "constructor"],
])("%s is %s", (name, words) => expect(entityWords(name)).toBe(words));

test("words and names mean the same entity", () => {
  expect(entityNamed("Phone number", [])).toBe("PHONE_NUMBER");
  expect(entityNamed("loyalty number", ["LOYALTY_NUMBER"])).toBe("LOYALTY_NUMBER");
  expect(entityNamed("PHONE_NUMBER", [])).toBe("PHONE_NUMBER");
  expect(entityNamed("something", [])).toBe("something");
});

test("kinds to choose from are sorted by their words, one's own among them", () => {
  const kinds = kindsToChoose(["LOYALTY_NUMBER", "PERSON"]);
  expect(kinds).not.toContain("PII");
  expect(kinds.filter((name) => name === "PERSON")).toHaveLength(1);
  expect(kinds.indexOf("LOYALTY_NUMBER")).toBe(kinds.indexOf("MAC_ADDRESS") - 1);
});
