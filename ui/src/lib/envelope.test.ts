import { expect, it } from "vitest";
import { envelopeText } from "./envelope";
import { shapeNames } from "./shapes";

const found = {
  layers: ["connect", "debezium"],
  payload: ["value.payload.after", "value.payload.before"],
  discriminator: "value.payload.op",
  fits: 1000,
  records: 1000,
  unlisted: [],
};

it("says what is around the data and where the data is", () => {
  expect(envelopeText("value", found)).toBe(
    "The value is an envelope (connect around debezium); the data is in value.payload.after and value.payload.before.",
  );
});

it("counts what is not in it and what is not listed", () => {
  const text = envelopeText("value", { ...found, records: 2200, unlisted: ["value.schema"] });
  expect(text).toContain("1,200 of the records read are not in it.");
  expect(text).toContain("Not listed: 1 that only describe the data.");
});

it("names the rarer shapes as such", () => {
  expect(shapeNames([{ share: 0.1, paths: [], when: { others: 11 } }])).toEqual(["11 rarer shapes"]);
});
