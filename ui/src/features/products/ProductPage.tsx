// One data product: its owners, its datasets, which of them others are to read, and what is promised.
import { Link, useParams } from "react-router";
import { useProduct } from "@/api/curation";
import type { ProductDataset } from "@/api/types";
import { Answer } from "@/components/Answer";
import { type Column, DataTable } from "@/components/DataTable";
import { PageHead } from "@/components/PageHead";
import { plural } from "@/lib/format";
import { links, referenceLink } from "@/lib/links";

const COLUMNS: Column<ProductDataset>[] = [
  {
    id: "dataset",
    head: "Dataset",
    sort: (of) => of.reference,
    cell: (of) => (of.inCatalog ? <Link to={referenceLink(of.reference)}>{of.reference}</Link> : of.reference),
  },
  {
    id: "state",
    head: "State",
    cell: (of) => (
      <span className="row">
        {of.output && <span className="badge">output</span>}
        {of.certified && <span className="badge ok">certified</span>}
        {of.deprecated && <span className="badge warn">deprecated</span>}
        {!of.inCatalog && <span className="muted small">not in the catalog</span>}
      </span>
    ),
  },
  { id: "description", head: "Description", className: "anywhere", cell: (of) => of.description || "–" },
];

export default function ProductPage() {
  const { name = "" } = useParams();
  const product = useProduct(name);
  return (
    <div className="page">
      <PageHead
        title={product.data?.title || name}
        lead={product.data?.description}
        crumbs={<Link to={links.products}>Data products</Link>}
      />
      <Answer of={product} lines={4}>
        {(shown) => (
          <div className="stack">
            <div className="panel">
              <dl className="facts">
                <dt>Owners</dt>
                <dd>{shown.owners.join(", ") || "none"}</dd>
                <dt>Contracts</dt>
                <dd>{shown.contracts.join(", ") || "none"}</dd>
              </dl>
              <p>
                <Link to={links.search({ q: `product:"${name}"` })}>Search within this product</Link>
              </p>
            </div>
            <div className="panel flush">
              <DataTable
                table="product-datasets"
                label="Datasets"
                rows={shown.datasets}
                rowKey={(each) => each.reference}
                columns={COLUMNS}
              />
            </div>
            {(shown.leftOut ?? 0) > 0 && (
              <p className="muted">Left out, as you may not know of them: {plural(shown.leftOut ?? 0, "dataset")}.</p>
            )}
          </div>
        )}
      </Answer>
    </div>
  );
}
