import { useState } from "react";
import { Link } from "react-router";
import type { Verb } from "@/api/access";
import type { AccessRequest } from "@/api/types";
import { DataTable } from "@/components/DataTable";
import { EntityName } from "@/components/EntityBadge";
import { RequestState } from "@/components/RequestState";
import { When } from "@/components/When";
import { DecideDialog } from "@/features/access_requests/DecideDialog";
import { plural } from "@/lib/format";
import { links } from "@/lib/links";

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
    <div className="panel flush">
      <DataTable
        table={decide ? "requests to decide" : "requests"}
        label={decide ? "Requests to decide" : "Requests"}
        rows={requests}
        rowKey={(r) => r.id}
        columns={[
          {
            id: "dataset",
            head: "Dataset and fields",
            sort: (r) => r.dataset,
            cell: (r) => (
              <>
                <Link to={links.request(r.id)} className="strong" title={r.id}>
                  {r.dataset}
                </Link>
                <div className="mono small muted anywhere" title={r.fields.join("\n")}>
                  {fieldsText(r.fields)}
                </div>
              </>
            ),
          },
          {
            id: "requester",
            head: "Requester",
            sort: (r) => r.requester,
            cell: (r) => (r.requester === user ? "you" : r.requester),
          },
          { id: "purpose", head: "Purpose", className: "anywhere", sort: (r) => r.purpose, cell: (r) => r.purpose },
          decide && { id: "unmasks", head: "Would unmask", cell: (r) => <Opens request={r} /> },
          !decide && { id: "state", head: "State", sort: (r) => r.state, cell: (r) => <RequestState of={r} /> },
          { id: "requested", head: "Requested", sort: (r) => r.createdAt, cell: (r) => <When at={r.createdAt} /> },
          { id: "until", head: "Until", sort: (r) => r.until, cell: (r) => <When at={r.until} /> },
          decide && {
            id: "decide",
            head: "Decide",
            tool: true,
            className: "right nowrap",
            cell: (r) => (
              <>
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
              </>
            ),
          },
        ]}
      />
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
