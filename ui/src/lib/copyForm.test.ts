import { expect, test } from "vitest";
import type { DeclaredDocument } from "@/api/types";
import { copyDocument, copyFits, copyForm, copyProblems, newCopy } from "@/lib/copyForm";

const form = (more: object = {}) => ({ ...newCopy("prod/orders"), who: "analysts", ...more });
const view = (spec: object) =>
  ({ apiVersion: "weir/v1", kind: "View", metadata: { name: "c" }, spec }) as DeclaredDocument;

test("a copy is named after its topic and audience until something else is written", () => {
  expect(copyDocument(form())).toEqual({
    apiVersion: "weir/v1",
    kind: "View",
    metadata: { name: "orders-analysts" },
    spec: {
      copyOf: "prod/orders",
      runAs: { group: "analysts" },
      sink: { cluster: "prod", topic: "orders-analysts" },
    },
  });
  expect(copyDocument(form({ audience: "user", topic: "for-ana", cluster: "eu" })).spec).toMatchObject({
    runAs: { user: "analysts" },
    sink: { cluster: "eu", topic: "for-ana" },
  });
});

test("what the form does not show stays, and a view with a query has no such form", () => {
  const known = view({
    copyOf: "prod/orders",
    runAs: { group: "analysts", purpose: "reporting" },
    sink: { cluster: "prod", topic: "t", cleanup: "compact" },
    paused: true,
  });
  expect(copyFits(known)).toBe(true);
  expect(copyDocument({ ...copyForm(known), audience: "user", who: "ana" }, known).spec).toEqual({
    copyOf: "prod/orders",
    runAs: { user: "ana", purpose: "reporting" },
    sink: { cluster: "prod", topic: "t", cleanup: "compact" },
    paused: true,
  });
  expect(copyFits(view({ sql: "SELECT 1", runAs: { user: "ana" } }))).toBe(false);
});

test.each([
  [{ of: "orders" }, "of"],
  [{ of: "test/orders" }, "of"],
  [{ who: " " }, "who"],
  [{ cluster: "nowhere" }, "cluster"],
  [{ topic: "orders" }, "topic"],
])("%j is a problem at %s", (more, field) => {
  expect(Object.keys(copyProblems(form(more), ["prod", "eu"]))).toContain(field);
});

test("a whole form has no problem", () => expect(copyProblems(form(), ["prod"])).toEqual({}));
