import { Link } from "react-router";
import { useClassifications } from "@/api/catalog";
import { useNeighbours } from "@/api/lineage";
import type { Classification, Dataset, DatasetDetails } from "@/api/types";
import { Answer } from "@/components/Answer";
import { EntityBadge } from "@/components/EntityBadge";
import { Needs } from "@/components/Needs";
import { Notice } from "@/components/Notice";
import { When } from "@/components/When";
import { FlowLine } from "@/features/datasets/FlowLine";
import { RelatedDatasets } from "@/features/datasets/RelatedDatasets";
import { Reported } from "@/features/datasets/Reported";
import { Describe } from "@/features/descriptions/Describe";
import { bytes, count, duration, plural, rateText } from "@/lib/format";
import { nodeName } from "@/lib/graphText";
import { links, nodeLink } from "@/lib/links";
import { datasetNode } from "@/lib/nodeId";
import { shortPath } from "@/lib/paths";

export function Overview({ dataset }: { dataset: DatasetDetails }) {
  return (
    <div className="stack">
      <FlowLine dataset={dataset} />
      <Parts dataset={dataset} />
    </div>
  );
}

function Parts({ dataset }: { dataset: DatasetDetails }) {
  const place = dataset.cluster ?? dataset.namespace;
  const problems = dataset.scan.problems ?? [];
  const newest = dataset.scan.timeTo;
  const rate = rateText(dataset);
  return (
    <div className="columns">
      <div className="stack">
        {dataset.deletedAt && (
          <Notice tone="warn">
            This topic is gone from its cluster since <When at={dataset.deletedAt} />. What is known of it stays here.
          </Notice>
        )}
        {!dataset.cluster && (
          <Notice tone="info">
            Known from lineage only: Weir reads no cluster that has it. Its columns are those that producers report, and
            nobody has looked into its data.
          </Notice>
        )}
        {dataset.cluster && !dataset.scannedAt && (
          <Notice tone="warn">
            <p>
              No scan has read this dataset yet: its fields are unknown, and unknown fields count as personal data.{" "}
              <Needs permission="scan" what="Scanning">
                <Link to={links.admin("scans")}>Scan it</Link>
              </Needs>
            </p>
          </Notice>
        )}
        {dataset.scan.error && <Notice tone="bad">The last scan failed: {dataset.scan.error.message}</Notice>}
        {problems.map((problem, i) => (
          <Notice key={i} tone="warn">
            {problem.message ?? JSON.stringify(problem)}
          </Notice>
        ))}
        <Describe dataset={dataset} />
        <Reported dataset={dataset} />
        <Around dataset={dataset} />
        <Personal place={place} name={dataset.name} />
        <RelatedDatasets place={place} name={dataset.name} />
      </div>
      <aside className="panel" aria-labelledby="facts">
        <h2 id="facts">Facts</h2>
        <dl className="facts">
          <dt>Cluster</dt>
          <dd>{dataset.cluster ?? "none registered"}</dd>
          <dt>Namespace</dt>
          <dd className="mono">{dataset.namespace}</dd>
          <dt>Format</dt>
          <dd>
            {Object.entries(dataset.format)
              .map(([part, format]) => `${part}: ${format}`)
              .join(", ") || "–"}
          </dd>
          <dt>Records kept</dt>
          <dd>
            {dataset.withheld?.includes("rows")
              ? "withheld"
              : dataset.topic.retained == null
                ? "–"
                : `about ${count(dataset.topic.retained)}`}
          </dd>
          <dt>Size</dt>
          <dd>
            {dataset.withheld?.includes("rows")
              ? "withheld"
              : dataset.topic.size === undefined
                ? "–"
                : `${bytes(dataset.topic.size)} a copy${perRecord(dataset.topic)}`}
          </dd>
          <dt>Partitions</dt>
          <dd>{count(dataset.topic.partitions)}</dd>
          <dt>Retention</dt>
          <dd>
            {duration(dataset.topic.retentionMs)}
            {(dataset.topic.retentionBytes ?? -1) >= 0 && `, at most ${bytes(dataset.topic.retentionBytes)}`}
          </dd>
          <dt>Cleanup</dt>
          <dd>{dataset.topic.cleanupPolicy ?? "–"}</dd>
          <dt>Scanned</dt>
          <dd>
            <When at={dataset.scannedAt} />
            {dataset.scan.records != null && (
              <span className="muted">
                {" "}
                · {plural(dataset.scan.records, "record")} read
                {dataset.scan.unchangedAt && (
                  <>
                    {" "}
                    <When at={dataset.scan.at} />, unchanged since
                  </>
                )}
              </span>
            )}
          </dd>
          {newest && (
            <>
              <dt>Newest record</dt>
              <dd>
                <When at={newest} />
              </dd>
            </>
          )}
          {rate && (
            <>
              <dt>Rate</dt>
              <dd>{rate}</dd>
            </>
          )}
          <dt>Last seen</dt>
          <dd>
            <When at={dataset.lastSeenAt} />
          </dd>
          <dt>Known since</dt>
          <dd>
            <When at={dataset.createdAt} />
          </dd>
        </dl>
      </aside>
    </div>
  );
}

