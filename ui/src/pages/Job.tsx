// One job: state, runs, where its code lies, its SQL, what it reads and writes.
import { Link, useParams } from "react-router";
import { useJob } from "@/api/lineage";
import type { Job } from "@/api/types";
import { Answer } from "@/components/Answer";
import { ClockAhead } from "@/components/ClockAhead";
import { Empty } from "@/components/Empty";
import { PageHead } from "@/components/PageHead";
import { When } from "@/components/When";
import { jobTitle } from "@/lib/jobTitle";
import { links, nodeLink } from "@/lib/links";
import { nodeIdOf, parseNodeId } from "@/lib/nodeId";
import { safeUrl } from "@/lib/url";

export default function JobPage() {
  const { namespace = "", name = "" } = useParams();
  const job = useJob(namespace, name);
  return (
    <div className="page">
      <PageHead
        title={jobTitle(name)}
        lead={jobTitle(name) === name ? undefined : <span className="mono small">{name}</span>}
        crumbs={<span>job in {namespace}</span>}
      >
        <Link className="button" to={links.lineage(nodeIdOf({ kind: "job", namespace, name }))}>
          Lineage
        </Link>
      </PageHead>
      <Answer of={job}>{(of) => <Details job={of} />}</Answer>
    </div>
  );
}

function Details({ job }: { job: Job }) {
  const runs = job.runs ?? [];
  return (
    <div className="columns">
      <div className="stack">
        {job.description && <p>{String(job.description)}</p>}
        <section className="panel flush" aria-labelledby="runs">
          <div className="panel-head">
            <h2 id="runs">Runs</h2>
          </div>
          {runs.length === 0 ? (
            <Empty title="No runs are known" />
          ) : (
            <div className="table-wrap">
              <table className="table">
                <thead>
                  <tr>
                    <th>Run</th>
                    <th>State</th>
                    <th>Began</th>
                    <th>Last reported</th>
                    <th>Ended</th>
                  </tr>
                </thead>
                <tbody>
                  {runs.map((run) => (
                    <tr key={run.id}>
                      <td className="mono">{run.id.slice(0, 8)}</td>
                      <td>
                        <State state={run.state} />
                        {run.clockAhead && (
                          <div className="small">
                            <ClockAhead of={run.clockAhead} />
                          </div>
                        )}
                      </td>
                      <td>
                        <When at={run.started} never="–" />
                      </td>
                      <td>
                        <When at={run.updated} never="–" />
                      </td>
                      <td>
                        <When at={run.ended} never="–" />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </section>
        {typeof job.sql === "string" && (
          <section className="panel">
            <h2>SQL</h2>
            <pre className="small">{job.sql}</pre>
          </section>
        )}
      </div>
      <aside className="panel stack">
        <dl className="facts">
          <dt>State</dt>
          <dd>
            <State state={job.state ?? undefined} />
          </dd>
          {job.clockAhead && (
            <>
              <dt>Clock</dt>
              <dd>
                <ClockAhead of={job.clockAhead} />
              </dd>
            </>
          )}
          {["type", "processingType", "integration"].map((name) =>
            typeof job[name] === "string" && job[name] !== "job" ? (
              <div key={name} style={{ display: "contents" }}>
                <dt>{name === "processingType" ? "Runs as" : name}</dt>
                <dd>{String(job[name])}</dd>
              </div>
            ) : null,
          )}
          {Object.entries(job.location ?? {}).map(([name, value]) => (
            <div key={name} style={{ display: "contents" }}>
              <dt>{name}</dt>
              <dd className="mono small">{safeUrl(value) ? <a href={safeUrl(value)}>{value}</a> : value}</dd>
            </div>
          ))}
        </dl>
        <Ends title="Reads" ids={job.reads ?? []} />
        <Ends title="Writes" ids={job.writes ?? []} />
        <Ends title="Part of" ids={job.parents ?? []} />
      </aside>
    </div>
  );
}

function Ends({ title, ids }: { title: string; ids: string[] }) {
  if (ids.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <Link className="anywhere" to={nodeLink(id)}>
              {parseNodeId(id)?.name ?? id}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function State({ state }: { state: string | undefined }) {
  if (!state) return <span className="muted">unknown</span>;
  const tone = /FAIL|ABORT/i.test(state)
    ? "bad"
    : /RUN|START|LIVE/i.test(state)
      ? "ok"
      : /STALE/i.test(state)
        ? "warn"
        : "";
  return <span className={`badge ${tone}`}>{state.toLowerCase()}</span>;
}
