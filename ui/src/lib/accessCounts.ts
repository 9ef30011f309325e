// How many people may see something: groups and roles are ways to people, not people, and are counted apart.
import type { Access } from "@/api/types";
import { plural } from "@/lib/format";

export interface AccessCounts {
  /** People who see all of it unmasked on one of their ways, else some of it, else none. */
  unmasked: number;
  partly: number;
  masked: number;
  /** Groups and roles, whose further members only an identity provider may know. */
  groups: number;
  roles: number;
}

type Seen = Pick<Access, "kind" | "subject" | "masked"> & { mask?: string | null };

/** 0: nothing of it is masked, 1: some, 2: all. */
const hidden = ({ masked, mask }: Seen) => (masked ? 2 : mask ? 1 : 0);

export function accessCounts(rows: Seen[]): AccessCounts {
  const people = new Map<string, number>();
  const others = { group: new Set<string>(), role: new Set<string>() };
  for (const row of rows) {
    const { kind, subject } = row;
    if (kind === "user") people.set(subject, Math.min(people.get(subject) ?? 2, hidden(row)));
    else if (kind === "group" || kind === "role") others[kind].add(subject);
  }
  const seeing = (much: number) => [...people.values()].filter((one) => one === much).length;
  return {
    unmasked: seeing(0),
    partly: seeing(1),
    masked: seeing(2),
    groups: others.group.size,
    roles: others.role.size,
  };
}

/** "3 people: 2 unmasked, 1 partly masked; 1 group and 2 roles may bring in more." */
export function countsText({ unmasked, partly, masked, groups, roles }: AccessCounts): string {
  const people = unmasked + partly + masked;
  const how = [
    [unmasked, "unmasked"],
    [partly, "partly masked"],
    [masked, "masked"],
  ].filter(([n]) => n !== 0);
  const by = [groups > 0 && plural(groups, "group"), roles > 0 && plural(roles, "role")].filter(Boolean).join(" and ");
  const named = people === 0 ? "Nobody by name" : plural(people, "person", "people");
  return `${named}${people > 0 ? `: ${how.map(([n, what]) => `${n} ${what}`).join(", ")}` : ""}${by ? `; ${by} may bring in more` : ""}.`;
}
