import { describe, expect, it } from "vitest";
import { keepsDirectory, scopeChoices, scopesProblem, tokenState, wholeProblem } from "@/lib/tokens";

const NOW = Date.parse("2026-11-23T10:00:00Z");

describe("tokens", () => {
  it("are valid until they expire or are revoked", () => {
    expect(tokenState({ expiresAt: null, revokedAt: null }, NOW)).toBe("valid");
    expect(tokenState({ expiresAt: "2026-11-23T10:00:01Z", revokedAt: null }, NOW)).toBe("valid");
    expect(tokenState({ expiresAt: "2026-11-23T10:00:00Z", revokedAt: null }, NOW)).toBe("expired");
    expect(tokenState({ expiresAt: "2026-11-20T10:00:00Z", revokedAt: "2026-11-19T10:00:00Z" }, NOW)).toBe("ended");
  });

  it("keep the directory with the scope scim alone, of a service account", () => {
    const token = { id: "tok_1", user: "directory", service: true };
    expect(keepsDirectory({ ...token, scopes: ["scim"] })).toBe(true);
    expect(keepsDirectory({ ...token, scopes: ["read"] })).toBe(false);
    expect(keepsDirectory({ ...token, scopes: null })).toBe(false);
    expect(keepsDirectory({ ...token, service: false, scopes: ["scim"] })).toBe(false);
  });

  it("have scopes: those of their own, then every permission, scim last", () => {
    const scopes = scopeChoices(["scan", "audit:read", "new:one"]).map(({ scope }) => scope);
    expect(scopes).toEqual(["read", "query", "request", "audit:read", "new:one", "scan", "scim"]);
    expect(scopesProblem([])).toMatch(/at least one/);
    expect(scopesProblem(["scim", "read"])).toMatch(/cannot be combined/);
    expect(scopesProblem(["scim"])).toBeNull();
    expect(scopesProblem(["read", "query"])).toBeNull();
  });

  it("live for a whole number of days", () => {
    for (const bad of ["", "0", "366", "1.5", "-1", "1e2", "ten"])
      expect(wholeProblem(bad, 1, 365)).toMatch(/1 to 365/);
    for (const good of ["1", " 90 ", "365"]) expect(wholeProblem(good, 1, 365)).toBeNull();
  });
});
