// Request access: which fields of which dataset, what for, until when.
import { useState } from "react";
import { Link, useLocation, useNavigate, useSearchParams } from "react-router";
import { useAsk, useAskBundle, useBreakGlass } from "@/api/access";
import { useClassifications, useDatasets, useSchema } from "@/api/catalog";
import { usePurposes } from "@/api/purposes";
import type { AccessRequest } from "@/api/types";
import { ErrorNotice, Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { PurposeSelect } from "@/components/PurposeSelect";
import { FieldPicker } from "@/features/access_requests/FieldPicker";
import { Templates } from "@/features/access_requests/Templates";
import { keepQuery } from "@/lib/askedFrom";
import { askedFields, links } from "@/lib/links";
import { purposeTerms } from "@/lib/purposeOptions";
import { useSeen } from "@/lib/seen";
import { useOwnRights } from "@/lib/useOwnRights";

const DAYS = [1, 7, 30, 90];

export default function AskPage() {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const ask = useAsk();
  const glass = useBreakGlass();
  const [urgent, setUrgent] = useState(false);
  const [dataset, setDataset] = useState(params.get("dataset") ?? "");
  const [fields, setFields] = useState<string[]>(askedFields(params));
  const tree = usePurposes().data?.purposes ?? [];
  const [purpose, setPurpose] = useState(params.get("purpose") ?? "");
  const [days, setDays] = useState(7);
  const [reason, setReason] = useState("");
  const [ticket, setTicket] = useState("");
  const [others, setOthers] = useState("");
  const [consumer, setConsumer] = useState("");
  const bundle = useAskBundle();
  const from = (useLocation().state as { sql?: string } | null)?.sql;
  const known = useDatasets().data?.datasets ?? [];
  const one = known.find((d) => d.reference === dataset) ?? known.find((d) => d.name === dataset);
  return (
    <div className="page">
      <PageHead
        title="Request access"
        lead="Owners decide, and others where personal data is requested. A grant expires automatically."
        crumbs={<Link to={links.requests()}>Requests</Link>}
      />
      <Templates />
      <form
        className="panel stack"
        style={{ maxWidth: 760 }}
        onSubmit={(event) => {
          event.preventDefault();
          const now = new Date();
          const asked = {
            dataset: one?.reference ?? dataset.trim(),
            fields,
            purpose: purpose.trim(),
            reason: reason.trim(),
          };
          const then = {
            onSuccess: (request: AccessRequest) => {
              if (from) keepQuery(request.id, from);
              navigate(links.request(request.id));
            },
          };
          if (urgent) {
            glass.mutate(asked, then);
            return;
          }
          const until = new Date(now.getTime() + days * 86_400_000).toISOString();
          const wish = {
            ...asked,
            from: now.toISOString(),
            until,
            ticket: ticket.trim(),
            consumer: consumer.trim() || undefined,
          };
          const more = others.split(/[\s,;]+/).filter((name) => name !== "");
          if (more.length === 0) {
            ask.mutate(wish, then);
            return;
          }
          const { dataset: first, ...rest } = wish;
          bundle.mutate(
            { ...rest, datasets: [first, ...more] },
            { onSuccess: ({ requests: [made] }) => made && then.onSuccess(made) },
          );
        }}
      >
        <div className="field">
          <label htmlFor="dataset">Dataset</label>
          <input
            id="dataset"
            className="input"
            list="datasets"
            required
            value={dataset}
            placeholder="prod/orders"
            onChange={(e) => {
              setDataset(e.target.value);
              setFields([]);
            }}
          />
          <datalist id="datasets">
            {known.map((d) => (
              <option key={d.reference} value={d.reference} />
            ))}
          </datalist>
        </div>
        {one && <SeesAll dataset={one.reference} />}
        {one ? (
          <Fields
            reference={one.reference}
            place={one.cluster ?? one.namespace}
            name={one.name}
            chosen={fields}
            onChange={setFields}
          />
        ) : (
          fields.length > 0 && <p className="mono small">{fields.join(", ")}</p>
        )}
        <div className="field">
          <label htmlFor="purpose">Purpose</label>
          {tree.length > 0 ? (
            <PurposeSelect
              id="purpose"
              required
              value={purpose}
              onChange={setPurpose}
              purposes={tree}
              may={(each) => !each.deprecated}
              none="Choose a purpose"
            />
          ) : (
            <input
              id="purpose"
              className="input"
              required
              value={purpose}
              placeholder="spring-campaign"
              onChange={(e) => setPurpose(e.target.value)}
            />
          )}
          <span className="hint">
            {purposeTerms(tree.find((each) => each.name === purpose))} It is recorded in the grant and in the audit. A
            query may state it, to use this grant alone.
          </span>
        </div>
        <div className="field" hidden={urgent}>
          <label htmlFor="days">Duration</label>
          <select id="days" className="select" value={days} onChange={(e) => setDays(Number(e.target.value))}>
            {DAYS.map((n) => (
              <option key={n} value={n}>
                {n === 1 ? "1 day" : `${n} days`}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="why">{urgent ? "Why it cannot wait" : "Message to approvers"}</label>
          <textarea id="why" className="textarea" value={reason} onChange={(e) => setReason(e.target.value)} />
        </div>
        <details hidden={urgent}>
          <summary>More: further datasets, a Kafka consumer, a ticket</summary>
          <div className="stack">
            <div className="field">
              <label htmlFor="others">Further datasets</label>
              <input
                id="others"
                className="input"
                value={others}
                placeholder="prod/payments, prod/returns"
                onChange={(e) => setOthers(e.target.value)}
              />
              <span className="hint">The same fields of each; their owners decide each part on its own.</span>
            </div>
            <div className="field">
              <label htmlFor="consumer">For a Kafka consumer</label>
              <input
                id="consumer"
                className="input"
                maxLength={1000}
                value={consumer}
                placeholder="orders-app"
                onChange={(e) => setConsumer(e.target.value)}
              />
              <span className="hint">
                Its principal, document or consumer group. It reads the topic, or a masked copy where masks stay. Leave
                it empty to read through Weir.
              </span>
            </div>
            <div className="field">
              <label htmlFor="ticket">Ticket</label>
              <input
                id="ticket"
                className="input"
                maxLength={100}
                value={ticket}
                placeholder="DATA-123"
                onChange={(e) => setTicket(e.target.value)}
              />
            </div>
          </div>
        </details>
        <label className="row-nowrap">
          <input type="checkbox" checked={urgent} onChange={(e) => setUrgent(e.target.checked)} />
          <span>
            Emergency: take access now.{" "}
            <span className="muted">
              For a short time, where a workflow allows it; everybody concerned is notified, and it is reviewed.
            </span>
          </span>
        </label>
        {bundle.isError && !urgent && <ErrorNotice error={bundle.error} />}
        {ask.isError && !urgent && <ErrorNotice error={ask.error} />}
        {glass.isError && urgent && <ErrorNotice error={glass.error} />}
        <div className="row">
          <button
            type="submit"
            className={`button ${urgent ? "danger" : "primary"}`}
            disabled={
              ask.isPending ||
              bundle.isPending ||
              glass.isPending ||
              !dataset.trim() ||
              fields.length === 0 ||
              !purpose.trim() ||
              (urgent && !reason.trim())
            }
          >
            {urgent ? "Take emergency access" : "Send request"}
          </button>
          <button type="button" className="button" onClick={() => navigate(-1)}>
            Cancel
          </button>
        </div>
      </form>
    </div>
  );
}

function Fields(props: {
  reference: string;
  place: string;
  name: string;
  chosen: string[];
  onChange: (fields: string[]) => void;
}) {
  const schema = useSchema(props.place, props.name).data;
  const found = useClassifications(props.place, props.name).data ?? [];
  const sees = useSeen(props.reference);
  return (
    <FieldPicker
      fields={schema?.fields ?? []}
      found={found}
      sees={sees}
      chosen={props.chosen}
      onChange={props.onChange}
    />
  );
}

/** Before somebody asks for what they have. */
function SeesAll({ dataset }: { dataset: string }) {
  if (!useOwnRights(dataset).all) return null;
  return (
    <Notice>
      <p>You see all of {dataset} unmasked: a request opens nothing more.</p>
    </Notice>
  );
}
