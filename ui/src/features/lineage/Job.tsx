// One job: state, runs over time, where its code lies, its SQL, what it reads and writes.
import { Link, useParams, useSearchParams } from "react-router";
import { useJob } from "@/api/lineage";
import type { Job, JobRun } from "@/api/types";
import { Answer } from "@/components/Answer";
import { ClockAhead } from "@/components/ClockAhead";
import { CopyButton } from "@/components/CopyButton";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { JsonTree } from "@/components/JsonTree";
import { PageHead } from "@/components/PageHead";
import { RunsChart } from "@/components/RunsChart";
import { When } from "@/components/When";
import { factName, factText } from "@/lib/jobFacts";
import { jobTitle } from "@/lib/jobTitle";
import { links, nodeLink } from "@/lib/links";
import { nodeIdOf, parseNodeId } from "@/lib/nodeId";
import { runTone, tookMs, tookText } from "@/lib/runs";
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
  const [params, setParams] = useSearchParams();
  const chosen = params.get("run");
  const choose = (id: string | null) => setParams(id === null ? {} : { run: id }, { replace: true });
  const run = runs.find((each) => each.id === chosen);
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
            <>
              <RunsChart runs={runs} chosen={chosen} onChoose={choose} />
              <DataTable
                table="runs of a job"
                label="Runs"
                rows={runs}
                rowKey={(each) => each.id}
                current={(each) => each.id === chosen}
                columns={[
                  {
                    id: "run",
                    head: "Run",
                    className: "mono",
                    cell: (each) => (
                      <button
                        type="button"
                        className="link"
                        aria-expanded={each.id === chosen}
                        onClick={() => choose(each.id === chosen ? null : each.id)}
                      >
                        {each.id.slice(0, 8)}
                      </button>
                    ),
                  },
                  ...RUN_COLUMNS,
                ]}
              />
            </>
          )}
        </section>
        {run && <RunDetails of={run} />}
        {typeof job.sql === "string" && (
          <section className="panel">
            <div className="spread">
              <h2>SQL</h2>
              <CopyButton text={job.sql} what="SQL" />
            </div>
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
                <dt>{factName(name)}</dt>
                <dd>{factText(String(job[name]))}</dd>
              </div>
            ) : null,
          )}
          {Object.entries(job.location ?? {}).map(([name, value]) => (
            <div key={name} style={{ display: "contents" }}>
              <dt>{factName(name)}</dt>
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

const RUN_COLUMNS: Column<JobRun>[] = [
  {
    id: "state",
    head: "State",
    sort: (run) => run.state,
    cell: (run) => (
      <>
        <State state={run.state} />
        {run.clockAhead && (
          <div className="small">
            <ClockAhead of={run.clockAhead} />
          </div>
        )}
      </>
    ),
  },
  {
    id: "duration",
    head: "Duration",
    className: "number nowrap",
    sort: tookMs,
    cell: (run) => (
      <>
        {tookText(tookMs(run))}
        {!run.ended && tookMs(run) !== null && <span className="muted small"> so far</span>}
      </>
    ),
  },
  { id: "began", head: "Began", sort: (run) => run.started, cell: (run) => <When at={run.started} never="–" /> },
  {
    id: "reported",
    head: "Last reported",
    sort: (run) => run.updated,
    cell: (run) => <When at={run.updated} never="–" />,
  },
  { id: "ended", head: "Ended", sort: (run) => run.ended, cell: (run) => <When at={run.ended} never="–" /> },
];

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

/** One run: what started it, how it ran, and what its producer told of it. */
function RunDetails({ of }: { of: JobRun }) {
  const facets = of.facets ?? {};
  return (
    <section className="panel stack-s" aria-label={`Run ${of.id.slice(0, 8)}`}>
      <dl className="facts">
        <dt>Run</dt>
        <dd className="mono small anywhere">{of.id}</dd>
        <dt>State</dt>
        <dd>
          <State state={of.state} />
        </dd>
        <dt>Duration</dt>
        <dd>{tookText(tookMs(of))}</dd>
        <dt>Runs as</dt>
        <dd>{of.processing ? factText(of.processing) : "–"}</dd>
        {of.parent && (
          <>
            <dt>Started by</dt>
            <dd>
              <Link className="anywhere" to={nodeLink(of.parent)}>
                {parseNodeId(of.parent)?.name ?? of.parent}
              </Link>
            </dd>
          </>
        )}
      </dl>
      {Object.keys(facets).length > 0 && (
        <details>
          <summary className="small">What its producer reported</summary>
          <JsonTree value={facets} filter="" />
        </details>
      )}
    </section>
  );
}

function State({ state }: { state: string | undefined }) {
  if (!state) return <span className="muted">unknown</span>;
  return <span className={`badge ${runTone(state)}`}>{state.toLowerCase()}</span>;
}
