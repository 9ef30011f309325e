// A policy as a row of a table: what it does, where, and for whom. Roles and people beside.

import type { DeclaredDocument } from "@/api/types";
import { object, texts } from "@/lib/formParts";
import { maskWords } from "@/lib/maskWords";
import { required } from "@/lib/policyWords";
import { sentence } from "@/lib/subject";

export const TYPES = { mask: "Mask", access: "Access", "row-filter": "Row filter" } as const;
export type PolicyType = keyof typeof TYPES;

export interface PolicyRow {
  name: string;
  type: string;
  what: string;
  where: string;
  whom: string;
  document: DeclaredDocument;
}

export function policyRow(document: DeclaredDocument): PolicyRow {
  const { type, match, subjects, except, mask, requires, where } = document.spec as Record<string, unknown>;
  const whom = `${sentence(subjects) || "everyone"}${except ? `, except ${sentence(except)}` : ""}`;
  return {
    name: String(document.metadata.name),
    type: String(type),
    what: whatItDoes(String(type), mask, requires, where),
    where: sentence(match) || "everything",
    whom: type === "access" ? "everyone" : whom,
    document,
  };
}

function whatItDoes(type: string, mask: unknown, requires: unknown, where: unknown): string {
  if (type === "mask") return masked(object(mask).type);
  if (type === "access") return `requires ${required(requires)}`;
  return where ? `shows rows where ${String(where)}` : type;
}

function masked(type: unknown): string {
  const name = String(type ?? "its mask");
  const words = maskWords(name);
  return words === name ? name : `${words} (${name})`;
}

/** Rows with every word in them, whatever the case of its letters; of one type where one is chosen. */
export function filtered(rows: readonly PolicyRow[], text: string, type: PolicyType | "all"): PolicyRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const declared = JSON.stringify(row.document.spec);
    const all = [row.name, row.what, row.where, row.whom, declared].join(" ").toLowerCase();
    return (type === "all" || row.type === type) && words.every((word) => all.includes(word));
  });
}

/** How many users and groups hold a role directly. */
export function holders(role: string, users: readonly DeclaredDocument[], groups: readonly DeclaredDocument[]) {
  const has = ({ spec }: DeclaredDocument) => texts(spec.roles).includes(role);
  return { users: users.filter(has).length, groups: groups.filter(has).length };
}
