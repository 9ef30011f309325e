// What the signed-in user may do, and who can do what they may not.
import { useMe } from "@/api/access";
import type { Capability, Me } from "@/api/types";
import { useToken } from "@/lib/session";

export type Permission = "manage" | "scan" | "review" | "audit:read" | "report:read";

/** False until it is known: what one may not do is never offered, not even for a moment. */
export function mayDo(me: Me | undefined, permission: Permission): boolean {
  return me?.permissions?.includes(permission) ?? false;
}

/** Pages that show those of a domain what is about its datasets, by what they may do there. */
const CUT: readonly Permission[] = ["report:read"];

/** Whether a page may be opened: by a permission, or as admin or steward of a domain where the page cuts its answer. */
export function mayOpen(me: Me | undefined, permission: Permission): boolean {
  if (mayDo(me, permission)) return true;
  const domains: string[][] = Object.values(me?.domains ?? {});
  return CUT.includes(permission) && domains.some((powers) => powers.includes(permission));
}

const FEW = 4;

/** "grace or petra can", "somebody with role platform can": whom to ask. */
export function whoCan(capability: Capability | undefined): string {
  const users = capability?.users ?? [];
  const named = users.slice(0, FEW);
  const more = users.length - named.length;
  const list = more > 0 ? [...named, `${more} more`] : named;
  if (list.length > 1) return `${list.slice(0, -1).join(", ")} or ${list.at(-1)} can`;
  if (list.length === 1) return `${list[0]} can`;
  const role = capability?.roles?.[0];
  return role ? `somebody with role ${role} can` : "nobody has this permission yet";
}

/** Undefined `me`: not known yet. */
export function useMay(): {
  known: boolean;
  may: (permission: Permission) => boolean;
  opens: (permission: Permission) => boolean;
  who: (of: Permission) => string;
} {
  const me = useMe(useToken()).data;
  return {
    known: me !== undefined,
    may: (permission) => mayDo(me, permission),
    opens: (permission) => mayOpen(me, permission),
    who: (permission) => whoCan(me?.capabilities?.[permission]),
  };
}
