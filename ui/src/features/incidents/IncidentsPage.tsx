// Every incident that may be known, with filters by state, contract and person.
import { Link, useSearchParams } from "react-router";
import { useMe } from "@/api/access";
import { type IncidentQuery, useIncidents } from "@/api/incidents";
import type { Incident } from "@/api/types";
import { Answer } from "@/components/Answer";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { When } from "@/components/When";
import { figuresText, STATE_TONES } from "@/lib/incidents";
import { links } from "@/lib/links";
import { useToken } from "@/lib/session";

const SHOWS: { name: string; text: string; states: IncidentQuery["state"] }[] = [
  { name: "unresolved", text: "Not resolved", states: ["open", "acknowledged"] },
  { name: "open", text: "Open", states: ["open"] },
  { name: "resolved", text: "Resolved", states: ["resolved"] },
  { name: "all", text: "All", states: [] },
];

export default function IncidentsPage() {
  const [params, setParams] = useSearchParams();
  const me = useMe(useToken());
  const show = SHOWS.find((each) => each.name === params.get("show")) ?? SHOWS[0];
  const mine = params.get("mine") === "true";
  const [dataset, source] = [params.get("dataset"), params.get("source")];
  const incidents = useIncidents({
    ...(show?.states?.length ? { state: show.states } : {}),
    ...(mine && me.data ? { assignee: me.data.user } : {}),
    ...(dataset ? { dataset } : {}),
    ...(source ? { source } : {}),
  });
  const set = (name: string, value: string | null) =>
    setParams((before) => {
      const after = new URLSearchParams(before);
      if (value === null) after.delete(name);
      else after.set(name, value);
      return after;
    });
  return (
    <div className="page wide">
      <PageHead
        title="Incidents"
        lead="What checks see wrong with datasets now, who looks after it, and how it ended."
      />
      <div className="row">
        <label>
          State{" "}
          <select className="input" value={show?.name} onChange={(event) => set("show", event.target.value)}>
            {SHOWS.map((each) => (
              <option key={each.name} value={each.name}>
                {each.text}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={mine}
            onChange={(event) => set("mine", event.target.checked ? "true" : null)}
          />{" "}
          Assigned to me
        </label>
        {dataset && <Chip text={dataset} onClear={() => set("dataset", null)} />}
        {source && <Chip text={source} onClear={() => set("source", null)} />}
      </div>
      <Answer of={incidents} lines={6}>
        {(found) =>
          found.incidents.length === 0 ? (
            <div className="panel">
              <Empty title="No incident">
                <p>Checks of contracts open one when a promise is broken, and resolve it when it is kept again.</p>
              </Empty>
            </div>
          ) : (
            <>
              {found.more && (
                <Notice tone="info">
                  <p>There are more than are shown. Filters show others.</p>
                </Notice>
              )}
              <div className="panel flush">
                <DataTable
                  table="incidents"
                  label="Incidents"
                  rows={found.incidents}
                  rowKey={(each) => each.id}
                  columns={COLUMNS}
                />
              </div>
            </>
          )
        }
      </Answer>
    </div>
  );
}

function Chip({ text, onClear }: { text: string; onClear: () => void }) {
  return (
    <button type="button" className="button small" onClick={onClear} aria-label={`Show others than ${text}, too`}>
      {text} ×
    </button>
  );
}

const COLUMNS: Column<Incident>[] = [
  {
    id: "state",
    head: "State",
    sort: (of) => of.state,
    cell: (of) => <span className={STATE_TONES[of.state]}>{of.state}</span>,
  },
  {
    id: "incident",
    head: "Incident",
    sort: (of) => of.title,
    cell: (of) => (
      <>
        <Link to={links.incident(of.id)}>{of.title}</Link>
        {of.reason && <div className="small muted anywhere">{of.reason}</div>}
      </>
    ),
  },
  {
    id: "dataset",
    head: "Dataset",
    sort: (of) => of.dataset,
    cell: (of) => (
      <Link className="anywhere" to={links.dataset(of.namespace, of.name)}>
        {of.dataset}
      </Link>
    ),
  },
  { id: "figures", head: "Records", cell: (of) => <span className="small">{figuresText(of) || "–"}</span> },
  { id: "opened", head: "Opened", sort: (of) => of.openedAt, cell: (of) => <When at={of.openedAt} /> },
  { id: "assignee", head: "Assignee", sort: (of) => of.assignee ?? "", cell: (of) => of.assignee ?? "–" },
  { id: "source", head: "Contract", sort: (of) => of.source, cell: (of) => <span className="small">{of.source}</span> },
];
