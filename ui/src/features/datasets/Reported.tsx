// What producers of lineage report of a dataset: shown beside what people and scans know.
import type { DatasetDetails } from "@/api/types";
import { When } from "@/components/When";
import { count } from "@/lib/format";

const NAMES: Record<string, string> = {
  ownership: "Owners",
  documentation: "Documentation",
  tags: "Tags",
  datasetType: "Type",
  lifecycleStateChange: "Last change of state",
  version: "Version",
  dataSource: "Source",
  storage: "Storage",
  catalog: "Catalog",
  hierarchy: "Hierarchy",
  dataQualityMetrics: "Data quality",
  dataQualityAssertions: "Assertions",
  inputStatistics: "Last read",
  outputStatistics: "Last written",
};

export function Reported({ dataset }: { dataset: DatasetDetails }) {
  const { facets = {}, names = [], logOnly = [] } = dataset.reported ?? {};
  const known = Object.entries(facets);
  const others = names.filter((n) => n.namespace !== dataset.namespace || n.name !== dataset.name);
  if (known.length + others.length + logOnly.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="reported">
      <h2 id="reported">Reported by producers</h2>
      <dl className="facts">
        {known.map(([facet, { at, ...value }]) => (
          <div key={facet} style={{ display: "contents" }}>
            <dt>{NAMES[facet] ?? facet}</dt>
            <dd>
              {inWords(value)}{" "}
              <span className="muted small">
                <When at={at} />
              </span>
            </dd>
          </div>
        ))}
        {others.length > 0 && (
          <>
            <dt>Also known as</dt>
            <dd>
              {others.map((n) => (
                <div key={`${n.namespace} ${n.name}`} className="mono anywhere">
                  {n.namespace}/{n.name}
                </div>
              ))}
            </dd>
          </>
        )}
        {logOnly.length > 0 && (
          <>
            <dt>Facets not kept</dt>
            <dd className="muted">{logOnly.join(", ")}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** A facet's value as a line: lists by their entries, objects by their parts. */
function inWords(value: unknown): string {
  if (Array.isArray(value)) {
    const shown = value.slice(0, 10).map(inWords).join("; ");
    return value.length > 10 ? `${shown}; and ${value.length - 10} more` : shown;
  }
  if (typeof value === "number") return count(value);
  if (typeof value !== "object" || value === null) return String(value ?? "");
  const parts = Object.entries(value);
  if (parts.length === 1) return inWords(parts[0]?.[1]);
  return parts.map(([name, part]) => `${name}: ${inWords(part)}`).join(", ");
}
