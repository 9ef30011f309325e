// One dataset: its head, its tabs, each tab with an address of its own.
import { type ReactNode, Suspense } from "react";
import { Link, useParams } from "react-router";
import { useDataset } from "@/api/catalog";
import { ApiError } from "@/api/client";
import type { DatasetDetails } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { NotFound } from "@/components/NotFound";
import { PageHead } from "@/components/PageHead";
import { Star } from "@/components/Star";
import { Tabs } from "@/components/Tabs";
import { AccessTab } from "@/features/access/AccessTab";
import { AskButton } from "@/features/access_requests/AskButton";
import { Contracts } from "@/features/contracts/Contracts";
import { CurationNotice } from "@/features/curation/CurationNotice";
import { Overview } from "@/features/datasets/Overview";
import { QueryButton } from "@/features/datasets/QueryButton";
import { SchemaTab } from "@/features/datasets/SchemaTab";
import { PersonalData } from "@/features/detections/PersonalData";
import { Activity } from "@/features/events/DatasetActivity";
import { IncidentNotice } from "@/features/incidents/IncidentNotice";
import { Rules } from "@/features/policies/Rules";
import { Quality } from "@/features/quality/Quality";
import { Questions } from "@/features/questions/Questions";
import { links, referenceLink } from "@/lib/links";
import { firstLine } from "@/lib/markdown";
import { Consumers, LineageTab, Records, TopicTab } from "@/parts";
import "@/styles/dataset.css";

const TABS: { name: string; text: string; show: (dataset: DatasetDetails) => ReactNode }[] = [
  { name: "overview", text: "Overview", show: (d) => <Overview dataset={d} /> },
  { name: "schema", text: "Schema", show: (d) => <SchemaTab dataset={d} /> },
  { name: "personal-data", text: "Personal data", show: (d) => <PersonalData dataset={d} /> },
  { name: "records", text: "Records", show: (d) => <Records dataset={d} /> },
  { name: "topic", text: "Topic", show: (d) => <TopicTab dataset={d} /> },
  { name: "consumers", text: "Consumers", show: (d) => <Consumers dataset={d} /> },
  { name: "lineage", text: "Lineage", show: (d) => <LineageTab dataset={d} /> },
  { name: "access", text: "Access", show: (d) => <AccessTab dataset={d} /> },
  { name: "rules", text: "Rules", show: (d) => <Rules dataset={d} /> },
  { name: "contracts", text: "Contracts", show: (d) => <Contracts dataset={d} /> },
  { name: "quality", text: "Quality", show: (d) => <Quality dataset={d} /> },
  { name: "questions", text: "Questions", show: (d) => <Questions dataset={d} /> },
  { name: "activity", text: "Activity", show: (d) => <Activity dataset={d} /> },
];

/** Tabs that read the topic itself. */
const OF_TOPICS = new Set(["records", "topic", "consumers"]);

export default function DatasetPage() {
  const { place = "", name = "", tab: asked = "overview" } = useParams();
  // Earlier links say sample.
  const tab = asked === "sample" ? "records" : asked;
  const dataset = useDataset(place, name);
  const shown = TABS.find((t) => t.name === tab);
  if (!shown) return <NotFound />;
  // What lies in no cluster of ours (a table, a file) is known from lineage; nothing of it can be read here.
  const readable = dataset.data ? dataset.data.cluster !== null : true;
  if (!readable && OF_TOPICS.has(tab)) return <NotFound />;
  return (
    <div className={tab === "lineage" ? "page wide" : "page"}>
      <PageHead
        title={tab === "overview" ? name : `${name}: ${shown.text}`}
        shown={name}
        lead={dataset.data && firstLine(dataset.data.description)}
        crumbs={
          <>
            <Link to={links.datasets()}>Datasets</Link>
            <span>/</span>
            <Link to={links.search({ kind: "dataset", cluster: dataset.data?.cluster })}>
              {dataset.data?.cluster ?? place}
            </Link>
          </>
        }
      >
        {dataset.data && <Star place={dataset.data.cluster ?? place} name={name} />}
        {dataset.data && readable && (
          <>
            <QueryButton dataset={dataset.data} />
            <AskButton reference={dataset.data.reference} />
          </>
        )}
      </PageHead>
      {dataset.data && <CurationNotice curated={dataset.data.curated} />}
      {dataset.data && <IncidentNotice reference={dataset.data.reference} />}
      {!dataset.isError && (
        <Tabs label="About this dataset" current={`${tab} ${readable}`}>
          {TABS.filter((t) => readable || !OF_TOPICS.has(t.name)).map((t) => (
            <Link
              key={t.name}
              to={links.dataset(place, name, t.name)}
              aria-current={t.name === tab ? "page" : undefined}
            >
              {t.text}
            </Link>
          ))}
        </Tabs>
      )}
      {dataset.error instanceof ApiError && dataset.error.status === 404 ? (
        <Unknown error={dataset.error} name={name} />
      ) : (
        <Answer of={dataset}>{(d) => <Suspense fallback={<Loading />}>{shown.show(d)}</Suspense>}</Answer>
      )}
    </div>
  );
}

/** A dataset that the catalog does not hold: the names that look like it, and where to search. */
function Unknown({ error, name }: { error: ApiError; name: string }) {
  const nearest = error.details.nearest;
  const near = Array.isArray(nearest) ? nearest.filter((one): one is string => typeof one === "string") : [];
  return (
    <div className="panel">
      <Empty title="The catalog has no such dataset">
        {near.length > 0 && (
          <p>
            Did you mean{" "}
            {near.map((reference, i) => (
              <span key={reference}>
                {i > 0 && (i === near.length - 1 ? " or " : ", ")}
                <Link to={referenceLink(reference)}>{reference}</Link>
              </span>
            ))}
            ?
          </p>
        )}
        <p>
          <Link to={links.search({ q: name })}>Search for “{name}”</Link>, or see{" "}
          <Link to={links.datasets()}>all datasets</Link>. A topic that no scan has read is not here yet.
        </p>
      </Empty>
    </div>
  );
}
