// Data products that the reader may know of: datasets that are offered together.
import { Link } from "react-router";
import { useProducts } from "@/api/curation";
import type { DataProduct } from "@/api/types";
import { Answer } from "@/components/Answer";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { PageHead } from "@/components/PageHead";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";

const COLUMNS: Column<DataProduct>[] = [
  {
    id: "product",
    head: "Product",
    sort: (of) => of.name,
    cell: (of) => <Link to={links.product(of.name)}>{of.title || of.name}</Link>,
  },
  { id: "owners", head: "Owners", cell: (of) => of.owners.join(", ") || "none" },
  { id: "datasets", head: "Datasets", sort: (of) => of.datasets.length, cell: (of) => of.datasets.length },
  { id: "description", head: "Description", className: "anywhere", cell: (of) => of.description || "–" },
];

export default function ProductsPage() {
  const products = useProducts();
  const { may } = useMay();
  return (
    <div className="page">
      <PageHead title="Data products" lead="Datasets that are offered together.">
        {may("manage") && (
          <Link className="button" to={links.policies("DataProduct", true)}>
            Declare a product
          </Link>
        )}
      </PageHead>
      <Answer of={products} lines={4}>
        {(list) => (
          <div className="panel flush">
            {list.length === 0 ? (
              <Empty title="No data product is declared">
                <p>Administrators declare one as YAML, by kind: DataProduct.</p>
              </Empty>
            ) : (
              <DataTable
                table="products"
                label="Data products"
                rows={list}
                rowKey={(each) => each.name}
                columns={COLUMNS}
              />
            )}
          </div>
        )}
      </Answer>
    </div>
  );
}
