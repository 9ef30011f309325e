// The changes that make the ACLs of a cluster equal to what Weir grants, with the reason of each; who may applies them here.
import { ShieldCheck } from "lucide-react";
import { RIGHTS_PAGE, useApplyRights, useRightsPlan, useUndoRights } from "@/api/rights";
import { useClusters } from "@/api/scans";
import type { RightsApply, RightsChange, RightsPlan } from "@/api/types";
import { Answer } from "@/components/Answer";
import { DataTable } from "@/components/DataTable";
import { Notes, Pages } from "@/components/EffectiveTable";
import { Empty } from "@/components/Empty";
import { EndButton } from "@/components/EndButton";
import { Needs } from "@/components/Needs";
import { ErrorNotice, Notice } from "@/components/Notice";
import { type Change, Principal } from "@/features/rights/parts";
import { plural } from "@/lib/format";
import { changeWords } from "@/lib/rights";

export function PlanPart({ cluster, offset, set }: { cluster: string; offset: number; set: Change }) {
  const clusters = useClusters();
  return (
    <Answer of={clusters} lines={3}>
      {(listed) => {
        const names = listed.map(({ name }) => name).sort();
        const chosen = cluster || names[0];
        if (!chosen) return <Empty title="No cluster is declared" />;
        return (
          <div className="stack">
            {names.length > 1 && (
              <div className="row">
                <select
                  className="select"
                  aria-label="Cluster"
                  value={chosen}
                  onChange={(event) => set({ cluster: event.target.value })}
                >
                  {names.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </div>
            )}
            <OfCluster cluster={chosen} offset={offset} set={set} />
          </div>
        );
      }}
    </Answer>
  );
}

function OfCluster({ cluster, offset, set }: { cluster: string; offset: number; set: Change }) {
  const plan = useRightsPlan(cluster, offset);
  return (
    <Answer of={plan} lines={8}>
      {(data) => (
        <>
          <Deed plan={data} />
          {data.changes.length === 0 ? (
            <div className="panel">
              <Empty title="No changes" icon={<ShieldCheck size={28} aria-hidden />}>
                <p>The ACLs of {data.cluster} in the care of Weir are equal to what it grants.</p>
              </Empty>
            </div>
          ) : (
            <div className="panel flush">
              <DataTable
                table="rights plan"
                label="Changes"
                rows={data.changes}
                rowKey={(row) => `${row.action} ${row.acl}`}
                columns={COLUMNS}
              />
            </div>
          )}
          <Pages
            offset={offset}
            total={data.total}
            size={RIGHTS_PAGE}
            onMove={(next) => set({ offset: String(next) })}
          />
          {data.unopened.map((each) => (
            <Notice key={each.acl} tone="warn">
              <p className="mono small anywhere">{each.acl}</p>
              <p>{each.reason}</p>
            </Notice>
          ))}
          <Notes notes={data.notes} />
        </>
      )}
    </Answer>
  );
}

/** What an apply would do, who did the last one, and the buttons for who may. */
function Deed({ plan }: { plan: RightsPlan }) {
  const apply = useApplyRights();
  const undo = useUndoRights();
  const busy = apply.isPending || undo.isPending;
  const done = apply.data ?? undo.data;
  const undoable = plan.last?.state === "done" && !plan.last.undoOf && plan.last.plan !== "watch";
  return (
    <div className="panel stack-s">
      <p>
        {plan.counts.map(({ action, kind, changes }) => `${changes} × ${changeWords(kind, action)}`).join(", ") ||
          "Nothing is to be changed."}
      </p>
      <p className="small muted">
        {plural(plan.kept, "ACL")} fit already. Weir does not touch {plural(plan.others, "ACL")} that others made.{" "}
        {plan.mode === "enforce"
          ? "This cluster is declared enforce: the worker makes such changes by itself."
          : "This cluster is declared observe: what is due is made by an apply."}
      </p>
      {plan.waiting && (
        <Notice tone="warn">
          <p>{plan.waiting.by} applied this plan first. It has many changes, so another person has to apply it too.</p>
        </Notice>
      )}
      {plan.waitingUndo && (
        <Notice tone="warn">
          <p>
            {plan.waitingUndo.by} wants to undo the apply {plan.waitingUndo.undoOf}. That is{" "}
            {plural(plan.waitingUndo.changes, "change")}, so another person has to undo it too.
          </p>
        </Notice>
      )}
      {plan.last && <p className="small muted">{lastWords(plan.last)}</p>}
      <Needs permission="manage" what="Changing ACLs">
        <div className="row">
          {plan.total > 0 && (
            <button
              type="button"
              className="button primary"
              disabled={busy}
              onClick={() => apply.mutate({ plan: plan.id, cluster: plan.cluster })}
            >
              {plan.secondPerson && !plan.waiting
                ? "Propose to a second person"
                : `Apply ${plural(plan.total, "change")}`}
            </button>
          )}
          {undoable && plan.mode === "observe" && (
            <EndButton word="Undo" of="the last apply" onEnd={() => undo.mutate(plan.cluster)} />
          )}
        </div>
      </Needs>
      {apply.isError && <ErrorNotice error={apply.error} />}
      {undo.isError && <ErrorNotice error={undo.error} />}
      {done && (
        <Notice tone={done.problems.length > 0 ? "warn" : "ok"}>
          <p>{lastWords(done)}</p>
          {done.problems.map((problem) => (
            <p key={problem} className="small anywhere">
              {problem}
            </p>
          ))}
        </Notice>
      )}
    </div>
  );
}

function lastWords(apply: RightsApply): string {
  const what = apply.undoOf ? "Undo" : "Apply";
  const second = apply.approvedBy ? ` and ${apply.approvedBy}` : "";
  return `${what} ${apply.id} by ${apply.by}${second}: ${apply.state}, ${apply.done} of ${plural(apply.changes, "change")} made.`;
}

const COLUMNS = [
  {
    id: "what",
    head: "Change",
    sort: (row: RightsChange) => row.kind,
    cell: (row: RightsChange) => (
      <span className={`badge ${row.action === "delete" ? "warn" : ""}`}>{changeWords(row.kind, row.action)}</span>
    ),
  },
  {
    id: "principal",
    head: "Principal",
    sort: (row: RightsChange) => row.principal,
    cell: (row: RightsChange) => <Principal name={row.principal} />,
  },
  {
    id: "acl",
    head: "ACL",
    className: "mono small anywhere",
    sort: (row: RightsChange) => row.acl,
    cell: (row: RightsChange) => row.acl,
  },
  { id: "reason", head: "Why", className: "words anywhere", cell: (row: RightsChange) => row.reason },
];
