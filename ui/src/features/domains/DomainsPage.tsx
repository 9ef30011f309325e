// Domains that the reader may know of: teams with datasets, admins and stewards of their own.
import { Link } from "react-router";
import { useDomains } from "@/api/domains";
import type { ListedDomain } from "@/api/types";
import { Answer } from "@/components/Answer";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { PageHead } from "@/components/PageHead";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";

const COLUMNS: Column<ListedDomain>[] = [
  {
    id: "domain",
    head: "Domain",
    sort: (of) => of.name,
    cell: (of) => <Link to={links.domain(of.name)}>{of.name}</Link>,
  },
  {
    id: "you",
    head: "You",
    sort: (of) => of.membership ?? "",
    cell: (of) =>
      of.membership ? <span className="badge ok">{of.membership}</span> : <span className="muted">–</span>,
  },
  { id: "description", head: "Description", className: "anywhere", cell: (of) => of.description || "–" },
];

export default function DomainsPage() {
  const domains = useDomains();
  const { may } = useMay();
  return (
    <div className="page">
      <PageHead title="Domains" lead="Teams with datasets, admins and stewards of their own.">
        {may("manage") && (
          <Link className="button" to={links.policies("Domain", true)}>
            Declare a domain
          </Link>
        )}
      </PageHead>
      <Answer of={domains} lines={4}>
        {(list) => (
          <div className="panel flush">
            {list.length === 0 ? (
              <Empty title="No domain is declared">
                <p>Administrators declare one as YAML; its admins then run it.</p>
              </Empty>
            ) : (
              <DataTable table="domains" label="Domains" rows={list} rowKey={(each) => each.name} columns={COLUMNS} />
            )}
          </div>
        )}
      </Answer>
    </div>
  );
}
