import { expect, test } from "vitest";
import { GOES, PAGES, pagesFor } from "@/lib/pages";

test("each letter goes to one place, and none is taken by another key of every page", () => {
  const letters = GOES.map(({ key }) => key);
  expect(new Set(letters).size).toBe(letters.length);
  for (const taken of ["g", "j", "?", "/"]) expect(letters).not.toContain(taken);
});

test("a page that needs a permission or a connector is left out for who has none", () => {
  const none = pagesFor(PAGES, () => false, false, false).map(({ to }) => to);
  expect(none).not.toContain("/audit");
  expect(none).not.toContain("/connectors");
  expect(none).not.toContain("/domains");
  expect(pagesFor(PAGES, () => false, false, true).map(({ to }) => to)).toContain("/domains");
  expect(none).toContain("/access-reviews");
  expect(pagesFor(GOES, () => true, true, true)).toEqual(GOES);
});
