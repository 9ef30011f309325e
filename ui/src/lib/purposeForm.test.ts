import { expect, test } from "vitest";
import type { DeclaredDocument } from "@/api/types";
import { NEW_PURPOSE, purposeDocument, purposeFits, purposeForm, purposeProblems } from "@/lib/purposeForm";

const form = (more: object = {}) => ({ ...NEW_PURPOSE, name: "fraud.cards", ...more });
const document = (spec: object) =>
  ({ apiVersion: "weir/v1", kind: "Purpose", metadata: { name: "fraud" }, spec }) as DeclaredDocument;

test("only what is written is declared", () => {
  expect(purposeDocument(form({ parent: "fraud", title: " Card fraud " }))).toEqual({
    apiVersion: "weir/v1",
    kind: "Purpose",
    metadata: { name: "fraud.cards" },
    spec: { parent: "fraud", title: "Card fraud" },
  });
});

test("a document comes back as it was", () => {
  const known = document({ legalBasis: "contract", retention: "30d", owner: "group fraud", deprecated: false });
  expect(purposeFits(known)).toBe(true);
  expect(purposeDocument({ ...purposeForm(known), deprecated: true }, known).spec.deprecated).toBe(true);
});

test.each([
  [{ name: "" }, "name"],
  [{ name: "fraud" }, "name"],
  [{ parent: "fraud.cards" }, "parent"],
  [{ parent: "nothing" }, "parent"],
  [{ retention: "long" }, "retention"],
])("%j is a problem at %s", (more, field) => {
  expect(Object.keys(purposeProblems(form(more), ["fraud"], false))).toEqual([field]);
});

test("a purpose that is changed may keep its name", () => {
  expect(purposeProblems(form({ name: "fraud", retention: "90d" }), ["fraud"], true)).toEqual({});
});
