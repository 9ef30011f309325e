import { expect, test } from "vitest";
import { mayDo, whoCan } from "@/lib/may";

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
