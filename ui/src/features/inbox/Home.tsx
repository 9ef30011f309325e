// The first page: the search box, the inbox, how much is covered, what changed lately.
import { Search } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useMe, useRequests } from "@/api/access";
import { useDatasets, useSearch } from "@/api/catalog";
import { useDeclared } from "@/api/declared";
import { useEvents } from "@/api/events";
import type { Dataset } from "@/api/types";
import { Answer } from "@/components/Answer";
import { Coverage } from "@/components/Coverage";
import { EventList } from "@/components/EventList";
import { Loading } from "@/components/Loading";
import { useTitle } from "@/components/PageHead";
import { RequestState } from "@/components/RequestState";
import { When } from "@/components/When";
import { Inbox } from "@/features/inbox/Inbox";
import { MyGrants, RecentQueries } from "@/features/inbox/MyAccess";
import { useFavourites, useRecent } from "@/lib/kept";
import { useSlash } from "@/lib/keys";
import { links } from "@/lib/links";
import { useMay } from "@/lib/may";
import { mine } from "@/lib/requests";
import { useToken } from "@/lib/session";
import { FirstRun } from "@/parts";
import "@/styles/search.css";

const QUESTIONS = [
  ["Data locations of e-mail", links.fields({ entity: "EMAIL_ADDRESS" }), null],
  ["What breaks if a field changes?", links.lineage(), null],
  ["May I see it?", links.query(), null],
  ["Who saw what?", links.audit(), "audit:read"],
] as const;

export function Home() {
  useTitle("Home");
  const navigate = useNavigate();
  const { may } = useMay();
  const me = useMe(useToken()).data;
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
          {QUESTIONS.filter(([, , needs]) => needs === null || may(needs)).map(([question, to]) => (
            <Link key={question} to={to}>
              {question}
            </Link>
          ))}
        </div>
        <Kept />
      </div>
      {datasets.data?.total !== 0 && <Inbox />}
      <Answer of={datasets}>
        {({ datasets: all, total }) =>
          total === 0 ? (
            <div className="stack">
              <p>The catalog is empty. Weir learns what is in your topics by reading a sample of each.</p>
              <Suspense fallback={<Loading />}>
                <FirstRun datasets={all} />
              </Suspense>
            </div>
          ) : (
            <>
              <Guide datasets={all} />
              <Coverage datasets={all} total={total} entities={fields.data?.facets.entity} />
              <div className="columns">
                <div className="stack">
                  <Lately datasets={all} />
                </div>
                <div className="stack">
                  <MyRequests />
                  <MyGrants me={me} />
                  <RecentQueries user={me?.user} />
                </div>
              </div>
            </>
          )
        }
      </Answer>
    </div>
  );
}

const GUIDED = "weir.guided";

/** The first steps that are left while nobody else was invited, until they are hidden in this browser. */
function Guide({ datasets }: { datasets: Dataset[] }) {
  const manages = useMay().may("manage");
  const users = useDeclared("User", manages);
  const [hidden, setHidden] = useState(() => localStorage.getItem(GUIDED) !== null);
  if (!manages || hidden || (users.data?.length ?? 2) > 1) return null;
  const hide = () => {
    localStorage.setItem(GUIDED, "1");
    setHidden(true);
  };
  return (
    <Suspense fallback={null}>
      <FirstRun datasets={datasets} onHide={hide} />
    </Suspense>
  );
}

/** Favourites and the last searches of this person, in this browser. */
function Kept() {
  const favourites = useFavourites().items;
  const recent = useRecent();
  if (favourites.length + recent.items.length === 0) return null;
  return (
    <dl className="facts kept">
      {favourites.length > 0 && (
        <>
          <dt>Favourites</dt>
          <dd className="row">
            {favourites.slice(0, 12).map(({ place, name }) => (
              <Link key={`${place}/${name}`} to={links.dataset(place, name)} className="anywhere">
                {name}
              </Link>
            ))}
          </dd>
        </>
      )}
      {recent.items.length > 0 && (
        <>
          <dt>Recent searches</dt>
          <dd className="row">
            {recent.items.slice(0, 6).map((q) => (
              <Link key={q} to={links.search({ q })} className="anywhere">
                {q}
              </Link>
            ))}
            <button type="button" className="button quiet small" onClick={recent.clear}>
              Forget searches
            </button>
          </dd>
        </>
      )}
    </dl>
  );
}

/** Recent events; where there are none yet, the datasets that changed last. */
function Lately({ datasets }: { datasets: Dataset[] }) {
  const events = useEvents({}, 10);
  const newest = [...datasets].sort((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""));
  const recent = events.data ?? [];
  return (
    <section className="panel flush" aria-labelledby="changed">
      <div className="panel-head">
        <h2 id="changed">Recent activity</h2>
        <Link to={links.activity()} className="small">
          All activity
        </Link>
      </div>
      {events.isPending ? (
        <div style={{ padding: 14 }}>
          <Loading lines={5} />
        </div>
      ) : recent.length > 0 ? (
        <EventList events={recent} />
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
                <When at={d.updatedAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const FEW = 5;

/** My own requests, the newest first, with who can decide them: they change while one looks. */
function MyRequests() {
  const user = useMe(useToken()).data?.user;
  const requests = useRequests();
  const own = mine(requests.data ?? [], user);
  return (
    <section className="panel stack-s" aria-labelledby="my-requests">
      <div className="spread">
        <h2 id="my-requests">My requests</h2>
        {own.length > FEW && (
          <Link to={links.requests("mine")} className="small">
            All {own.length}
          </Link>
        )}
      </div>
      <Answer of={requests} lines={2}>
        {() =>
          own.length === 0 ? (
            <p className="muted">None. A masked column has a button to request access to it.</p>
          ) : (
            <ul className="stack-s">
              {own.slice(0, FEW).map((r) => (
                <li key={r.id}>
                  <div className="row">
                    <Link to={links.request(r.id)} className="strong anywhere">
                      {r.dataset}
                    </Link>
                    <RequestState of={r} />
                  </div>
                  <div className="muted small">
                    {r.purpose}, <When at={r.createdAt} />
                    {(r.deciders ?? []).length > 0 && `; ${r.deciders?.slice(0, 3).join(", ")} can decide`}
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </section>
  );
}
