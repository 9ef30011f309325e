import { expect, test } from "vitest";
import { accessCounts, countsText } from "@/lib/accessCounts";

const row = (kind: string, subject: string, masked = false) => ({ kind, subject, masked });

test("groups and roles are no people, and one person on two ways is one", () => {
  const rows = [
    row("user", "ana"),
    row("user", "ana", true),
    row("user", "otto"),
    row("user", "petra", true),
    row("group", "team-orders"),
    row("role", "analyst", true),
    row("role", "owner"),
  ];
  const counts = accessCounts(rows);
  expect(counts).toEqual({ unmasked: 2, masked: 1, groups: 1, roles: 2 });
  expect(countsText(counts)).toBe("2 people see it unmasked, 1 masked; 1 group and 2 roles may bring in more.");
});

test("one person, only masked", () => {
  expect(countsText(accessCounts([row("user", "ana", true)]))).toBe("1 person sees it masked.");
  expect(countsText(accessCounts([row("role", "analyst")]))).toBe("Nobody by name; 1 role may bring in more.");
});
