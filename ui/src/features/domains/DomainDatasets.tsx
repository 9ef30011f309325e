// The datasets of a domain that the reader may know of.
import { Link } from "react-router";
import { useDomainDatasets } from "@/api/domains";
import type { DomainDataset } from "@/api/types";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { NextPage } from "@/components/NextPage";
import { ErrorNotice } from "@/components/Notice";
import { count } from "@/lib/format";
import { referenceLink } from "@/lib/links";

const COLUMNS: Column<DomainDataset>[] = [
  {
    id: "dataset",
    head: "Dataset",
    className: "anywhere",
    cell: (of) => <Link to={referenceLink(of.reference)}>{of.reference}</Link>,
  },
  { id: "owners", head: "Owners", cell: (of) => of.owners.join(", ") || "–" },
  { id: "tags", head: "Tags", className: "anywhere", cell: (of) => of.tags.join(", ") || "–" },
];

export function DomainDatasets({ name }: { name: string }) {
  const datasets = useDomainDatasets(name);
  const rows = datasets.data?.pages.flatMap((page) => page.datasets) ?? [];
  const total = datasets.data?.pages[0]?.total ?? 0;
  return (
    <section className="panel flush" aria-label="Datasets of the domain">
      <div className="panel-head">
        <h2>Datasets</h2>
        {datasets.data && <span className="muted small">{count(total)}</span>}
      </div>
      {datasets.isPending && <Loading lines={4} />}
      {datasets.isError && <ErrorNotice error={datasets.error} />}
      {datasets.data && rows.length === 0 && (
        <Empty title="No dataset yet">
          <p>None that its patterns match is in the catalog.</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          table="domain-datasets"
          label="Datasets of the domain"
          rows={rows}
          rowKey={(each) => each.reference}
          columns={COLUMNS}
        />
      )}
      <NextPage of={datasets} label="More datasets" />
    </section>
  );
}
