// One stream view: how it is, its rows, its rows live, its lineage.
import type { CSSProperties } from "react";
import { Link, NavLink, useParams } from "react-router";
import { useNamespaces } from "@/api/places";
import type { View } from "@/api/types";
import { useView } from "@/api/views";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { SmallChart } from "@/components/SmallChart";
import { Tabs } from "@/components/Tabs";
import { When } from "@/components/When";
import { LineageView } from "@/features/lineage/LineageView";
import { ReadView } from "@/features/views/ReadView";
import { RowsBrowser } from "@/features/views/RowsBrowser";
import { TopicClients } from "@/features/views/TopicClients";
import { ViewActions } from "@/features/views/ViewActions";
import { resultOf, ViewFlow } from "@/features/views/ViewFlow";
import { ViewLive } from "@/features/views/ViewLive";
import { ViewState } from "@/features/views/ViewState";
import { count } from "@/lib/format";
import { links } from "@/lib/links";
import { datasetNode } from "@/lib/nodeId";
import { lagText } from "@/lib/views";
import "@/styles/views.css";

const SPAN = "the last quarter of an hour";

const TABS = [
  { id: "overview", text: "Overview" },
  { id: "rows", text: "Rows" },
  { id: "live", text: "Live" },
  { id: "lineage", text: "Lineage" },
];

/** Parts that a masked copy lacks. */
const OF_ROWS = new Set(["rows", "live"]);

export default function ViewPage() {
  const { name = "", tab = "overview" } = useParams();
  const view = useView(name);
  return (
    <div className="page wide">
      <PageHead title={name} lead={view.data?.description} crumbs={<Link to={links.views}>Views</Link>}>
        {view.data && <ViewActions view={view.data} />}
      </PageHead>
      <Tabs label="Parts of the view" current={tab}>
        {TABS.filter(({ id }) => !view.data?.maskedCopy || !OF_ROWS.has(id)).map(({ id, text }) => (
          <NavLink key={id} to={links.view(name, id)} end={id === "overview"}>
            {text}
          </NavLink>
        ))}
      </Tabs>
      <Answer of={view} lines={6}>
        {(of) => (
          <>
            {of.error && (
              <Notice tone={of.state === "failed" || of.state === "stopped" ? "bad" : "warn"}>
                <p className="anywhere">{String(of.error.message ?? "")}</p>
              </Notice>
            )}
            {of.building && (
              <Notice>
                <p>
                  Generation {of.building.generation} is being built since <When at={of.building.since} />:{" "}
                  {of.building.why}.
                </p>
              </Notice>
            )}
            {tab === "rows" && <RowsBrowser name={name} keyed={of.key.length > 0} dataset={referenceOf(of)} />}
            {tab === "live" && <ViewLive name={name} />}
            {tab === "lineage" && <Lineage view={of} />}
            {tab === "overview" && <Overview view={of} />}
          </>
        )}
      </Answer>
    </div>
  );
}

function referenceOf(view: View): string | null {
  const result = resultOf(view);
  return result && `${result.cluster}/${result.name}`;
}

function Lineage({ view }: { view: View }) {
  const namespaces = useNamespaces();
  const result = resultOf(view);
  if (!result) return <Empty title="No lineage is known before the first generation" />;
  return (
    <div style={{ "--above": "300px" } as CSSProperties}>
      <LineageView root={datasetNode(namespaces.of(result.cluster), result.name)} />
    </div>
  );
}

const COUNTS: [string, string][] = [
  ["recordsIn", "Records read"],
  ["rowsWritten", "Rows written"],
  ["rowsDeleted", "Rows deleted"],
  ["batches", "Batches"],
  ["lateRecords", "Late records"],
  ["unfitValues", "Values that did not fit"],
  ["unreadable", "Records not readable"],
  ["stateRows", "Rows of state"],
];

function Overview({ view }: { view: View }) {
  const samples = view.history ?? [];
  const counts = view.counts as Record<string, number | undefined>;
  const rates = view.rates as Record<string, number | undefined>;
  return (
    <div className="stack">
      <ViewFlow view={view} />
      <div className="columns">
        <div className="stack">
          {samples.length > 1 && (
            <section className="panel row view-charts" aria-label="The last quarter of an hour">
              <SmallChart title="Lag" values={samples.map((s) => s.records)} unit="records" span={SPAN} />
              <SmallChart title="Lag" values={samples.map((s) => s.seconds)} unit="s" span={SPAN} />
              <SmallChart title="Records in" values={samples.map((s) => s.recordsInPerSecond)} unit="/s" span={SPAN} />
              <SmallChart title="Rows out" values={samples.map((s) => s.rowsOutPerSecond)} unit="/s" span={SPAN} />
              <SmallChart title="Batch" values={samples.map((s) => s.batchSeconds)} unit="s" span={SPAN} />
            </section>
          )}
          <section className="panel">
            <h2>SQL</h2>
            <pre className="small">{view.sql}</pre>
            {view.notes.map((note) => (
              <p key={note} className="muted small">
                {note}
              </p>
            ))}
          </section>
          {!view.maskedCopy && <ReadView name={view.name} />}
          {view.sink && <TopicClients view={view.name} />}
          <section className="panel flush table-wrap" aria-label="Columns">
            <table className="table">
              <thead>
                <tr>
                  <th>Column</th>
                  <th>Type</th>
                  <th>Key</th>
                </tr>
              </thead>
              <tbody>
                {view.columns.map((column) => (
                  <tr key={column.name}>
                    <td>{column.name}</td>
                    <td className="mono">{column.type}</td>
                    <td>{view.key.includes(column.name) ? "key" : ""}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </div>
        <aside className="panel">
          <dl className="facts">
            <dt>State</dt>
            <dd>
              <ViewState state={view.state} /> <When at={view.since} never="" />
            </dd>
            <dt>Generation</dt>
            <dd>{view.generation ?? "–"}</dd>
            <dt>Behind</dt>
            <dd>{lagText(view.lag)}</dd>
            <dt>Rows</dt>
            <dd>{count(view.rows)}</dd>
            <dt>Last batch</dt>
            <dd>{rates.batchSeconds === undefined ? "–" : `${rates.batchSeconds.toFixed(2)} s`}</dd>
            {COUNTS.map(([name, text]) =>
              counts[name] === undefined ? null : (
                <div key={name} style={{ display: "contents" }}>
                  <dt>{text}</dt>
                  <dd>{count(counts[name])}</dd>
                </div>
              ),
            )}
            <dt>Restarts</dt>
            <dd>{count(view.restarts)}</dd>
            <dt>Owners</dt>
            <dd>{view.owners.map((owner) => owner.user ?? owner.group).join(", ") || "–"}</dd>
          </dl>
        </aside>
      </div>
    </div>
  );
}
