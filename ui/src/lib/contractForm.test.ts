import { expect, test } from "vitest";
import type { DeclaredDocument } from "@/api/types";
import { contractDocument, contractFits, contractForm, contractProblems } from "@/lib/contractForm";

const SPEC = {
  apiVersion: "v3.1.0",
  kind: "DataContract",
  id: "prod.orders",
  name: "orders",
  version: "0.1.0",
  status: "draft",
  team: { name: "otto", members: [{ username: "otto" }] },
  servers: [{ server: "prod", type: "kafka", host: "broker:9092" }],
  schema: [
    {
      name: "orders",
      properties: [
        {
          name: "order_id",
          logicalType: "string",
          required: true,
          logicalTypeOptions: { minLength: 1, maxLength: 16 },
        },
        {
          name: "amount",
          logicalType: "integer",
          physicalType: "int64",
          logicalTypeOptions: { minimum: 0, exclusiveMaximum: 1000 },
        },
        {
          name: "status",
          logicalType: "string",
          quality: [{ metric: "invalidValues", mustBe: 0, arguments: { validValues: ["NEW", "PAID"] } }],
        },
        { name: "items", logicalType: "array", items: { logicalType: "object", properties: [{ name: "sku" }] } },
      ],
      customProperties: [{ property: "dataset", value: "prod/orders" }],
    },
  ],
  slaProperties: [{ property: "retention", value: 168, unit: "h" }],
  tags: ["kept"],
};
const DOCUMENT = {
  apiVersion: "weir/v1",
  kind: "Contract",
  metadata: { name: "prod.orders" },
  spec: SPEC,
} as DeclaredDocument;
const form = () => contractForm(SPEC, "prod.orders");
const made = (change: (of: ReturnType<typeof form>) => void) => {
  const changed = form();
  change(changed);
  // biome-ignore lint/suspicious/noExplicitAny: a document of any form.
  return contractDocument(changed, SPEC, DOCUMENT).spec as any;
};
const rule = (of: ReturnType<typeof form>, path: string) => {
  const found = of.fields.find((each) => each.path === path);
  if (!found) throw new Error(path);
  return found;
};

test("every field has a line, inside lists too", () => {
  expect(form().fields.map((each) => each.path)).toEqual([
    "value.order_id",
    "value.amount",
    "value.status",
    "value.items",
    "value.items[].sku",
  ]);
  expect(form().retention).toBe("168 h");
});

test("nothing changes until something is changed, and a document is never changed in place", () => {
  const before = JSON.stringify(SPEC);
  expect(contractFits(DOCUMENT)).toBe(true);
  made((of) => {
    of.status = "active";
    rule(of, "value.amount").promised = false;
  });
  expect(JSON.stringify(SPEC)).toBe(before);
});

test("rules are edited, and what the form does not show stays", () => {
  const spec = made((of) => {
    of.status = "active";
    of.latency = "30 m";
    of.checkEvery = "1m";
    of.promisedBy = "shop";
    rule(of, "value.order_id").required = false;
    rule(of, "value.amount").most = "500";
    rule(of, "value.status").values = "NEW\nPAID\nSENT";
  });
  const [id, amount, status] = spec.schema[0].properties;
  expect(id).not.toHaveProperty("required");
  expect(id.logicalTypeOptions).toEqual({ minLength: 1, maxLength: 16 });
  expect(amount.logicalTypeOptions).toEqual({ minimum: 0, maximum: 500 });
  expect(status.quality[0].arguments.validValues).toEqual(["NEW", "PAID", "SENT"]);
  expect(spec.slaProperties).toEqual([
    { property: "retention", value: 168, unit: "h" },
    { property: "latency", value: 30, unit: "m" },
  ]);
  expect(spec.schema[0].customProperties[1]).toEqual({ property: "checkEvery", value: "1m" });
  expect(spec.team).toEqual({ name: "shop", members: [{ username: "otto" }] });
  expect([spec.status, spec.tags]).toEqual(["active", ["kept"]]);
});

test("what is not promised is taken out, with what is inside it", () => {
  const spec = made((of) => {
    for (const path of ["value.order_id", "value.status", "value.items[].sku", "value.items"])
      rule(of, path).promised = false;
  });
  expect(spec.schema[0].properties.map((each: { name: string }) => each.name)).toEqual(["amount"]);
});

test("limits and values that are emptied are promised no longer", () => {
  const spec = made((of) => {
    rule(of, "value.order_id").least = "";
    rule(of, "value.order_id").most = "";
    rule(of, "value.status").values = "";
    of.retention = "";
  });
  const [id, , status] = spec.schema[0].properties;
  expect(id).not.toHaveProperty("logicalTypeOptions");
  expect(status).not.toHaveProperty("quality");
  expect(spec).not.toHaveProperty("slaProperties");
});

test("problems are at their field", () => {
  const wrong = form();
  wrong.version = "";
  wrong.latency = "soon";
  rule(wrong, "value.amount").least = "many";
  rule(wrong, "value.order_id").most = "0";
  expect(Object.keys(contractProblems(wrong)).sort()).toEqual(["latency", "value.amount", "value.order_id", "version"]);
  const none = form();
  for (const each of none.fields) each.promised = false;
  expect(contractProblems(none)).toHaveProperty("fields");
  expect(contractProblems(form())).toEqual({});
});
