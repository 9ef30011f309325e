// The first page: the search box, what waits for me, how much is covered, what changed lately.
import { Search } from "lucide-react";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { useMe, useRequests } from "@/api/access";
import { useDatasets, useSearch } from "@/api/catalog";
import { Answer } from "@/components/Answer";
import { Coverage } from "@/components/Coverage";
import { Empty } from "@/components/Empty";
import { useTitle } from "@/components/PageHead";
import { When } from "@/components/When";
import { plural } from "@/lib/format";
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
  const [text, setText] = useState("");
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
              navigate(links.search({ q: text }));
            }}
          >
            <Search size={18} aria-hidden />
            <input
              className="input"
              aria-label="Topics, fields, owners, kinds of personal data"
              placeholder="Topics, fields, owners, kinds of personal data"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
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
              <Coverage datasets={all} total={total} entities={fields.data?.facets.entity ?? []} />
              <div className="columns">
                <section className="panel flush" aria-labelledby="changed">
                  <div className="panel-head">
                    <h2 id="changed">Changed lately</h2>
                  </div>
                  <ul className="list">
                    {[...all]
                      .sort((a, b) => (b.updated_at ?? "").localeCompare(a.updated_at ?? ""))
                      .slice(0, 8)
                      .map((d) => (
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
                </section>
                <Waiting />
              </div>
            </>
          )
        }
      </Answer>
    </div>
  );
}

function Waiting() {
  const user = useMe(useToken()).data?.user;
  const pending = useRequests({ state: "pending" });
  const decide = toDecide(pending.data ?? [], user);
  const own = mine(pending.data ?? [], user);
  return (
    <section className="panel stack-s" aria-labelledby="waits">
      <h2 id="waits">What waits</h2>
      <Answer of={pending} lines={2}>
        {() => (
          <ul className="stack-s">
            <li>
              <Link to={links.requests("decide")}>{plural(decide.length, "request")}</Link>{" "}
              <span className="muted">for you to decide</span>
            </li>
            <li>
              <Link to={links.requests("mine")}>{plural(own.length, "request")}</Link>{" "}
              <span className="muted">of yours not decided yet</span>
            </li>
            <li>
              <Link to={links.review}>Suggested personal data</Link> <span className="muted">to confirm or reject</span>
            </li>
          </ul>
        )}
      </Answer>
    </section>
  );
}
