// One connector: how it is, its tasks, what was declared of it, what differs at the worker, what it joins.
import { Link, useParams } from "react-router";
import { useConnector, useConnectorDocument } from "@/api/connectors";
import { usePartitions } from "@/api/topics";
import type { DeclaredDocument, DescribedConnector } from "@/api/types";
import { Answer } from "@/components/Answer";
import { CopyButton } from "@/components/CopyButton";
import { Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { ScrollTable } from "@/components/ScrollTable";
import { When } from "@/components/When";
import { ConnectorActions } from "@/features/connectors/ConnectorActions";
import { ConnectorState } from "@/features/connectors/ConnectorState";
import { configValue, connectorTone, lastError, tasksText } from "@/lib/connectors";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";
import { toYaml } from "@/lib/yaml";
import "@/styles/views.css";

export default function ConnectorPage() {
  const { name = "" } = useParams();
  const connector = useConnector(name);
  const of = connector.data;
  return (
    <div className="page wide">
      <PageHead
        title={name}
        lead={of?.description}
        crumbs={
          <>
            <Link to={links.connectors}>Connectors</Link>
            {of?.cluster && <span>{of.cluster}</span>}
          </>
        }
      >
        {of?.job && (
          <Link className="button" to={links.lineage(of.job)}>
            Lineage
          </Link>
        )}
        {of && <ConnectorActions connector={of} />}
      </PageHead>
      <Answer of={connector} lines={6}>
        {(found) => <Parts of={found} />}
      </Answer>
    </div>
  );
}

function Parts({ of }: { of: DescribedConnector }) {
  const error = lastError(of);
  const tone = connectorTone(of.state);
  return (
    <>
      {error && (
        <Notice tone={tone === "bad" ? "bad" : "warn"}>
          <p className="anywhere">{error}</p>
        </Notice>
      )}
      {of.pending && (
        <Notice tone="warn">
          <p>
            What is declared is not at the worker yet, since <When at={of.pending.since} />. Weir tries again by itself.
          </p>
        </Notice>
      )}
      <div className="columns">
        <div className="stack">
          <Tasks of={of} />
          <Drift of={of} />
          <Declared name={of.name} />
        </div>
        <aside className="stack">
          <Facts of={of} />
          <Ends of={of} />
        </aside>
      </div>
    </>
  );
}

function Tasks({ of }: { of: DescribedConnector }) {
  return (
    <section className="panel flush" aria-labelledby="tasks">
      <h2 id="tasks" className="panel-head">
        Tasks
      </h2>
      {of.tasks.length === 0 ? (
        <p className="muted panel-note">
          {of.state === "unknown" ? "The worker was not asked, so its tasks are not known." : "It has no task now."}
        </p>
      ) : (
        <ScrollTable label="Tasks">
          <thead>
            <tr>
              <th>Task</th>
              <th>State</th>
              <th>Worker</th>
              <th>Last error</th>
            </tr>
          </thead>
          <tbody>
            {of.tasks.map((task) => (
              <tr key={task.id}>
                <td>{task.id}</td>
                <td>
                  <ConnectorState state={task.state} />
                </td>
                <td className="mono small">{task.worker}</td>
                <td className="anywhere">{task.error ?? <span className="muted">–</span>}</td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
    </section>
  );
}

function Drift({ of }: { of: DescribedConnector }) {
  if (of.differs.length === 0) return null;
  return (
    <section className="panel flush" aria-labelledby="drift">
      <h2 id="drift" className="panel-head">
        Changed by hand
      </h2>
      <p className="muted small panel-note">
        The worker has other values than the document. Applying the document again sets them back.
      </p>
      {of.drift === null ? (
        <p className="panel-note">
          {of.differs.join(", ")} <span className="muted small">Values are for its owners and those who manage.</span>
        </p>
      ) : (
        <ScrollTable label="Changed by hand">
          <thead>
            <tr>
              <th>Field</th>
              <th>Declared</th>
              <th>At the worker</th>
            </tr>
          </thead>
          <tbody>
            {of.drift.map((each) => (
              <tr key={each.field}>
                <td className="mono small">{each.field}</td>
                <td className="anywhere">{each.declared ?? <span className="muted">not declared</span>}</td>
                <td className="anywhere">{each.actual ?? <span className="muted">not there</span>}</td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
    </section>
  );
}

function Declared({ name }: { name: string }) {
  const document = useConnectorDocument(name);
  const manages = useMay().may("manage");
  return (
    <section className="panel flush" aria-labelledby="declared">
      <Answer of={document} lines={4}>
        {(found) => (
          <>
            <div className="panel-head spread">
              <h2 id="declared">Declared configuration</h2>
              <span className="row">
                {found && <CopyButton text={toYaml(found)} what="document" />}
                {found && manages && (
                  <Link className="button small" to={links.policies("Connector")}>
                    Change
                  </Link>
                )}
              </span>
            </div>
            {found ? <Config of={found} /> : <p className="muted panel-note">It is not declared any more.</p>}
          </>
        )}
      </Answer>
    </section>
  );
}

function Config({ of }: { of: DeclaredDocument }) {
  const entries = Object.entries((of.spec.config ?? {}) as Record<string, unknown>);
  if (entries.length === 0) return <p className="muted panel-note">The document has no configuration.</p>;
  return (
    <ScrollTable label="Declared configuration">
      <thead>
        <tr>
          <th>Key</th>
          <th>Value</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(([key, value]) => {
          const { text, secret } = configValue(value);
          return (
            <tr key={key}>
              <td className="mono small">{key}</td>
              <td className="anywhere">
                {secret && <span className="badge">secret</span>}{" "}
                <span className={secret ? "" : "mono small"}>{text}</span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </ScrollTable>
  );
}

function Facts({ of }: { of: DescribedConnector }) {
  return (
    <section className="panel" aria-label="About it">
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <ConnectorState state={of.state} />
        </dd>
        <dt>Tasks</dt>
        <dd>{tasksText(of.tasks)}</dd>
        <dt>Kind</dt>
        <dd>{of.type ?? "–"}</dd>
        <dt>Plugin</dt>
        <dd className="anywhere">{of.plugin}</dd>
        <dt>Worker</dt>
        <dd className="mono small anywhere">{of.worker ?? "–"}</dd>
        <dt>Owners</dt>
        <dd>{of.owners.map((owner) => String(owner.user ?? owner.group)).join(", ") || "–"}</dd>
        <dt>Dead letters</dt>
        <dd>
          {of.deadLetters ? (
            <DeadLetters cluster={of.cluster} topic={of.deadLetters} />
          ) : of.type === "source" ? (
            "Kafka Connect has them for sinks only"
          ) : (
            "none declared"
          )}
        </dd>
      </dl>
    </section>
  );
}

/** The topic of records that a sink could not convert, and how many there are, where the catalog knows it. */
function DeadLetters({ cluster, topic }: { cluster: string; topic: string }) {
  const partitions = usePartitions(cluster, topic);
  const records = partitions.data?.records;
  return (
    <>
      <Link className="anywhere" to={links.dataset(cluster, topic, "records")}>
        {topic}
      </Link>
      <div className="small">
        {records != null && <span className={records > 0 ? "badge warn" : "muted"}>{plural(records, "record")}</span>}
        {partitions.isError && <span className="muted">The catalog does not know this topic yet.</span>}
      </div>
    </>
  );
}

function Ends({ of }: { of: DescribedConnector }) {
  const topics = of.topics.length > 0;
  return (
    <section className="panel stack-s" aria-labelledby="joins">
      <h2 id="joins">What it joins</h2>
      <h3>Topics</h3>
      {topics ? (
        <ul>
          {of.topics.map((topic) => (
            <li key={topic}>
              <Link className="anywhere" to={links.dataset(of.cluster, topic)}>
                {topic}
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <p className="muted small">No topic is known: it has moved no record yet, or the worker does not answer.</p>
      )}
      {of.outside.length > 0 && (
        <>
          <h3>Outside of Kafka</h3>
          <ul>
            {of.outside.map((place) => (
              <li key={place} className="mono small anywhere">
                {place}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
