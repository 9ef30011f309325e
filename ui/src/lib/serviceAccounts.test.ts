import { describe, expect, it } from "vitest";
import { accountDocument, accountForm, accountNameProblem, accounts } from "@/lib/serviceAccounts";

const DOCUMENT = {
  apiVersion: "weir/v1",
  kind: "ServiceAccount",
  metadata: { name: "nightly" },
  spec: { owner: "data", roles: ["reader"] },
};
const NOW = Date.parse("2026-11-23T10:00:00Z");
const token = (id: string, created: string, more = {}) => ({ id, user: "nightly", createdAt: created, ...more });

describe("service accounts", () => {
  it("have their own tokens, valid ones first, and when one was last used", () => {
    const [account] = accounts(
      [DOCUMENT],
      [
        token("old", "2026-01-01T00:00:00Z", { usedAt: "2026-11-01T00:00:00Z" }),
        token("gone", "2026-11-02T00:00:00Z", { revokedAt: "2026-11-03T00:00:00Z", usedAt: "2026-11-02T00:00:00Z" }),
        token("new", "2026-11-01T00:00:00Z"),
        { id: "other", user: "ana" },
      ],
      NOW,
    );
    expect(account?.tokens.map(({ id }) => id)).toEqual(["new", "old", "gone"]);
    expect(account?.valid).toBe(2);
    expect(account?.lastUsed).toBe("2026-11-02T00:00:00Z");
  });

  it("come from a form and go back to it; what it does not show stays", () => {
    const form = { ...accountForm(null), name: " nightly ", owner: "data", groups: "a, b" };
    expect(accountDocument(form, null)).toEqual({
      apiVersion: "weir/v1",
      kind: "ServiceAccount",
      metadata: { name: "nightly" },
      spec: { owner: "data", description: "", roles: [], groups: ["a", "b"] },
    });
    const known = { ...DOCUMENT, spec: { ...DOCUMENT.spec, disabled: true, later: 1 } };
    const again = accountDocument({ ...accountForm(known), disabled: false }, known);
    expect(again.spec).toEqual({
      owner: "data",
      description: "",
      roles: ["reader"],
      groups: [],
      disabled: false,
      later: 1,
    });
  });

  it("take no name of another, in any capitals", () => {
    expect(accountNameProblem("Ana ", ["ana"])).toMatch(/already/);
    expect(accountNameProblem("nightly", ["ana"])).toBeNull();
  });
});
