import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { Notice } from "@/components/Notice";
import { type Permission, useMay } from "@/lib/may";

/** What only some may do. Others read in its place who can; nothing is shown before that is known. */
export function Needs({
  permission,
  what,
  children,
}: {
  permission: Permission;
  /** The deed, as in "Adding users". */
  what: string;
  children: ReactNode;
}) {
  const { known, may, who } = useMay();
  if (!known) return null;
  if (may(permission)) return <>{children}</>;
  return (
    <span className="muted small row-nowrap needs">
      <Lock size={13} aria-hidden />
      <span>
        {what} needs the permission “{permission}”: {who(permission)}.
      </span>
    </span>
  );
}

/** A whole page that only some may open. */
export function PageNeeds({
  permission,
  what,
  children,
}: {
  permission: Permission;
  what: string;
  children: ReactNode;
}) {
  const { known, may, who } = useMay();
  if (!known) return null;
  if (may(permission)) return <>{children}</>;
  return (
    <Notice tone="warn">
      <p>
        {what} needs the permission “{permission}”: {who(permission)}. An administrator gives a role that carries it.
      </p>
    </Notice>
  );
}
