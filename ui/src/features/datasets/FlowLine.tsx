// A dataset in one line: who writes it, how much there is, who reads it, who may see it. Each part comes when it is known.
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useFlowsInto } from "@/api/lineage";
import { useTopicGroups } from "@/api/topics";
import type { DatasetDetails } from "@/api/types";
import { When } from "@/components/When";
import { bytes, count, plural, rateText } from "@/lib/format";
import { nodeName } from "@/lib/graphText";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";
import { datasetNode } from "@/lib/nodeId";

export function FlowLine({ dataset }: { dataset: DatasetDetails }) {
  const place = dataset.cluster ?? dataset.namespace;
  const { opens } = useMay();
  return (
    <ol className="flow-line" aria-label="From writers to readers">
      <Part name="Written by">
        <Writers dataset={dataset} place={place} />
      </Part>
      <Part name="Holds">
        <Amount dataset={dataset} />
      </Part>
      {dataset.cluster && (
        <Part name="Read by">
          <Readers place={place} name={dataset.name} />
        </Part>
      )}
      {dataset.cluster && opens("report:read") && (
        <Part name="Seen unmasked">
          <Link to={links.dataset(place, dataset.name, "access")}>by whom</Link>
        </Part>
      )}
    </ol>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <li>
      <span className="muted small">{name}</span>
      <span>{children}</span>
    </li>
  );
}

function Writers({ dataset, place }: { dataset: DatasetDetails; place: string }) {
  const jobs = useFlowsInto(datasetNode(dataset.namespace, dataset.name));
  if (jobs.isError) return <span className="muted">not known now</span>;
  const [first, ...others] = jobs.data ?? [];
  if (!first) return <span className="muted">{jobs.data ? "no job reported" : "…"}</span>;
  return (
    <Link to={links.dataset(place, dataset.name, dataset.cluster ? "consumers" : "lineage")} className="anywhere">
      {nodeName(first)}
      {others.length > 0 && ` and ${others.length} more`}
    </Link>
  );
}

/** Records, bytes and the newest record; nothing that counts where rows are hidden from the reader. */
function Amount({ dataset }: { dataset: DatasetDetails }) {
  const { retained, size } = dataset.topic;
  const newest = dataset.scan.timeTo;
  const rate = rateText(dataset);
  const amounts = [
    retained == null ? null : plural(retained, "record"),
    size === undefined ? null : bytes(size),
    rate,
  ].filter((each) => each !== null);
  if (dataset.withheld?.includes("rows")) return <span className="muted">some rows are hidden from you</span>;
  if (amounts.length === 0) return <span className="muted">not scanned</span>;
  return (
    <>
      {amounts.join(", ")}
      {newest && (
        <>
          , newest <When at={newest} />
        </>
      )}
    </>
  );
}

function Readers({ place, name }: { place: string; name: string }) {
  const groups = useTopicGroups(place, name, false);
  if (groups.isError) return <span className="muted">not known now</span>;
  if (!groups.data) return <span className="muted">…</span>;
  const lags = groups.data.groups.flatMap((group) => group.lag ?? []);
  return (
    <Link to={links.dataset(place, name, "consumers")}>
      {groups.data.groups.length === 0 ? "no consumer group" : plural(groups.data.groups.length, "consumer group")}
      {lags.length > 0 && `, lag ${count(Math.max(...lags))}`}
    </Link>
  );
}
