// The first page: the search box, what waits for me, how much is covered, what changed lately.
import { Search } from "lucide-react";
import { useRef } from "react";
import { Link, useNavigate } from "react-router";
import { useMe, useRequests } from "@/api/access";
import { useDatasets, useSearch } from "@/api/catalog";
import { useFound } from "@/api/classifications";
import { useEvents } from "@/api/events";
import type { Dataset } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Coverage } from "@/components/Coverage";
import { Empty } from "@/components/Empty";
import { EventList } from "@/components/EventList";
import { Loading } from "@/components/Loading";
import { useTitle } from "@/components/PageHead";
import { When } from "@/components/When";
import { plural } from "@/lib/format";
import { useSlash } from "@/lib/keys";
import { links } from "@/lib/links";
import { mine, toDecide } from "@/lib/requests";
import { useToken } from "@/lib/session";
import "@/styles/search.css";

const QUESTIONS = [
  ["Where is e-mail?", links.fields({ entity: "EMAIL_ADDRESS" })],
  ["What breaks if a field changes?", links.lineage()],
  ["May I see it?", links.query()],
  ["Who saw what?", links.audit()],
] as const;

export function Home() {
  useTitle("Home");
  const navigate = useNavigate();
  const box = useRef<HTMLInputElement>(null);
  useSlash(box);
  const datasets = useDatasets();
  const fields = useSearch({ q: "", kind: "field" }, 1);
  return (
    <div className="page">
      <div className="hero">
        <h1>What flows through your streams?</h1>
        <search>
          <form
            className="find"
            onSubmit={(event) => {
              event.preventDefault();
              navigate(links.search());
            }}
          >
            <Search size={18} aria-hidden />
            <input
              ref={box}
              className="input"
              aria-label="Search datasets and fields"
              placeholder="Topics, fields, owners, kinds of personal data"
              spellCheck={false}
              autoComplete="off"
              value=""
              onChange={(event) => navigate(links.search({ q: event.target.value }), { state: { typing: true } })}
            />
            <kbd aria-hidden>/</kbd>
          </form>
        </search>
        <div className="row" style={{ gap: 18 }}>
          {QUESTIONS.map(([question, to]) => (
            <Link key={question} to={to}>
              {question}
            </Link>
          ))}
        </div>
      </div>
      <Answer of={datasets}>
        {({ datasets: all, total }) =>
          total === 0 ? (
            <div className="panel">
              <Empty title="The catalog is empty">
                <p>
                  Weir learns what is in your topics by reading a sample of each.{" "}
                  <Link to={links.admin()}>Scan a cluster</Link>, or on the command line:{" "}
                  <code>weir scan --bootstrap-servers HOST:PORT</code>
                </p>
              </Empty>
            </div>
          ) : (
            <>
              <Coverage datasets={all} total={total} entities={fields.data?.facets.entity} />
              <div className="columns">
                <Lately datasets={all} />
                <Waiting />
              </div>
            </>
          )
        }
      </Answer>
    </div>
  );
}

/** What changed: events where Weir has told any, else the datasets it heard of last. */
function Lately({ datasets }: { datasets: Dataset[] }) {
  const events = useEvents({}, 10);
  const newest = [...datasets].sort((a, b) => (b.updated_at ?? "").localeCompare(a.updated_at ?? ""));
  const told = events.data ?? [];
  return (
    <section className="panel flush" aria-labelledby="changed">
      <div className="panel-head">
        <h2 id="changed">Changed lately</h2>
        <Link to={links.activity()} className="small">
          All activity
        </Link>
      </div>
      {events.isPending ? (
        <div style={{ padding: 14 }}>
          <Loading lines={5} />
        </div>
      ) : told.length > 0 ? (
        <EventList events={told} />
      ) : (
        <ul className="list">
          {newest.slice(0, 8).map((d) => (
            <li key={`${d.namespace}/${d.name}`} className="spread">
              <span className="anywhere grow">
                <Link to={links.dataset(d.cluster ?? d.namespace, d.name)} className="strong">
                  {d.name}
                </Link>{" "}
                <span className="muted small">
                  {d.cluster ?? d.namespace}
                  {d.description && ` · ${d.description}`}
                </span>
              </span>
              <span className="muted small">
                <When at={d.updated_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Requests to decide, finds to review, my own open requests; one line that says so where there is nothing. */
function Waiting() {
  const me = useMe(useToken()).data;
  const user = me?.user;
  const pending = useRequests({ state: "pending" });
  const found = useFound({ state: "suggested" }, 1);
  const decide = toDecide(pending.data ?? [], user).length;
  const own = mine(pending.data ?? [], user).length;
  const review = me?.permissions?.includes("review") ? (found.data?.total ?? 0) : 0;
  const waits = [
    { n: decide, what: plural(decide, "request"), why: "for you to decide", to: links.requests("decide") },
    { n: review, what: plural(review, "find"), why: "of personal data to review", to: links.review },
    { n: own, what: plural(own, "request"), why: "of yours not decided yet", to: links.requests("mine") },
  ].filter(({ n }) => n > 0);
  return (
    <section className="panel stack-s" aria-labelledby="waits">
      <h2 id="waits">Waits for you</h2>
      <Answer of={pending} lines={2}>
        {() => (
          <ul className="stack-s">
            {waits.map(({ what, why, to }) => (
              <li key={to}>
                <Link to={to} className="strong">
                  {what}
                </Link>{" "}
                <span className="muted">{why}</span>
              </li>
            ))}
            {waits.length === 0 && <li className="muted">Nothing. A masked column has a button to ask for it.</li>}
          </ul>
        )}
      </Answer>
    </section>
  );
}
