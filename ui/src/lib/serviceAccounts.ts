// Service accounts as the pages list them, and their documents from a form.
import type { TokenEntry } from "@/api/tokens";
import type { DeclaredDocument } from "@/api/types";
import { wordsFromText } from "@/lib/declare";
import { tokenState } from "@/lib/tokens";

export interface AccountSpec {
  description?: string;
  owner?: string;
  roles?: string[];
  groups?: string[];
  disabled?: boolean;
}

export interface Account {
  name: string;
  document: DeclaredDocument;
  spec: AccountSpec;
  /** Every token of the account, valid ones first, then the newest first. */
  tokens: TokenEntry[];
  valid: number;
  lastUsed: string | null;
}

export function accounts(
  documents: readonly DeclaredDocument[],
  tokens: readonly TokenEntry[],
  now = Date.now(),
): Account[] {
  const isValid = (token: TokenEntry) => Number(tokenState(token, now) === "valid");
  return documents.map((document) => {
    const mine = tokens
      .filter(({ user }) => user === document.metadata.name)
      .sort((a, b) => isValid(b) - isValid(a) || (b.createdAt ?? "").localeCompare(a.createdAt ?? ""));
    const used = mine.map(({ usedAt }) => usedAt ?? "").filter(Boolean);
    return {
      name: document.metadata.name,
      document,
      spec: document.spec as AccountSpec,
      tokens: mine,
      valid: mine.filter(isValid).length,
      lastUsed: used.sort().at(-1) ?? null,
    };
  });
}

export interface AccountForm {
  name: string;
  owner: string;
  description: string;
  roles: string[];
  groups: string;
  disabled: boolean;
}

export const accountForm = (of: DeclaredDocument | null): AccountForm => {
  const spec = (of?.spec ?? {}) as AccountSpec;
  return {
    name: of?.metadata.name ?? "",
    owner: spec.owner ?? "",
    description: spec.description ?? "",
    roles: spec.roles ?? [],
    groups: (spec.groups ?? []).join(", "),
    disabled: spec.disabled ?? false,
  };
};

/** What the form does not show stays as it was. */
export function accountDocument(form: AccountForm, before: DeclaredDocument | null): DeclaredDocument {
  const disabled = form.disabled || (before?.spec as AccountSpec | undefined)?.disabled !== undefined;
  return {
    apiVersion: "weir/v1",
    kind: "ServiceAccount",
    metadata: before?.metadata ?? { name: form.name.trim() },
    spec: {
      ...before?.spec,
      owner: form.owner.trim(),
      description: form.description.trim(),
      roles: form.roles,
      groups: wordsFromText(form.groups),
      ...(disabled ? { disabled: form.disabled } : {}),
    },
  };
}

/** Why a new account cannot have this name; null where it can, as far as the page knows. */
export function accountNameProblem(name: string, taken: readonly string[]): string | null {
  const given = name.trim();
  if (!taken.some((each) => each.toLowerCase() === given.toLowerCase())) return null;
  return `${given} is the name of a user or a service account already; choose another.`;
}
