import { expect, test } from "vitest";
import { auditSummary, dayStart } from "@/lib/auditFilters";

const entry = (actor: string, action: string, decision = "allow") => ({ actor, action, decision }) as never;

test("the summary counts people, the commonest actions and what was denied", () => {
  const entries = [entry("ana", "query"), entry("ana", "query", "deny"), entry("otto", "scan.start")];
  expect(auditSummary(entries)).toBe("3 entries by 2 people: 2 × Query, 1 × Scan started; 1 denied");
  expect(auditSummary([entry("ana", "query")])).toBe("1 entry by 1 person: 1 × Query; none denied");
  expect(auditSummary([])).toBe("");
});

test("a date is the beginning of its day by this clock, or of a later one", () => {
  expect(dayStart("2026-11-28")).toBe(new Date(2026, 10, 28).toISOString());
  expect(dayStart("2026-11-30", 1)).toBe(new Date(2026, 11, 1).toISOString());
  expect(dayStart("yesterday")).toBeNull();
  expect(dayStart(null)).toBeNull();
});
