// What the audit has about the datasets of a domain, for its admins.
import { useDomainAudit } from "@/api/domains";
import type { DomainAuditEntry } from "@/api/types";
import { Action, AuditTime, Decision } from "@/components/AuditCells";
import { type Column, DataTable } from "@/components/DataTable";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { NextPage } from "@/components/NextPage";
import { ErrorNotice } from "@/components/Notice";

const COLUMNS: Column<DomainAuditEntry>[] = [
  {
    id: "when",
    head: "When",
    className: "nowrap small",
    cell: (of) => <AuditTime at={of.at} />,
  },
  { id: "who", head: "Who", cell: (of) => of.actor },
  { id: "what", head: "What", cell: (of) => <Action of={of.action} /> },
  {
    id: "on",
    head: "On",
    className: "anywhere",
    cell: (of) => (
      <>
        {of.datasets.join(", ")} {of.partial && <span className="muted">and more that is not of the domain</span>}
      </>
    ),
  },
  {
    id: "decision",
    head: "Decision",
    cell: (of) => <Decision of={of.decision} />,
  },
];

export function DomainAudit({ name }: { name: string }) {
  const audit = useDomainAudit(name);
  const rows = audit.data?.pages.flatMap((page) => page.entries) ?? [];
  const note = audit.data?.pages[0]?.note;
  return (
    <section className="panel flush" aria-label="Audit of the domain">
      <div className="panel-head">
        <h2>Audit</h2>
      </div>
      {note && <p className="small muted">{note}</p>}
      {audit.isPending && <Loading lines={4} />}
      {audit.isError && <ErrorNotice error={audit.error} />}
      {audit.data && rows.length === 0 && (
        <Empty title="No entries">
          <p>Nobody has read, changed or requested anything of its datasets yet.</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          table="domain-audit"
          label="Entries of the audit about the domain"
          rows={rows}
          rowKey={(each) => each.id}
          columns={COLUMNS}
        />
      )}
      <NextPage of={audit} label="Older entries" />
    </section>
  );
}
