// A query of a dataset, for those who may read it. Others read why not, and who can grant access.
import { Lock } from "lucide-react";
import { useId } from "react";
import { Link } from "react-router";
import type { DatasetDetails } from "@/api/types";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";
import { whoGrants } from "@/lib/ownAccess";
import { sqlTable } from "@/lib/sql";
import { useOwnRights } from "@/lib/useOwnRights";

export function QueryButton({ dataset }: { dataset: DatasetDetails }) {
  const id = useId();
  const { known, readable } = useOwnRights(dataset.reference);
  const { who } = useMay();
  if (!known)
    return (
      <button type="button" className="button" disabled>
        Query
      </button>
    );
  if (readable === false)
    return (
      <>
        <button type="button" className="button" disabled aria-describedby={id}>
          Query
        </button>
        <span id={id} className="muted small row-nowrap needs">
          <Lock size={13} aria-hidden />
          <span>You may not read its records: {whoGrants(dataset.owners, who("manage"))}.</span>
        </span>
      </>
    );
  return (
    <Link
      className="button"
      to={links.query(`SELECT * FROM ${sqlTable(dataset.cluster ?? dataset.namespace, dataset.name)} LIMIT 20`)}
    >
      Query
    </Link>
  );
}
