import { expect, test } from "vitest";
import { inWords } from "@/lib/policyWords";
import { sentence } from "@/lib/subject";

const document = (kind: string, spec: object) =>
  ({ apiVersion: "weir/v1", kind, metadata: { name: "one" }, spec }) as never;

test("a field of a dataset is one thing, not two", () => {
  expect(sentence({ fields: [{ dataset: "prod/clicks", path: "value.url" }] })).toBe("field value.url of prod/clicks");
  expect(sentence({ dataset: "prod/clicks" })).toBe("dataset prod/clicks");
});

test("policies and workflows are sentences", () => {
  const match = { datasets: ["prod/payments"] };
  expect(
    inWords(document("Policy", { type: "access", match, requires: { grant: true, purpose: ["fraud", "chargeback"] } })),
  ).toBe("Reading dataset prod/payments requires a grant for the purpose fraud or chargeback");
  expect(inWords(document("Policy", { type: "access", match, requires: { grant: true } }))).toBe(
    "Reading dataset prod/payments requires a grant",
  );
  const stages = [{ name: "owner", approvers: "owners" }];
  expect(inWords(document("Workflow", { match: { tags: ["PII"] }, stages }))).toBe(
    "Requests for personal data are decided by owner (owners)",
  );
});
