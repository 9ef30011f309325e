// Every declared connector: its state, its tasks, why it does not work, what somebody changed at the worker.
import { Link } from "react-router";
import { useConnectors } from "@/api/connectors";
import { useClusters } from "@/api/scans";
import type { Connector } from "@/api/types";
import { Answer } from "@/components/Answer";
import { CopyButton } from "@/components/CopyButton";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Needs } from "@/components/Needs";
import { Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { ConnectorState } from "@/features/connectors/ConnectorState";
import { firstConnector, lastError, tasksText, troubleText } from "@/lib/connectors";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";
import "@/styles/views.css";

export default function ConnectorsPage() {
  const connectors = useConnectors();
  const { may } = useMay();
  return (
    <div className="page wide">
      <PageHead title="Connectors" lead="Declared connectors of Kafka Connect, as their workers see them now.">
        {may("manage") && (
          <Link className="button" to={links.policies("Connector", true)}>
            Declare a connector
          </Link>
        )}
      </PageHead>
      <Answer of={connectors} lines={6}>
        {(list) => (list.length === 0 ? <None /> : <List of={list} />)}
      </Answer>
    </div>
  );
}

function List({ of: list }: { of: Connector[] }) {
  const trouble = troubleText(list);
  return (
    <>
      {trouble && (
        <Notice tone="bad">
          <p>{trouble}.</p>
        </Notice>
      )}
      <div className="panel flush">
        <DataTable table="connectors" label="Connectors" rows={list} rowKey={(each) => each.name} columns={COLUMNS} />
      </div>
    </>
  );
}

const ownersOf = (of: Connector) => of.owners.map((owner) => String(owner.user ?? owner.group)).join(", ");

const COLUMNS: Column<Connector>[] = [
  { id: "connector", head: "Connector", sort: (of) => of.name, cell: (of) => <Name of={of} /> },
  {
    id: "state",
    head: "State",
    sort: (of) => of.state,
    cell: (of) => (
      <>
        <ConnectorState state={of.state} /> {of.pending && <span className="badge warn">pending</span>}
      </>
    ),
  },
  { id: "tasks", head: "Tasks", className: "nowrap", cell: (of) => tasksText(of.tasks) },
  {
    id: "plugin",
    head: "Plugin",
    sort: (of) => of.plugin.split(".").at(-1),
    cell: (of) => (
      <span className="small anywhere" title={of.plugin}>
        {of.plugin.split(".").at(-1) || "–"} {of.type && <span className="muted">{of.type}</span>}
      </span>
    ),
  },
  {
    id: "cluster",
    head: "Cluster",
    sort: (of) => of.cluster,
    cell: (of) =>
      of.cluster ? <Link to={links.search({ kind: "dataset", cluster: of.cluster })}>{of.cluster}</Link> : "–",
  },
  {
    id: "dead-letters",
    head: "Dead letters",
    sort: (of) => of.deadLetters,
    cell: (of) =>
      of.deadLetters ? (
        <Link className="anywhere" to={links.dataset(of.cluster, of.deadLetters)}>
          {of.deadLetters}
        </Link>
      ) : (
        <span className="muted">–</span>
      ),
  },
  {
    id: "changed",
    head: "Changed by hand",
    sort: (of) => of.differs.join(),
    cell: (of) =>
      of.differs.length > 0 ? (
        <span className="badge warn anywhere">{of.differs.join(", ")}</span>
      ) : (
        <span className="muted">–</span>
      ),
  },
  {
    id: "owners",
    head: "Owners",
    sort: ownersOf,
    cell: (of) => <span className="small">{ownersOf(of) || "–"}</span>,
  },
];

function Name({ of }: { of: Connector }) {
  const error = lastError(of);
  return (
    <>
      {of.state === "deleting" ? <strong>{of.name}</strong> : <Link to={links.connector(of.name)}>{of.name}</Link>}
      {error && <div className="small bad-text anywhere">{error}</div>}
    </>
  );
}

function None() {
  const clusters = useClusters();
  const declared = clusters.data?.filter((each) => each.declared !== false) ?? [];
  const first = firstConnector(declared[0]?.name);
  return (
    <div className="panel stack">
      <Empty title="No connector is declared">
        <p>
          Kafka Connect brings rows of databases and files into topics, and topics to other systems. Weir declares its
          connectors, checks them before they are applied, and shows their state here.
        </p>
      </Empty>
      <Needs permission="manage" what="Declaring a connector">
        <div className="spread">
          <h2>A document to begin with</h2>
          <span className="row">
            <CopyButton text={first} what="document" />
            <Link className="button small" to={links.policies("Connector", true)}>
              Check and apply it
            </Link>
          </span>
        </div>
        <pre className="small">{first}</pre>
        {declared.length > 0 && (
          <p className="muted small">
            The cluster's document names its worker: <code>connect: {'{url: "https://connect:8083"}'}</code>.
          </p>
        )}
      </Needs>
    </div>
  );
}
