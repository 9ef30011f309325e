// A query of a dataset, for those who may read it. Others read why not, and who can grant access.
import { Lock } from "lucide-react";
import { useId } from "react";
import { Link } from "react-router";
import { useMe } from "@/api/access";
import { useOwnAccess } from "@/api/effective";
import type { DatasetDetails } from "@/api/types";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";
import { readable, whoGrants } from "@/lib/ownAccess";
import { bearer, useToken } from "@/lib/session";
import { sqlTable } from "@/lib/sql";

/** Tokens of Weir; those of a provider may carry rights that Weir knows only while it answers them. */
const OWN_TOKEN = "weir_";

export function QueryButton({ dataset }: { dataset: DatasetDetails }) {
  const id = useId();
  const token = useToken();
  const user = useMe(token).data?.user;
  const own = useOwnAccess(user, dataset.reference);
  const { who } = useMay();
  const foreign = bearer()?.startsWith(OWN_TOKEN) === false;
  if (!foreign && own.isPending)
    return (
      <button type="button" className="button" disabled>
        Query
      </button>
    );
  if (!foreign && readable(own.data) === false)
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
