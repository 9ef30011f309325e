// Who reads the topic and who writes it: consumer groups with lag, jobs by lineage.
import { Link } from "react-router";
import { useFlowsInto } from "@/api/lineage";
import { useReaders, useTopicGroups } from "@/api/topics";
import type { Dataset, TopicGroup } from "@/api/types";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Notice } from "@/components/Notice";
import { When } from "@/components/When";
import { LagOverTime } from "@/features/topics/LagOverTime";
import { count, plural } from "@/lib/format";
import { nodeName } from "@/lib/graphText";
import { links, nodeLink } from "@/lib/links";
import { datasetNode } from "@/lib/nodeId";
import "@/styles/topic.css";

export default function Consumers({ dataset }: { dataset: Dataset }) {
  const place = dataset.cluster ?? dataset.namespace;
  const groups = useTopicGroups(place, dataset.name);
  return (
    <div className="stack">
      <LagOverTime place={place} name={dataset.name} />
      <section className="panel flush" aria-labelledby="groups">
        <h2 id="groups" className="panel-head">
          Consumer groups
        </h2>
        <Answer of={groups}>
          {(found) => (
            <>
              {found.withheld && (
                <p className="muted small panel-note">You see some rows only, so offsets and lag are withheld.</p>
              )}
              {found.unread > 0 && (
                <Notice tone="warn">{plural(found.unread, "group")} of the cluster could not be looked at.</Notice>
              )}
              {found.groups.length === 0 ? (
                <Empty title="No consumer group">
                  <p>No group has committed offsets of this topic, or has a member that reads it.</p>
                </Empty>
              ) : (
                <ul className="groups">
                  {found.groups.map((group) => (
                    <Group key={group.name} group={group} namespace={dataset.namespace} />
                  ))}
                </ul>
              )}
            </>
          )}
        </Answer>
      </section>
      <div className="columns-even">
        <ReadersPanel dataset={dataset} place={place} />
        <WritersPanel dataset={dataset} place={place} />
      </div>
    </div>
  );
}

function Group({ group, namespace }: { group: TopicGroup; namespace: string }) {
  return (
    <li>
      <details>
        <summary className="group-head">
          <span className="strong anywhere">{group.name}</span>
          <span className={`badge ${group.state === "STABLE" ? "ok" : ""}`}>{group.state.toLowerCase()}</span>
          <span className="muted">{plural(group.members.length, "member")}</span>
          <span className="group-lag">
            lag <strong>{count(group.lag)}</strong>
          </span>
        </summary>
        <DataTable
          table="partitions of a group"
          label={`Partitions that ${group.name} reads`}
          rows={group.partitions}
          rowKey={(p) => p.partition}
          columns={[
            { id: "partition", head: "Partition", sort: (p) => p.partition, cell: (p) => p.partition },
            {
              id: "committed",
              head: "Committed",
              className: "number",
              sort: (p) => p.committed,
              cell: (p) => count(p.committed),
            },
            { id: "end", head: "End", className: "number", sort: (p) => p.end, cell: (p) => count(p.end) },
            { id: "lag", head: "Lag", className: "number", sort: (p) => p.lag, cell: (p) => count(p.lag) },
            {
              id: "member",
              head: "Member",
              className: "anywhere",
              sort: (p) => p.member,
              cell: (p) => {
                const member = group.members.find((m) => m.partitions.includes(p.partition));
                return (
                  <>
                    {p.member ?? <span className="muted">none now</span>}
                    {member?.host && <span className="muted"> · {member.host}</span>}
                  </>
                );
              },
            },
          ]}
        />
        <p className="panel-note small">
          <Link to={links.job(namespace, group.name)}>The group as a job: runs, other topics, lineage</Link>
        </p>
      </details>
    </li>
  );
}

function ReadersPanel({ dataset, place }: { dataset: Dataset; place: string }) {
  const readers = useReaders(place, dataset.name);
  return (
    <section className="panel" aria-labelledby="readers">
      <h2 id="readers">Readers by lineage</h2>
      <Answer of={readers}>
        {(found) => {
          const all = [...found.observed, ...found.declared];
          if (all.length === 0) return <p className="muted">No job or group has been seen reading it.</p>;
          return (
            <ul className="pairs">
              {all.map((reader) => (
                <li key={`${reader.job} ${reader.origin}`} className="row">
                  <Link to={nodeLink(reader.job)} className="anywhere">
                    {reader.name}
                  </Link>
                  <span className="badge">{reader.kind === "job" ? "job" : "consumer group"}</span>
                  {reader.origin !== "observed" && <span className="badge">{reader.origin}</span>}
                  <span className="muted small">
                    {reader.owners.join(", ")} <When at={reader.seen} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Answer>
    </section>
  );
}

function WritersPanel({ dataset, place }: { dataset: Dataset; place: string }) {
  const writers = useFlowsInto(datasetNode(dataset.namespace, dataset.name));
  return (
    <section className="panel" aria-labelledby="writers">
      <h2 id="writers">Writers by lineage</h2>
      <Answer of={writers}>
        {(jobs) =>
          jobs.length === 0 ? (
            <p className="muted">
              No job has reported that it writes this topic. Kafka itself keeps no list of producers; jobs report by
              OpenLineage.
            </p>
          ) : (
            <ul className="pairs">
              {jobs.map((id) => (
                <li key={id}>
                  <Link to={nodeLink(id)} className="anywhere">
                    {nodeName(id)}
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
      <p className="small">
        <Link to={links.dataset(place, dataset.name, "lineage")}>Lineage</Link>
      </p>
    </section>
  );
}
