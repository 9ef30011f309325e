import { expect, test } from "vitest";
import { changeText, changeTone } from "@/lib/diff";

test("a moved presence is told in percent", () => {
  const change = { change: "presence", path: "value.a", before: 0.98, after: 0.614 };
  expect(changeText(change)).toEqual({ kind: "presence moved", what: "98% → 61%", where: "" });
  expect(changeTone(change)).toBe("warn");
});

test("other types are lists", () => {
  expect(changeText({ change: "type", path: "value.a", before: ["int32"], after: ["int32", "string"] }).what).toBe(
    "int32 → int32, string",
  );
});

test("what came and what went", () => {
  const field = { types: ["string"], presence: 0.5 };
  expect(changeText({ change: "added", path: "value.a", before: null, after: field }).what).toBe(
    "string, in 50% of records",
  );
  const removed = { change: "removed", path: "value.a", before: field, after: null };
  expect(changeText(removed).what).toBe("was string, in 50% of records");
  expect(changeTone(removed)).toBe("bad");
});

test("where it was first seen", () => {
  const change = { change: "added", path: "value.a", after: null, firstSeen: { partition: 2, offset: 18204 } };
  expect(changeText(change).where).toBe("partition 2, offset 18,204");
});

test("a change of the format has no field", () => {
  expect(changeText({ change: "format", path: null, before: { value: "json" }, after: { value: "avro" } }).what).toBe(
    "value: json → value: avro",
  );
});
