import { Link } from "react-router";
import type { Dataset, FacetValue } from "@/api/types";
import { EntityName } from "@/components/EntityBadge";
import { count } from "@/lib/format";
import { links } from "@/lib/links";

/** How much of the catalog is scanned, and holds personal data. What is missing stands in the inbox. */
export function Coverage({
  datasets,
  total,
  entities,
}: {
  datasets: Dataset[];
  total: number;
  /** Undefined while it is not known. */
  entities: FacetValue[] | undefined;
}) {
  const scanned = datasets.filter((d) => d.scannedAt).length;
  const personal = entities && (entities.find((e) => e.value === "PII")?.count ?? 0);
  const kinds = (entities ?? []).filter((e) => e.value !== "PII");
  return (
    <section aria-label="Coverage" className="stack">
      <div className="cards stats">
        <Link className="stat" to={links.datasets()}>
          <b>{count(total)}</b>
          <span>datasets known</span>
        </Link>
        <Link className="stat" to={links.datasets()}>
          <b>{count(scanned)}</b>
          <span>scanned</span>
        </Link>
        <Link className="stat" to={links.fields({ entity: "PII" })}>
          <b>{count(personal)}</b>
          <span>fields with personal data</span>
        </Link>
      </div>
      {kinds.length > 0 && (
        <div className="row" style={{ rowGap: 6 }}>
          {kinds.slice(0, 16).map((e) => (
            <Link key={e.value} to={links.fields({ entity: e.value })} title={`Data locations of ${e.value}`}>
              <EntityName name={e.value} count={e.count} />
            </Link>
          ))}
        </div>
      )}
    </section>
  );
}
