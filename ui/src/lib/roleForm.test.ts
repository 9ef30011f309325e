import { expect, test } from "vitest";
import { inWords } from "@/lib/policyWords";
import { NEW_ROLE, roleDocument, roleFits, roleForm, roleProblems } from "@/lib/roleForm";

const document = (spec: object) =>
  ({ apiVersion: "weir/v1", kind: "Role", metadata: { name: "analyst" }, spec }) as never;

test("a role by form: what it reads, what it inherits, which rows, which rights", () => {
  const made = roleDocument({
    name: " analyst-eu ",
    description: "Analysts in the EU",
    read: "prod/orders\ntag:domain.sales\n\nprod/clicks* value.page",
    inherits: "analyst, reader",
    rowFilters: "prod/orders region = 'EU'",
    permissions: ["review", "scan"],
    seesUnscanned: true,
  });
  expect(made).toEqual({
    apiVersion: "weir/v1",
    kind: "Role",
    metadata: { name: "analyst-eu" },
    spec: {
      description: "Analysts in the EU",
      read: [{ dataset: "prod/orders" }, { tag: "domain.sales" }, { dataset: "prod/clicks*", path: "value.page" }],
      inherits: ["analyst", "reader"],
      rowFilters: [{ dataset: "prod/orders", where: "region = 'EU'" }],
      permissions: ["review", "scan"],
      seesUnscanned: true,
    },
  });
  expect(roleForm(made)).toMatchObject({ read: "prod/orders\ntag:domain.sales\nprod/clicks* value.page" });
  expect(roleFits(made)).toBe(true);
});

test("a change keeps what the form does not show, and what is emptied goes", () => {
  const known = document({ read: [{ dataset: "prod/orders" }], permissions: ["scan"], later: 1 });
  expect(roleDocument({ ...roleForm(known), read: "" }, known).spec).toEqual({ permissions: ["scan"], later: 1 });
});

test("what the form cannot show whole is left to YAML", () => {
  expect(roleFits(document({ read: [{ dataset: "prod/orders", tag: "x" }] }))).toBe(false);
  expect(roleFits(document({ rowFilters: [{ dataset: "prod/orders", where: "a = 1\nOR b" }] }))).toBe(false);
  expect(roleFits(document({ seesUnscanned: false, read: [{ tag: "x" }] }))).toBe(true);
  expect(roleFits(document({}))).toBe(true);
});

test("problems name what to write", () => {
  expect(roleProblems({ ...NEW_ROLE, read: "orders\ntag:", rowFilters: "prod/orders" })).toEqual([
    "Give the role a name.",
    "“orders” is not a dataset; write CLUSTER/TOPIC or tag:NAME.",
    "“tag:” is not a dataset; write CLUSTER/TOPIC or tag:NAME.",
    "Write the condition that a row of prod/orders has to satisfy.",
  ]);
  expect(roleProblems({ ...NEW_ROLE, name: "r", read: "*\nprod/orders value.a\ntag:x" })).toEqual([]);
});

test("a role without a description is shown by what it opens", () => {
  const spec = { read: [{ dataset: "prod/orders" }, { tag: "domain.sales" }], permissions: ["review", "scan"] };
  expect(inWords(document(spec))).toBe("reads prod/orders, tag domain.sales; may review, scan");
  expect(inWords(document({ ...spec, description: "Sales" }))).toBe("Sales");
  expect(inWords(document({}))).toBe("");
});
