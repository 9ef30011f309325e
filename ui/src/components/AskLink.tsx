import type { ReactNode } from "react";
import { Link } from "react-router";
import { links } from "@/lib/links";
import { useOwnRights } from "@/lib/useOwnRights";

/** Leads to a request for access; nothing where a request could open no more. */
export function AskLink({
  dataset,
  fields = [],
  className,
  children = "Request access",
}: {
  dataset: string;
  fields?: string[];
  className?: string;
  children?: ReactNode;
}) {
  const { known, all } = useOwnRights(dataset);
  if (!known || all) return null;
  return (
    <Link className={className} to={links.ask(dataset, fields)}>
      {children}
    </Link>
  );
}
