// Tokens as the pages show them, and what a form for one may hold.
import type { TokenEntry } from "@/api/tokens";

export type TokenState = "valid" | "expired" | "ended";

export function tokenState(token: Pick<TokenEntry, "revokedAt" | "expiresAt">, now = Date.now()): TokenState {
  if (token.revokedAt) return "ended";
  return token.expiresAt && Date.parse(token.expiresAt) <= now ? "expired" : "valid";
}

/** Whether a token keeps the directory: it has the scope scim and no other. */
export const keepsDirectory = (token: TokenEntry) =>
  token.service === true && token.scopes?.length === 1 && token.scopes[0] === "scim";

/** What each scope opens; permissions that are not here are named alone. */
const OPENS: Record<string, string> = {
  read: "the catalog, search, lineage, lists",
  query: "records of topics, views and queries",
  request: "access requests, approvals, grants",
  scan: "scans",
  review: "reviews of personal data",
  "lineage:write": "events of lineage",
  decide: "decisions about others",
  "audit:read": "the audit",
  "report:read": "reports and who has access",
  manage: "every other change, tokens too: for what administers Weir",
  scim: "the directory and nothing else; cannot be combined",
};

export interface ScopeChoice {
  scope: string;
  opens: string;
}

/** Every scope: those that are no permissions, then the permissions there are. */
export function scopeChoices(permissions: readonly string[]): ScopeChoice[] {
  const own = ["read", "query", "request"];
  const others = permissions.filter((each) => !own.includes(each) && each !== "scim").sort();
  return [...own, ...others, "scim"].map((scope) => ({ scope, opens: OPENS[scope] ?? "" }));
}

/** Why scopes cannot be of one token; null where they can. */
export function scopesProblem(scopes: readonly string[]): string | null {
  if (scopes.length === 0) return "Choose at least one scope: a token of a service account is limited.";
  if (scopes.includes("scim") && scopes.length > 1) return "scim cannot be combined; leave the other scopes out.";
  return null;
}

/** Why a text is no whole number between two; null where it is one. */
export function wholeProblem(text: string, least: number, most: number): string | null {
  const given = text.trim();
  const good = /^\d+$/.test(given) && Number(given) >= least && Number(given) <= most;
  return good ? null : `Write a whole number from ${least} to ${most}.`;
}
