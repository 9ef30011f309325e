import { describe, expect, it } from "vitest";
import { figuresText, stepText } from "@/lib/incidents";

const place = (offset: number) => ({ time: null, partition: 0, offset });

describe("what an incident counts", () => {
  it("has records, their share and places", () => {
    const of = { records: 5, share: 0.0021, first: place(50), last: place(99) };
    expect(figuresText(of)).toBe("5 records (0.21 %), partition 0 offset 50 to partition 0 offset 99");
    expect(figuresText({ ...of, records: 1, last: place(50) })).toBe("1 record (0.21 %), partition 0 offset 50");
  });
  it("is empty where nothing is known", () => {
    expect(figuresText({ records: null, share: null, first: null, last: null })).toBe("");
  });
});

describe("a step", () => {
  it("names who did it, and to whom", () => {
    const step = { at: "2026-03-01T12:00:00Z", kind: "assigned" as const, by: "olga", text: "ana", event: null };
    expect(stepText(step)).toBe("Assigned to ana by olga");
    expect(stepText({ ...step, text: "" })).toBe("Assigned to nobody by olga");
    expect(stepText({ ...step, kind: "opened", by: null })).toBe("Opened");
  });
});
