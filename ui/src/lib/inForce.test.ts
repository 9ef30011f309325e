import { expect, test } from "vitest";
import type { DeclaredDocument } from "@/api/types";
import { fits, touches } from "@/lib/inForce";

const policy = (match: unknown): DeclaredDocument => ({
  apiVersion: "weir/v1",
  kind: "Policy",
  metadata: { name: "p" },
  spec: { match },
});

test("a star stands for any text, a dot for a dot", () => {
  expect(fits("prod/clicks.*", "prod/clicks.mobile")).toBe(true);
  expect(fits("prod/clicks.*", "prod/clicksXmobile")).toBe(false);
  expect(fits("prod/orders", "prod/orders2")).toBe(false);
});

test("by tag, PII standing for every kind, by name, by field", () => {
  expect(touches(policy({ tags: ["EMAIL_ADDRESS", "PERSON"] }), "prod/orders", ["PERSON"], [])).toEqual(["tag PERSON"]);
  expect(touches(policy({ tags: ["PII"] }), "prod/orders", ["PERSON"], [])).toEqual(["tag PII"]);
  expect(touches(policy({ tags: ["PII"] }), "prod/orders", [], ["domain.sales"])).toEqual([]);
  expect(touches(policy({ datasets: ["prod/pay*"] }), "prod/payments", [], [])).toEqual(["dataset prod/pay*"]);
  expect(touches(policy({ fields: [{ dataset: "prod/clicks", path: "value.url" }] }), "prod/clicks", [], [])).toEqual([
    "field value.url",
  ]);
  expect(touches(policy({}), "prod/clicks", ["PERSON"], ["a"])).toEqual([]);
});
