// One incident: what was seen, its history, what is downstream of it, and what can be done about it.
import { type FormEvent, useState } from "react";
import { Link, useParams } from "react-router";
import { useMe } from "@/api/access";
import { useChangeIncident, useIncident } from "@/api/incidents";
import type { IncidentDetails } from "@/api/types";
import { Answer } from "@/components/Answer";
import { ErrorNotice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { When } from "@/components/When";
import { figuresText, RESOLUTIONS, STATE_TONES, stepText } from "@/lib/incidents";
import { links, referenceLink } from "@/lib/links";
import { useToken } from "@/lib/session";

export default function IncidentPage() {
  const { id = "" } = useParams();
  const incident = useIncident(id);
  return (
    <div className="page">
      <PageHead
        title={incident.data?.title ?? "Incident"}
        crumbs={
          <>
            <Link to={links.incidents()}>Incidents</Link>
            {incident.data && (
              <>
                <span>/</span>
                <Link to={links.dataset(incident.data.namespace, incident.data.name)}>{incident.data.dataset}</Link>
              </>
            )}
          </>
        }
      >
        {incident.data && <span className={STATE_TONES[incident.data.state]}>{incident.data.state}</span>}
      </PageHead>
      <Answer of={incident} lines={6}>
        {(found) => (
          <div className="stack">
            <Facts of={found} />
            {found.may.change && found.state !== "resolved" && <Actions of={found} />}
            <History of={found} />
          </div>
        )}
      </Answer>
    </div>
  );
}

function Facts({ of }: { of: IncidentDetails }) {
  const figures = figuresText(of);
  return (
    <section className="panel stack" aria-label="What was seen">
      {of.reason && <p className="anywhere">{of.reason.charAt(0).toUpperCase() + of.reason.slice(1)}.</p>}
      {of.withheld && <p className="muted">Counts and places are not shown: you may not read what they are about.</p>}
      <dl className="facts">
        <dt>Dataset</dt>
        <dd>
          <Link to={links.dataset(of.namespace, of.name, "contracts")}>{of.dataset}</Link>
        </dd>
        {of.field && (
          <>
            <dt>Field</dt>
            <dd>
              <Link to={links.field(of.namespace, of.name, of.field)}>{of.field}</Link>
            </dd>
          </>
        )}
        <dt>{of.cause === "contract" ? "Contract" : "Series"}</dt>
        <dd>
          {of.source}, {of.rule}
        </dd>
        {figures && (
          <>
            <dt>Records</dt>
            <dd>{figures}</dd>
          </>
        )}
        <dt>Seen</dt>
        <dd>
          <When at={of.openedAt} /> first, <When at={of.seenAt} /> last, by {of.checks}{" "}
          {of.checks === 1 ? "check" : "checks"}
        </dd>
        <dt>Assignee</dt>
        <dd>{of.assignee ?? "nobody"}</dd>
        {of.resolution && (
          <>
            <dt>Resolved</dt>
            <dd>
              <When at={of.resolvedAt} />: {RESOLUTIONS[of.resolution]}
              {of.resolvedBy && `, by ${of.resolvedBy}`}
            </dd>
          </>
        )}
        <dt>Downstream</dt>
        <dd>
          {of.affectedProblem ?? (of.affected.length === 0 ? "nothing that is known" : null)}
          {of.affected.map((each, i) => (
            <span key={each}>
              {i > 0 && ", "}
              <Link to={referenceLink(each)}>{each}</Link>
            </span>
          ))}
          {of.affectedMore && " and more"}{" "}
          {of.affected.length > 0 && <Link to={links.dataset(of.namespace, of.name, "lineage")}>Show the path</Link>}
        </dd>
      </dl>
    </section>
  );
}

function Actions({ of }: { of: IncidentDetails }) {
  const change = useChangeIncident(of.id);
  const me = useMe(useToken());
  const [text, setText] = useState("");
  const [resolution, setResolution] = useState<"fixed" | "accepted" | "falseAlarm">("fixed");
  const [person, setPerson] = useState(of.assignee ?? "");
  const done = { onSuccess: () => setText("") };
  const assign = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ kind: "assign", user: person.trim() || null });
  };
  return (
    <section className="panel stack" aria-label="Look after it">
      {change.isError && <ErrorNotice error={change.error} />}
      <form className="row" onSubmit={assign}>
        <label>
          Assignee{" "}
          <input
            className="input"
            value={person}
            onChange={(event) => setPerson(event.target.value)}
            placeholder="nobody"
          />
        </label>
        <button type="submit" className="button small" disabled={change.isPending}>
          Assign
        </button>
        {me.data && of.assignee !== me.data.user && (
          <button
            type="button"
            className="button small"
            disabled={change.isPending}
            onClick={() => {
              const { user } = me.data;
              change.mutate({ kind: "assign", user }, { onSuccess: () => setPerson(user) });
            }}
          >
            Take it
          </button>
        )}
        {of.state === "open" && (
          <button
            type="button"
            className="button small"
            disabled={change.isPending}
            onClick={() => change.mutate({ kind: "acknowledge" })}
          >
            Acknowledge
          </button>
        )}
      </form>
      <div className="field">
        <label htmlFor="comment">Comment</label>
        <textarea
          id="comment"
          className="input"
          rows={3}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <div className="row">
        <button
          type="button"
          className="button"
          disabled={change.isPending || text.trim() === ""}
          onClick={() => change.mutate({ kind: "comment", text }, done)}
        >
          Comment
        </button>
        <label>
          Resolve as{" "}
          <select
            className="input"
            value={resolution}
            onChange={(event) => setResolution(event.target.value as typeof resolution)}
          >
            <option value="fixed">fixed</option>
            <option value="accepted">accepted</option>
            <option value="falseAlarm">a false alarm</option>
          </select>
        </label>
        <button
          type="button"
          className="button primary"
          disabled={change.isPending}
          onClick={() => change.mutate({ kind: "resolve", resolution, text }, done)}
        >
          Resolve
        </button>
      </div>
      <p className="muted small">
        It is resolved by itself when a check sees nothing wrong any more. Resolved as fixed, it opens again when a
        check still sees it 15 minutes later.
      </p>
    </section>
  );
}

function History({ of }: { of: IncidentDetails }) {
  return (
    <section className="panel stack" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ul>
        {of.history.map((step, i) => (
          <li key={`${step.at} ${i}`}>
            {stepText(step)}, <When at={step.at} />
            {step.text && step.kind !== "assigned" && <div className="anywhere">{step.text}</div>}
          </li>
        ))}
      </ul>
    </section>
  );
}
