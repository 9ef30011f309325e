// Whether somebody may read a dataset at all, by what Weir shows them of their own access; and who can open it.
import type { PersonAccess } from "@/api/types";

/** Undefined: not known, as of rights that a provider gives with each token. */
export function readable(own: Pick<PersonAccess, "entries" | "notes" | "gone"> | undefined): boolean | undefined {
  if (!own || own.entries.length === 0) return undefined;
  if (own.entries.some((entry) => entry.shows !== "none")) return true;
  return own.notes.length > 0 ? undefined : false;
}

/** Whether a request could open nothing more: every field in every row is unmasked, without an end and for any purpose. */
export function seesAll(own: Pick<PersonAccess, "entries"> | undefined): boolean {
  return (own?.entries ?? []).some(
    ({ shows, purpose, until, fields, rows, clearWhen }) =>
      shows === "clear" &&
      !purpose &&
      !until &&
      fields.masked === 0 &&
      fields.hidden === 0 &&
      rows.length === 0 &&
      clearWhen.length === 0,
  );
}

const GROUP = "group:";

/** "otto or group team-orders can grant access"; of a dataset without owners those who manage decide. */
export function whoGrants(owners: readonly string[], manager: string): string {
  const names = owners.map((each) => (each.startsWith(GROUP) ? `group ${each.slice(GROUP.length)}` : each));
  if (names.length === 0) return `${manager} grant access`;
  const last = names.at(-1);
  return `${names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${last}` : last} can grant access`;
}
