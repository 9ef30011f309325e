// That a dataset has incidents that are not resolved, above its tabs.
import { Link } from "react-router";
import { useIncidents } from "@/api/incidents";
import { Notice } from "@/components/Notice";
import { When } from "@/components/When";
import { links } from "@/lib/links";

const MOST = 3;

export function IncidentNotice({ reference }: { reference: string }) {
  const found = useIncidents({ dataset: reference, state: ["open", "acknowledged"] });
  const incidents = found.data?.incidents ?? [];
  if (incidents.length === 0) return null;
  return (
    <Notice tone="bad">
      {incidents.slice(0, MOST).map((each) => (
        <p key={each.id} className="anywhere">
          <Link to={links.incident(each.id)}>{each.title}</Link>: broken since <When at={each.openedAt} />
          {each.assignee && <>, {each.assignee} looks after it</>}.
        </p>
      ))}
      {incidents.length > MOST && (
        <p>
          <Link to={links.incidents({ dataset: reference })}>All {incidents.length} incidents</Link>
        </p>
      )}
    </Notice>
  );
}
