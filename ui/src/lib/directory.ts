// Whether a directory is connected, read from the tokens that can keep one.
import type { TokenEntry } from "@/api/tokens";
import { keepsDirectory, tokenState } from "@/lib/tokens";

export interface Connection {
  /** Valid tokens of the scope scim, those that end last first. */
  tokens: TokenEntry[];
  /** When a directory last called. Tokens that ended since count. */
  lastCall: string | null;
}

export function connection(tokens: readonly TokenEntry[], now = Date.now()): Connection {
  const keeping = tokens.filter(keepsDirectory);
  const used = keeping.map(({ usedAt }) => usedAt ?? "").filter(Boolean);
  return {
    tokens: keeping
      .filter((token) => tokenState(token, now) === "valid")
      .sort((a, b) => (b.expiresAt ?? "").localeCompare(a.expiresAt ?? "")),
    lastCall: used.sort().at(-1) ?? null,
  };
}

/** Whose token is offered first: the account that has one, then one of the name directory; empty: a new account. */
export function firstAccount(accounts: readonly string[], keeping: readonly TokenEntry[]): string {
  return (
    keeping.find(({ user }) => accounts.includes(user))?.user ?? accounts.find((name) => name === "directory") ?? ""
  );
}
