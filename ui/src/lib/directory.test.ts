import { describe, expect, it } from "vitest";
import { connection, firstAccount } from "@/lib/directory";

const NOW = Date.parse("2026-11-23T10:00:00Z");
const scim = (id: string, more = {}) => ({ id, user: "okta", service: true, scopes: ["scim"], ...more });

describe("the connection of a directory", () => {
  it("is the valid tokens of the scope scim; last called by any of them", () => {
    const found = connection(
      [
        scim("soon", { expiresAt: "2026-12-01T00:00:00Z" }),
        scim("late", { expiresAt: "2027-12-01T00:00:00Z", usedAt: "2026-11-20T00:00:00Z" }),
        scim("gone", { expiresAt: "2026-11-01T00:00:00Z", usedAt: "2026-10-20T00:00:00Z" }),
        scim("other", { scopes: ["read"], usedAt: "2026-11-23T00:00:00Z" }),
      ],
      NOW,
    );
    expect(found.tokens.map(({ id }) => id)).toEqual(["late", "soon"]);
    expect(found.lastCall).toBe("2026-11-20T00:00:00Z");
    expect(connection([], NOW)).toEqual({ tokens: [], lastCall: null });
  });

  it("offers the account that has a token, then one of the name directory, then a new one", () => {
    expect(firstAccount(["directory", "okta"], [scim("a")])).toBe("okta");
    expect(firstAccount(["directory", "report"], [scim("a")])).toBe("directory");
    expect(firstAccount(["report"], [])).toBe("");
  });
});
