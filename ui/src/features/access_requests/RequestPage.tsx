// One request: what it would open, who has spoken, and the decision.
import { useState } from "react";
import { Link, useParams } from "react-router";
import { useBundle, useMe, useRequest, type Verb } from "@/api/access";
import { useClassifications, useDatasetAccess } from "@/api/catalog";
import type { AccessRequest, Classification } from "@/api/types";
import { AccessTable } from "@/components/AccessTable";
import { Answer } from "@/components/Answer";
import { EntityBadge } from "@/components/EntityBadge";
import { PageHead } from "@/components/PageHead";
import { RequestState } from "@/components/RequestState";
import { When } from "@/components/When";
import { ConsumerPart } from "@/features/access_requests/ConsumerPart";
import { DecideDialog } from "@/features/access_requests/DecideDialog";
import { Stages } from "@/features/access_requests/Stages";
import { Thread } from "@/features/access_requests/Thread";
import { queryOf } from "@/lib/askedFrom";
import { plural } from "@/lib/format";
import { links, referenceLink } from "@/lib/links";
import { opens } from "@/lib/opens";
import { toDecide } from "@/lib/requests";
import { holderWords } from "@/lib/rights";
import { useToken } from "@/lib/session";

export default function RequestPage() {
  const { id = "" } = useParams();
  const request = useRequest(id);
  const user = useMe(useToken()).data?.user;
  return (
    <div className="page">
      {!request.data && <PageHead title="Request" crumbs={<Link to={links.requests()}>Requests</Link>} />}
      <Answer of={request}>{(r) => <Details request={r} user={user} />}</Answer>
    </div>
  );
}

function Details({ request: r, user }: { request: AccessRequest; user: string | undefined }) {
  const [verb, setVerb] = useState<Verb | null>(null);
  const back = queryOf(r);
  const mayDecide = toDecide([r], user).length > 0 || (r.state === "asked-back" && r.canDecide);
  return (
    <>
      <PageHead
        title={`${r.requester} asks for ${r.dataset}`}
        crumbs={
          <>
            <Link to={links.requests()}>Requests</Link>
            <span>/</span>
            <span className="mono">{r.id.slice(0, 8)}</span>
          </>
        }
      >
        <RequestState of={r} />
        {r.requester === user && back && (
          <Link className={r.state === "approved" ? "button primary" : "button"} to={back}>
            Back to the query
          </Link>
        )}
        {r.breakGlass && <span className="badge bad">emergency access{r.overdue ? ", review overdue" : ""}</span>}
        {mayDecide && (
          <>
            <button type="button" className="button primary" onClick={() => setVerb("approve")}>
              Approve
            </button>
            <button type="button" className="button danger" onClick={() => setVerb("deny")}>
              Deny
            </button>
          </>
        )}
        {(r.state === "pending" || r.state === "asked-back") && r.requester === user && (
          <button type="button" className="button" onClick={() => setVerb("cancel")}>
            Withdraw
          </button>
        )}
      </PageHead>
      <div className="columns">
        <div className="stack">
          <section className="panel">
            <h2>Requested access</h2>
            <dl className="facts">
              <dt>Dataset</dt>
              <dd>
                <Link to={referenceLink(r.dataset)}>{r.dataset}</Link>
              </dd>
              <dt>Fields</dt>
              <dd className="mono">{r.fields.map((f) => (f === "*" ? "every field" : f)).join(", ")}</dd>
              <dt>Shown unmasked</dt>
              <dd className="mono">{(r.unmask ?? []).join(", ") || "none: masks stay"}</dd>
              {r.rows && (
                <>
                  <dt>Only rows where</dt>
                  <dd className="mono">{r.rows}</dd>
                </>
              )}
              <dt>Purpose</dt>
              <dd>{r.purpose}</dd>
              <dt>From</dt>
              <dd>
                <When at={r.from} />
              </dd>
              <dt>Until</dt>
              <dd>
                <When at={r.until} />
              </dd>
              <dt>Asked</dt>
              <dd>
                <When at={r.createdAt} />
              </dd>
              {r.asked && (
                <>
                  <dt>Requested at first</dt>
                  <dd>
                    <span className="mono anywhere">{r.asked.fields.join(", ")}</span>; unmasked{" "}
                    <span className="mono anywhere">{r.asked.unmask.join(", ") || "none"}</span>; until{" "}
                    <When at={r.asked.until} />
                  </dd>
                </>
              )}
              {r.extends && (
                <>
                  <dt>Extends</dt>
                  <dd>
                    the grant <Link to={links.requests("grants")}>{r.extends}</Link>
                  </dd>
                </>
              )}
              {r.consumer && (
                <>
                  <dt>For the Kafka consumer</dt>
                  <dd>
                    <span className="mono">{r.consumer.principal}</span> ({holderWords(r.consumer)})
                  </dd>
                </>
              )}
              {r.ticket && (
                <>
                  <dt>Ticket</dt>
                  <dd>{r.ticket}</dd>
                </>
              )}
              {r.template && (
                <>
                  <dt>Template</dt>
                  <dd>{r.template}</dd>
                </>
              )}
              {r.reason && (
                <>
                  <dt>Reason</dt>
                  <dd>“{r.reason}”</dd>
                </>
              )}
            </dl>
          </section>
          {typeof r.holders === "number" && (
            <p className="muted">
              {r.holders === 0 ? "Nobody else sees" : `${plural(r.holders, "other")} see`} all of this unmasked today.
            </p>
          )}
          {r.consumer && r.state === "approved" && r.requester === user && <ConsumerPart request={r} />}
          <Thread request={r} user={user} />
          {r.bundle && <Bundle bundle={r.bundle} but={r.id} />}
          <Opens request={r} />
          <Already dataset={r.dataset} />
        </div>
        <Stages request={r} />
      </div>
      {verb && <DecideDialog request={r} verb={verb} onClose={() => setVerb(null)} />}
    </>
  );
}

