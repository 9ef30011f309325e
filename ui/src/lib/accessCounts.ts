// How many people may see something: groups and roles are ways to people, not people, and are counted apart.
import type { Access } from "@/api/types";
import { plural } from "@/lib/format";

export interface AccessCounts {
  /** People who see at least something of it unmasked, on one of their ways. */
  unmasked: number;
  /** People who see it masked only. */
  masked: number;
  /** Groups and roles, whose further members only an identity provider may know. */
  groups: number;
  roles: number;
}

export function accessCounts(rows: Pick<Access, "kind" | "subject" | "masked">[]): AccessCounts {
  const people = new Map<string, boolean>();
  const others = { group: new Set<string>(), role: new Set<string>() };
  for (const { kind, subject, masked } of rows) {
    if (kind === "user") people.set(subject, (people.get(subject) ?? true) && masked);
    else if (kind === "group" || kind === "role") others[kind].add(subject);
  }
  const masked = [...people.values()].filter(Boolean).length;
  return { unmasked: people.size - masked, masked, groups: others.group.size, roles: others.role.size };
}

/** "3 people see it unmasked, 2 masked; by 1 group and 2 roles." */
export function countsText({ unmasked, masked, groups, roles }: AccessCounts): string {
  const people =
    unmasked + masked === 0
      ? "Nobody by name"
      : [
          unmasked > 0 && `${plural(unmasked, "person sees", "people see")} it unmasked`,
          masked > 0 && `${unmasked > 0 ? masked : plural(masked, "person sees it", "people see it")} masked`,
        ]
          .filter(Boolean)
          .join(", ");
  const by = [groups > 0 && plural(groups, "group"), roles > 0 && plural(roles, "role")].filter(Boolean).join(" and ");
  return `${people}${by ? `; ${by} may bring in more` : ""}.`;
}