function Personal({ place, name }: { place: string; name: string }) {
  const known = useClassifications(place, name);
  return (
    <section className="panel" aria-labelledby="personal">
      <h2 id="personal">Personal data</h2>
      <Answer of={known} lines={2}>
        {(all) => <Detections of={all.filter((c) => c.state !== "rejected")} place={place} name={name} />}
      </Answer>
    </section>
  );
}

function Detections({ of, place, name }: { of: Classification[]; place: string; name: string }) {
  if (of.length === 0) return <p className="muted">None found and none declared.</p>;
  return (
    <ul className="pairs">
      {of.slice(0, 12).map((c) => (
        <li key={`${c.path} ${c.entity}`} className="row">
          <Link to={links.field(place, name, c.path)} className="mono anywhere">
            {shortPath(c.path)}
          </Link>
          <EntityBadge of={c} />
        </li>
      ))}
      {of.length > 12 && (
        <li>
          <Link to={links.dataset(place, name, "personal-data")}>and {of.length - 12} more</Link>
        </li>
      )}
    </ul>
  );
}

/** One hop each way: what it is made from, and what is made from it. */
function Around({ dataset }: { dataset: Dataset }) {
  const node = datasetNode(dataset.namespace, dataset.name);
  const { upstream, downstream } = useNeighbours(node).data ?? { upstream: [], downstream: [] };
  if (upstream.length + downstream.length === 0) return null;
  const sides = [
    { title: "Comes from", ids: upstream },
    { title: "Goes to", ids: downstream },
  ];
  return (
    <section className="panel" aria-labelledby="around">
      <div className="spread" style={{ marginBottom: 10 }}>
        <h2 id="around">Flows</h2>
        <Link to={links.dataset(dataset.cluster ?? dataset.namespace, dataset.name, "lineage")} className="small">
          Lineage
        </Link>
      </div>
      <dl className="facts">
        {sides.map(({ title, ids }) => (
          <div key={title} style={{ display: "contents" }}>
            <dt>{title}</dt>
            <dd className="row">
              {ids.length === 0 && <span className="muted">nothing known</span>}
              {ids.slice(0, 12).map((id) => (
                <Link key={id} to={nodeLink(id)} className="badge">
                  {nodeName(id)}
                </Link>
              ))}
              {ids.length > 12 && <span className="muted small">and {ids.length - 12} more</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Bytes of a record as it is stored, headers and compression included. */
function perRecord(topic: { size?: number; retained?: number | null }): string {
  return topic.size && topic.retained ? `, about ${bytes(topic.size / topic.retained)} a record` : "";
}
