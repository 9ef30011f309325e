import { expect, test } from "vitest";
import type { Access } from "@/api/types";
import { accessCounts, countsText } from "@/lib/accessCounts";

const row = (kind: Access["kind"], subject: string, masked = false, mask: string | null = null) => ({
  kind,
  subject,
  masked,
  mask: masked ? "MASK" : mask,
});

test("groups and roles are no people, and one person on two ways is one, seeing the most of both", () => {
  const rows = [
    row("user", "ana"),
    row("user", "ana", true),
    row("user", "otto", false, "MASK_HASH"),
    row("user", "petra", true),
    row("group", "team-orders"),
    row("role", "analyst", true),
    row("role", "owner"),
  ];
  const counts = accessCounts(rows);
  expect(counts).toEqual({ unmasked: 1, partly: 1, masked: 1, groups: 1, roles: 2 });
  expect(countsText(counts)).toBe(
    "3 people: 1 unmasked, 1 partly masked, 1 masked; 1 group and 2 roles may bring in more.",
  );
});

test("one person, only masked; nobody but a role", () => {
  expect(countsText(accessCounts([row("user", "ana", true)]))).toBe("1 person: 1 masked.");
  expect(countsText(accessCounts([row("role", "analyst")]))).toBe("Nobody by name; 1 role may bring in more.");
});
