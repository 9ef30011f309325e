import { expect, test } from "vitest";
import type { DeclaredDocument } from "@/api/types";
import { heldBy, words } from "@/features/policies/PeoplePage";

const document = (kind: string, name: string, spec: object) =>
  ({ apiVersion: "weir/v1", kind, metadata: { name }, spec }) as DeclaredDocument;

test("what a person, a group and a role have is said in words", () => {
  expect(words(document("User", "ana", { roles: ["analyst"], groups: ["shop"] }))).toBe("1 role: analyst; in shop");
  expect(words(document("User", "eve", { disabled: true }))).toBe("no role; disabled");
  expect(words(document("Group", "shop", { members: ["ana", "otto"], roles: [] }))).toBe("no role; 2 members");
  expect(words(document("Role", "reader", { read: [{ dataset: "prod/*" }] }))).toBe("reads prod/*");
});

test("who holds a role is counted", () => {
  const users = [document("User", "ana", { roles: ["analyst"] })];
  expect(heldBy("analyst", users, [])).toBe("Holders: 1 user.");
  expect(heldBy("other", users, [])).toBe("No declared user or group holds it.");
});
