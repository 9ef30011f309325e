// Every stream view: its state, how far it is behind, what it reads and writes.
import { Link } from "react-router";
import type { View } from "@/api/types";
import { useViews } from "@/api/views";
import { Answer } from "@/components/Answer";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { LongName } from "@/components/LongName";
import { Needs } from "@/components/Needs";
import { PageHead } from "@/components/PageHead";
import { ViewState } from "@/features/views/ViewState";
import { links, referenceLink } from "@/lib/links";
import { lagText } from "@/lib/views";
import "@/styles/views.css";

const COLUMNS: Column<View>[] = [
  {
    id: "view",
    head: "View",
    sort: (view) => view.name,
    cell: (view) => (
      <>
        <Link to={links.view(view.name)}>
          <LongName of={view.name} />
        </Link>
        {view.error && <div className="small bad-text anywhere">{String(view.error.message ?? "")}</div>}
      </>
    ),
  },
  { id: "state", head: "State", sort: (view) => view.state, cell: (view) => <ViewState state={view.state} /> },
  { id: "behind", head: "Behind", className: "nowrap", cell: (view) => lagText(view.lag) },
  {
    id: "generation",
    head: "Generation",
    sort: (view) => view.generation,
    cell: (view) => (
      <>
        {view.generation ?? "–"}
        {view.building && <span className="muted"> → {view.building.generation}</span>}
      </>
    ),
  },
  {
    id: "reads",
    head: "Reads",
    sort: (view) => view.sources.join(),
    cell: (view) =>
      view.sources.map((source) => (
        <div key={source}>
          <Link to={referenceLink(source)}>{source}</Link>
        </div>
      )),
  },
  {
    id: "writes",
    head: "Writes",
    sort: (view) => view.sink?.topic,
    cell: (view) =>
      view.sink ? (
        <Link to={links.dataset(view.sink.cluster, view.sink.topic)}>{view.sink.topic}</Link>
      ) : (
        <span className="muted">a private topic</span>
      ),
  },
  {
    id: "runs-as",
    head: "Runs as",
    sort: (view) => String(view.runAs.user ?? view.runAs.serviceAccount ?? ""),
    cell: (view) => String(view.runAs.user ?? view.runAs.serviceAccount ?? ""),
  },
];

export default function ViewsPage() {
  const views = useViews();
  return (
    <div className="page wide">
      <PageHead title="Views" lead="Governed queries whose answer is kept up to date.">
        <Needs permission="manage" what="Making a masked copy">
          <Link className="button" to={links.maskedCopy()}>
            Make a masked copy
          </Link>
        </Needs>
        <Link className="button" to={links.query()}>
          Write a query
        </Link>
      </PageHead>
      <Answer of={views} lines={6}>
        {(list) =>
          list.length === 0 ? (
            <div className="panel">
              <Empty title="There is no view yet">
                <p>
                  Write a query and choose <strong>Save as view</strong>, or declare <code>kind: View</code>.
                </p>
              </Empty>
            </div>
          ) : (
            <div className="panel flush">
              <DataTable table="views" label="Views" rows={list} rowKey={(view) => view.name} columns={COLUMNS} />
            </div>
          )
        }
      </Answer>
    </div>
  );
}
