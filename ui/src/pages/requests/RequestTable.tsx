import { useState } from "react";
import { Link } from "react-router";
import type { Verb } from "@/api/access";
import type { AccessRequest } from "@/api/types";
import { EntityName } from "@/components/EntityBadge";
import { RequestState } from "@/components/RequestState";
import { When } from "@/components/When";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";
import { DecideDialog } from "@/pages/requests/DecideDialog";

const FEW = 3;

/** Requests; `user` reads as "you". With `decide`, what each would open and the decision stand in its line. */
export function RequestTable({
  requests,
  user,
  decide = false,
}: {
  requests: AccessRequest[];
  user: string | undefined;
  decide?: boolean;
}) {
  const [asked, setAsked] = useState<{ request: AccessRequest; verb: Verb } | null>(null);
  return (
    <div className="panel flush table-wrap">
      <table className="table">
        <thead>
          <tr>
            <th>Dataset and fields</th>
            <th>Requester</th>
            <th>Purpose</th>
            {decide ? <th>Would unmask</th> : <th>State</th>}
            <th>Requested</th>
            <th>Until</th>
            {decide && (
              <th>
                <span className="visually-hidden">Decide</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {requests.map((r) => (
            <tr key={r.id}>
              <td>
                <Link to={links.request(r.id)} className="strong" title={r.id}>
                  {r.dataset}
                </Link>
                <div className="mono small muted anywhere" title={r.fields.join("\n")}>
                  {fieldsText(r.fields)}
                </div>
              </td>
              <td>{r.requester === user ? "you" : r.requester}</td>
              <td className="anywhere">{r.purpose}</td>
              <td>{decide ? <Opens request={r} /> : <RequestState of={r} />}</td>
              <td>
                <When at={r.createdAt} />
              </td>
              <td>
                <When at={r.until} />
              </td>
              {decide && (
                <td className="right nowrap">
                  <button
                    type="button"
                    className="button small primary"
                    onClick={() => setAsked({ request: r, verb: "approve" })}
                  >
                    Approve
                  </button>{" "}
                  <button type="button" className="button small" onClick={() => setAsked({ request: r, verb: "deny" })}>
                    Deny
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {asked && <DecideDialog {...asked} onClose={() => setAsked(null)} />}
    </div>
  );
}

/** The kinds of personal data it would open, and how many see it already. */
function Opens({ request: r }: { request: AccessRequest }) {
  const kinds = [...new Set((r.opens ?? []).flatMap((o) => o.entities))];
  return (
    <span className="row" style={{ gap: 4 }}>
      {kinds.map((kind) => (
        <EntityName key={kind} name={kind} />
      ))}
      {kinds.length === 0 && <span className="muted">no personal data known</span>}
      {typeof r.holders === "number" && (
        <span className="muted small">
          {r.holders === 0 ? "nobody else has it" : `${plural(r.holders, "other")} have it`}
        </span>
      )}
    </span>
  );
}

function fieldsText(fields: string[]): string {
  if (fields.length === 1 && fields[0] === "*") return "every field";
  const rest = fields.length - FEW;
  return fields.slice(0, FEW).join(", ") + (rest > 0 ? ` and ${plural(rest, "more", "more")}` : "");
}
