import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { type Permission, useMay } from "@/lib/may";

interface Asked {
  permission: Permission;
  /** The deed, as in "Adding users". */
  what: string;
  children: ReactNode;
}

/** What only some may do. Others read in its place who can; nothing is shown before that is known. */
export function Needs({ instead = short, ...asked }: Asked & { instead?: (text: string) => ReactNode }) {
  const { known, may, who } = useMay();
  if (!known) return null;
  if (may(asked.permission)) return <>{asked.children}</>;
  return instead(`${asked.what} needs the permission “${asked.permission}”: ${who(asked.permission)}.`);
}

/** A whole page that only some may open; `title` heads it for the others, where nothing else does. */
export function PageNeeds({ title, ...asked }: Asked & { title?: string }) {
  const { opens } = useMay();
  if (opens(asked.permission)) return asked.children;
  const needs = <Needs {...asked} instead={long} />;
  if (title === undefined) return needs;
  return (
    <div className="page">
      <PageHead title={title} />
      {needs}
    </div>
  );
}

const short = (text: string) => (
  <span className="muted small row-nowrap needs">
    <Lock size={13} aria-hidden />
    <span>{text}</span>
  </span>
);

const long = (text: string) => (
  <Notice tone="warn">
    <p>{text} An administrator can assign a role that has it.</p>
  </Notice>
);
