import { CircleCheck, CircleDashed, CircleX } from "lucide-react";
import { Link } from "react-router";
import type { AccessRequest } from "@/api/types";
import { When } from "@/components/When";
import { span } from "@/lib/format";
import { links } from "@/lib/links";
import { sentence } from "@/lib/subject";

/** The stages of a request, who approves each, and who has spoken. */
export function Stages({ request: r }: { request: AccessRequest }) {
  return (
    <aside className="panel" aria-labelledby="stages">
      <h2 id="stages">Stages</h2>
      <ol className="stack">
        {r.stages.map((stage) => {
          const votes = r.decisions.filter((d) => d.stage === stage.name);
          const denied = votes.some((v) => v.verdict === "deny");
          const done = stage.approvedBy.length >= stage.quorum;
          const Icon = denied ? CircleX : done ? CircleCheck : CircleDashed;
          return (
            <li key={stage.name} className="row-nowrap" style={{ alignItems: "flex-start" }}>
              <Icon
                size={18}
                aria-hidden
                style={{
                  flex: "none",
                  marginTop: 2,
                  color: denied ? "var(--bad)" : done ? "var(--ok)" : "var(--muted)",
                }}
              />
              <div className="grow stack-s" style={{ gap: 2 }}>
                <strong>
                  {stage.name}
                  {r.stage === stage.name && <span className="badge accent">pending</span>}
                </strong>
                <span className="muted small">
                  {sentence(stage.approvers) || "approvers"}: {stage.approvedBy.length} of {stage.quorum}
                </span>
                {r.stage === stage.name && (r.deciders ?? []).length > 0 && (
                  <span className="small">
                    Can decide: <strong>{r.deciders?.join(", ")}</strong>
                    {r.usualSeconds != null && (
                      <span className="muted">. Usually decided within {span(r.usualSeconds)}.</span>
                    )}
                  </span>
                )}
                {r.stage === stage.name && r.deciders?.length === 0 && (
                  <span className="badge warn">no user known to Weir can decide this</span>
                )}
                {votes.map((vote) => (
                  <p key={`${vote.by} ${vote.at}`} className="small">
                    {vote.by} {vote.verdict === "approve" ? "approved" : "denied"}
                    {vote.narrowed && " in part"} <When at={vote.at} />
                    {vote.comment && `: “${vote.comment}”`}
                  </p>
                ))}
              </div>
            </li>
          );
        })}
      </ol>
      {r.grant && (
        <p className="small" style={{ marginTop: 12 }}>
          It created the grant <Link to={links.requests("grants")}>{r.grant}</Link>.
        </p>
      )}
      {r.state === "pending" && r.expiresAt && (
        <p className="muted small" style={{ marginTop: 12 }}>
          Ends undecided <When at={r.expiresAt} />.
        </p>
      )}
    </aside>
  );
}
