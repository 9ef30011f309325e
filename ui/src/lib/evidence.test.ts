import { expect, test } from "vitest";
import type { Classification } from "@/api/types";
import { certainty, evidenceDetail, evidenceText } from "@/lib/evidence";

const mail = {
  path: "value.mail",
  entity: "EMAIL_ADDRESS",
  score: 0.98,
  state: "suggested",
  source: "scan",
  evidence: { matched: 39, sampled: 40, validated: 38, recognizers: [{ name: "weir:email", version: "7" }] },
} as unknown as Classification;

test("evidence is in people's words, and the recognizer a detail", () => {
  const text = evidenceText({ ...mail, evidence: { ...mail.evidence, fieldName: "speaks for it" } });
  expect(text).toBe("98% of 40 values fit, 38 pass its check, the field's name fits");
  expect(evidenceDetail(mail)).toBe("Score 0.98, by weir:email 7");
});

test.each([
  [{ evidence: { withheld: true } }, "counts withheld"],
  [{ evidence: {}, state: "rejected", reviewedBy: "petra" }, "rejected by petra"],
  [{ evidence: { freeText: true } }, "inside longer texts"],
  [{ evidence: {} }, "the name of the field suggests it"],
])("%j: %s", (more, text) => expect(evidenceText({ ...mail, ...more } as Classification)).toBe(text));

test.each([
  [0.5, "doubtful"],
  [0.65, "likely"],
  [0.95, "very likely"],
])("a score of %d is %s", (score, words) => expect(certainty({ ...mail, score })).toBe(words));

test("what people decided is not doubted", () => {
  expect(certainty({ ...mail, state: "confirmed", score: 0.1 })).toBeNull();
});