/** The other parts of a bundle. */
function Bundle({ bundle, but }: { bundle: string; but: string }) {
  const parts = (useBundle(bundle).data ?? []).filter((part) => part.id !== but);
  if (parts.length === 0) return null;
  return (
    <section className="panel">
      <h2>Requested together</h2>
      <ul className="stack-s">
        {parts.map((part) => (
          <li key={part.id} className="row">
            <Link to={links.request(part.id)}>{part.dataset}</Link>
            <RequestState of={part} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The personal data a grant would open. */
function Opens({ request }: { request: AccessRequest }) {
  const at = request.dataset.lastIndexOf("/");
  const found = useClassifications(request.dataset.slice(0, at), request.dataset.slice(at + 1));
  return (
    <section className="panel">
      <h2>Personal data it would unmask</h2>
      <Answer of={found} lines={2}>
        {(all) => <Touched of={opens(all, request.fields)} />}
      </Answer>
    </section>
  );
}

function Touched({ of }: { of: Classification[] }) {
  if (of.length === 0) return <p className="muted">None is known in these fields.</p>;
  return (
    <ul className="stack-s">
      {of.map((c) => (
        <li key={`${c.path} ${c.entity}`} className="row">
          <span className="mono anywhere">{c.path}</span>
          <EntityBadge of={c} />
        </li>
      ))}
    </ul>
  );
}

/** Who may read the dataset already; only for those who may know it. */
function Already({ dataset }: { dataset: string }) {
  const at = dataset.lastIndexOf("/");
  const rows = useDatasetAccess(dataset.slice(0, at), dataset.slice(at + 1)).data?.access;
  if (!rows) return null;
  return (
    <section className="stack-s">
      <h2>Current access</h2>
      <AccessTable rows={rows} />
    </section>
  );
}
