// What happened around this dataset: queries, requests, grants, reviews, as the audit tells it.
import { Link } from "react-router";
import { useAudit } from "@/api/audit";
import type { Dataset } from "@/api/types";
import { Action, Decision } from "@/components/AuditCells";
import { Empty } from "@/components/Empty";
import { Loading } from "@/components/Loading";
import { PageNeeds } from "@/components/Needs";
import { ErrorNotice } from "@/components/Notice";
import { When } from "@/components/When";
import { links } from "@/lib/links";

export function Activity({ dataset }: { dataset: Dataset }) {
  return (
    <PageNeeds permission="audit:read" what="Reading the activity">
      <Entries dataset={dataset} />
    </PageNeeds>
  );
}

function Entries({ dataset }: { dataset: Dataset }) {
  const audit = useAudit({ actor: null, action: null, target: dataset.reference });
  if (audit.isError) return <ErrorNotice error={audit.error} retry={() => void audit.refetch()} />;
  if (audit.isPending) return <Loading />;
  const entries = audit.data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) {
    return (
      <div className="panel">
        <Empty title="Nothing happened yet">
          <p>Queries, requests, grants and reviews of this dataset appear here.</p>
        </Empty>
      </div>
    );
  }
  return (
    <div className="panel flush">
      <ul className="list">
        {entries.map((e) => (
          <li key={e.seq} className="spread">
            <span className="grow anywhere">
              <strong>{e.actor}</strong> <Action of={e.action} /> <Decision of={e.decision} />
            </span>
            <span className="muted small">
              <When at={e.at} />
            </span>
          </li>
        ))}
      </ul>
      <div className="panel-head">
        <Link className="small" to={links.audit({ target: dataset.reference })}>
          All of it in the audit
        </Link>
      </div>
    </div>
  );
}
