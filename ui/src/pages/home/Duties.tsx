// What an owner, an officer and an administrator look after. Loaded after the first page is there.
import { Link } from "react-router";
import { useFound } from "@/api/classifications";
import { useHealth } from "@/api/reports";
import { useScans } from "@/api/scans";
import { useLagAnswers } from "@/api/topics";
import type { Dataset, Me } from "@/api/types";
import { Answer } from "@/components/Answer";
import { EntityName } from "@/components/EntityBadge";
import { ScanState } from "@/components/ScanState";
import { When } from "@/components/When";
import { count, plural } from "@/lib/format";
import { brokenContracts, type Duty, gapsOf, most, ownedBy } from "@/lib/home";
import { links, referenceLink } from "@/lib/links";
import { useMay } from "@/lib/may";
import { sentence } from "@/lib/subject";
import { Panel } from "@/pages/home/Panel";
import "@/styles/views.css";

const FEW = 5;

export default function Duties({ me, duties, datasets }: { me: Me; duties: Duty[]; datasets: Dataset[] }) {
  return (
    <>
      {duties.includes("owner") && <Owner me={me} datasets={ownedBy(me, datasets)} />}
      {duties.includes("officer") && <Officer datasets={datasets} />}
      {duties.includes("administrator") && <Administrator datasets={datasets} />}
    </>
  );
}

function Owner({ me, datasets }: { me: Me; datasets: Dataset[] }) {
  const found = useFound({ state: "suggested" }, 1);
  const counts = found.data?.counts.dataset ?? {};
  const broken = brokenContracts(datasets);
  return (
    <Panel
      id="my-datasets"
      title="My datasets"
      all={{ to: links.search({ kind: "dataset", owner: me.user }), text: "All" }}
    >
      <p className="muted small">{plural(datasets.length, "dataset")} of you or of your groups.</p>
      <ul className="stack-s">
        {datasets.slice(0, FEW).map((dataset) => (
          <li key={dataset.reference} className="row">
            <Link to={referenceLink(dataset.reference)} className="strong anywhere">
              {dataset.reference}
            </Link>
            {(counts[dataset.reference] ?? 0) > 0 && (
              <Link to={referenceLink(dataset.reference, "personal-data")} className="badge pii">
                {plural(counts[dataset.reference] ?? 0, "new detection")}
              </Link>
            )}
          </li>
        ))}
        {datasets.length > FEW && <li className="muted small">and {count(datasets.length - FEW)} more</li>}
      </ul>
      <h3>Broken contracts</h3>
      {broken.length === 0 ? (
        <p className="muted">None: records of the last scans fit what is declared or registered of them.</p>
      ) : (
        <ul className="stack-s">
          {broken.slice(0, FEW).map(({ dataset, problems }) => (
            <li key={dataset.reference}>
              <Link to={referenceLink(dataset.reference, "schema")} className="strong anywhere">
                {dataset.reference}
              </Link>
              <div className="small anywhere">
                {problems[0]?.message} {problems.length > 1 && `and ${problems.length - 1} more`}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Officer({ datasets }: { datasets: Dataset[] }) {
  const found = useFound({ state: "suggested" }, 1);
  const gaps = gapsOf(datasets);
  const lines = [
    { n: gaps.unscanned.length, text: "never scanned", to: links.datasets("unscanned") },
    { n: gaps.failed.length, text: "with a failed scan", to: links.datasets("problems") },
    { n: gaps.unfinished.length, text: "with fields that no detector finished", to: links.datasets("problems") },
  ].filter(({ n }) => n > 0);
  return (
    <Panel id="officer" title="Personal data" all={{ to: links.review, text: "Review" }}>
      <h3>Not reviewed</h3>
      <Answer of={found} lines={2}>
        {({ total, counts }) =>
          total === 0 ? (
            <p className="muted">Every detection is reviewed.</p>
          ) : (
            <ul className="row">
              {most(counts.entity, 12).map(([entity, n]) => (
                <li key={entity}>
                  <Link to={`${links.review}?state=suggested&entity=${encodeURIComponent(entity)}`}>
                    <EntityName name={`${entity} ${n}`} />
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
      <h3>Gaps</h3>
      {lines.length === 0 ? (
        <p className="muted">None: every dataset was scanned to the end.</p>
      ) : (
        <ul>
          {lines.map(({ n, text, to }) => (
            <li key={text}>
              <Link to={to}>{plural(n, "dataset")}</Link> <span className="muted">{text}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Administrator({ datasets }: { datasets: Dataset[] }) {
  const { may } = useMay();
  const health = useHealth();
  const scans = useScans();
  const clusters = [...new Set(datasets.flatMap((dataset) => dataset.cluster ?? []))];
  const { lags, failed, pending } = useLagAnswers(clusters);
  const behind = most(Object.fromEntries(lags), 3);
  return (
    <Panel id="administrator" title="Operation" all={{ to: links.admin("health"), text: "Health" }}>
      <Answer of={health} lines={2}>
        {(body) => {
          const down = Object.entries(body.servers ?? {}).filter(([, server]) => !server.up);
          const lag = body.lineage?.lagEvents;
          return (
            <ul>
              <li>
                Weir is{" "}
                <span
                  className={`badge ${body.status === "ready" ? "ok" : body.status === "degraded" ? "warn" : "bad"}`}
                >
                  {body.status}
                </span>
                {down.map(([name, server]) => (
                  <div key={name} className="small anywhere">
                    {name}: {server.problem ?? "does not answer"}
                  </div>
                ))}
              </li>
              <li>Lineage {lag == null ? "lag unknown" : lag === 0 ? "up to date" : `${count(lag)} events behind`}</li>
            </ul>
          );
        }}
      </Answer>
      <h3>Most lag</h3>
      {failed.length > 0 && (
        <p className="small bad-text anywhere">
          Not known of {failed.join(", ")}: its consumer groups could not be read.
        </p>
      )}
      {behind.length === 0 ? (
        <p className="muted">
          {pending
            ? "Looking …"
            : failed.length < clusters.length || clusters.length === 0
              ? "No consumer group is behind."
              : ""}
        </p>
      ) : (
        <ul>
          {behind.map(([reference, lag]) => (
            <li key={reference}>
              <Link to={referenceLink(reference, "consumers")} className="anywhere">
                {reference}
              </Link>{" "}
              <span className="muted">{plural(lag, "record")}</span>
            </li>
          ))}
        </ul>
      )}
      <h3>Scans</h3>
      <Answer of={scans} lines={2}>
        {(list) =>
          list.length === 0 ? (
            <p className="muted">None yet. {may("scan") && <Link to={links.admin("scans")}>Scan topics</Link>}</p>
          ) : (
            <ul className="stack-s">
              {list.slice(0, 3).map((scan) => (
                <li key={scan.id} className="row">
                  <Link to={links.scan(scan.id)}>{sentence(scan.request?.cluster) || scan.id.slice(0, 8)}</Link>
                  <ScanState of={scan} />
                  {scan.problems.length > 0 && (
                    <span className="badge warn">{plural(scan.problems.length, "problem")}</span>
                  )}
                  <span className="muted small">
                    <When at={scan.createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Panel>
  );
}
