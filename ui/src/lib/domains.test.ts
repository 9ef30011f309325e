import { expect, test } from "vitest";
import { firstPolicy, mayWords, peopleText } from "@/lib/domains";

test("what one may do is listed in one order, and nothing for nobody", () => {
  expect(mayWords(["scan", "edit"])).toEqual(["edit descriptions, tags and terms", "scan its topics"]);
  expect(mayWords([])).toEqual([]);
});

test("users come before groups, which are named as such", () => {
  expect(peopleText({ users: ["ada"], groups: ["hr-leads"] })).toBe("ada, group hr-leads");
  expect(peopleText({ users: [], groups: [] })).toBe("");
});

test("a new policy belongs to the domain and begins with its name", () => {
  const text = firstPolicy("hr", "prod/hr.*");
  expect(text).toContain("metadata: {name: hr.mask, domain: hr}");
  expect(text).toContain('datasets: ["prod/hr.*"]');
});
