import { expect, test } from "vitest";
import { mayDo, mayOpen, whoCan } from "@/lib/may";

test("nothing is allowed before it is known who asks", () => {
  expect(mayDo(undefined, "manage")).toBe(false);
  expect(mayDo({ user: "ana" }, "manage")).toBe(false);
  expect(mayDo({ user: "grace", permissions: ["manage"] }, "manage")).toBe(true);
});

test("who can is named, the first few of many, else by role", () => {
  expect(whoCan({ allowed: false, roles: ["admin"], users: ["admin"] })).toBe("admin can");
  expect(whoCan({ allowed: false, roles: ["admin"], users: ["admin", "grace"] })).toBe("admin or grace can");
  const many = { allowed: false, roles: [], users: ["a", "b", "c", "d", "e", "f"] };
  expect(whoCan(many)).toBe("a, b, c, d or 2 more can");
  expect(whoCan({ allowed: false, roles: ["platform"], users: [] })).toBe("somebody with role platform can");
  expect(whoCan(undefined)).toBe("nobody has this permission yet");
});

test("admins and stewards of a domain open the pages that cut their answers, and no other", () => {
  const stan = { user: "stan", permissions: [], domains: { hr: ["report:read" as const, "audit:read" as const] } };
  expect(mayOpen(stan, "report:read")).toBe(true);
  expect(mayOpen(stan, "audit:read")).toBe(false);
  expect(mayDo(stan, "report:read")).toBe(false);
  expect(mayOpen({ user: "ana", permissions: [] }, "report:read")).toBe(false);
});
