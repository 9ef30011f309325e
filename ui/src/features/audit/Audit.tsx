// The chain of decisions: who did what, what was decided and why; and whether the chain holds.
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { useAudit, useVerify } from "@/api/audit";
import type { AuditEntry } from "@/api/types";
import { Action, AuditTime, Decision } from "@/components/AuditCells";
import { DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { PageNeeds } from "@/components/Needs";
import { NextPage } from "@/components/NextPage";
import { ErrorNotice, Notice } from "@/components/Notice";
import { PageHead } from "@/components/PageHead";
import { Reasons, reasonList } from "@/components/Reasons";
import { AuditFilterForm } from "@/features/audit/AuditFilterForm";
import { auditSummary, dayStart, WHILE_TYPING } from "@/lib/auditFilters";
import { meansWords } from "@/lib/auditWords";
import { count } from "@/lib/format";

export default function AuditPage() {
  return (
    <PageNeeds title="Audit" permission="audit:read" what="Reading the audit">
      <Trail />
    </PageNeeds>
  );
}

function Trail() {
  const [params, setParams] = useSearchParams();
  const typing = params.get("typing") === "shown";
  const audit = useAudit({
    actor: params.get("actor"),
    action: params.get("action"),
    target: params.get("target"),
    person: params.get("person"),
    dataset: params.get("dataset"),
    field: params.get("field"),
    agent: params.get("agent"),
    tool: params.get("tool"),
    since: dayStart(params.get("from")),
    until: dayStart(params.get("to"), 1),
    without: typing ? [] : WHILE_TYPING,
  });
  const verify = useVerify();
  const [opened, setOpened] = useState<number | null>(null);
  const entries = audit.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <div className="page">
      <PageHead
        title="Audit"
        lead="Every decision, linked to the one before it, so that a changed or missing entry is detected."
      >
        <button type="button" className="button" disabled={verify.isPending} onClick={() => verify.mutate()}>
          <ShieldCheck size={15} aria-hidden /> {verify.isPending ? "Checking …" : "Verify the chain"}
        </button>
      </PageHead>
      {verify.isError && <ErrorNotice error={verify.error} />}
      {verify.data && (
        <Notice tone={verify.data.holds ? "ok" : "bad"}>
          {verify.data.holds ? (
            <p>
              The chain is intact: {count(verify.data.entries)} entries
              {verify.data.head && (
                <>
                  , head <code className="anywhere">{sentenceOfHead(verify.data.head)}</code>
                </>
              )}
              .
            </p>
          ) : (
            <p>
              {verify.data.firstBad == null
                ? `The chain is not proven. ${verify.data.problem ?? ""}`
                : `The chain is broken from entry ${verify.data.firstBad} on.`}
            </p>
          )}
        </Notice>
      )}
      <AuditFilterForm params={params} onChange={(next) => setParams(next, { replace: true })} />
      {entries.length > 0 && (
        <p className="small" aria-live="polite">
          {audit.hasNextPage && "The newest "}
          {auditSummary(entries)}
        </p>
      )}
      {audit.data?.pages[0]?.note && <p className="small muted">{audit.data.pages[0].note}</p>}
      {audit.isError && <ErrorNotice error={audit.error} />}
      {audit.isPending && <Loading lines={8} />}
      {audit.data && (
        <div className="panel flush">
          {entries.length === 0 ? (
            <Empty title="No entries">
              <p>No matches. Remove a filter.</p>
            </Empty>
          ) : (
            <DataTable
              table="audit"
              label="Entries of the audit"
              rows={entries}
              rowKey={(e) => e.seq}
              below={(e) =>
                opened === e.seq && (
                  <>
                    <Reasons reasons={reasonList(e.reasons)} />
                    <p className="small muted mono anywhere">{e.hash}</p>
                  </>
                )
              }
              columns={[
                {
                  id: "seq",
                  head: "#",
                  className: "number",
                  cell: (e) => (
                    <button
                      type="button"
                      className="link"
                      aria-expanded={opened === e.seq}
                      onClick={() => setOpened(opened === e.seq ? null : e.seq)}
                    >
                      {e.seq}
                    </button>
                  ),
                },
                {
                  id: "when",
                  head: "When",
                  className: "nowrap small",
                  cell: (e) => <AuditTime at={e.at} />,
                },
                { id: "who", head: "Who", cell: (e) => <Doer of={e} /> },
                { id: "what", head: "What", cell: (e) => <Action of={e.action} /> },
                { id: "on", head: "On", className: "anywhere", cell: (e) => e.target },
                { id: "decision", head: "Decision", cell: (e) => <Decision of={e.decision} /> },
              ]}
            />
          )}
          <NextPage of={audit} label="Older entries" />
        </div>
      )}
    </div>
  );
}

/** Who did it; below, the agent that acted and the tool that it called. */
function Doer({ of: entry }: { of: AuditEntry }) {
  const means = meansWords(entry.details);
  return (
    <>
      {entry.actor}
      {means && <div className="small muted">{means}</div>}
    </>
  );
}

function sentenceOfHead(head: unknown): string {
  if (typeof head === "string") return head;
  const { seq, hash } = head as { seq?: number; hash?: string };
  return [seq, hash].filter((p) => p !== undefined).join(" ");
}
