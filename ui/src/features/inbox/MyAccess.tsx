// What I may see by grants, and what I asked lately.
import { Link } from "react-router";
import { useGrants } from "@/api/access";
import type { Me } from "@/api/types";
import { Answer } from "@/components/Answer";
import { When } from "@/components/When";
import { Panel } from "@/features/inbox/Panel";
import { myGrants } from "@/lib/home";
import { links, referenceLink } from "@/lib/links";
import { useHistory } from "@/lib/useHistory";

const FEW = 5;

export function MyGrants({ me }: { me: Me | undefined }) {
  const grants = useGrants();
  return (
    <Panel id="my-grants" title="My grants" all={{ to: links.requests("grants"), text: "All grants" }}>
      <Answer of={grants} lines={2}>
        {(list) => {
          const own = myGrants(list, me);
          if (own.length === 0) return <p className="muted">None in force. An approved request creates one.</p>;
          return (
            <ul className="stack-s">
              {own.slice(0, FEW).map((grant) => (
                <li key={grant.name}>
                  <Link to={referenceLink(grant.dataset)} className="strong anywhere">
                    {grant.dataset}
                  </Link>
                  <div className="muted small anywhere">
                    {(grant.fields ?? ["*"]).join(", ")} for {grant.purpose}, ends{" "}
                    <When at={grant.validTo} never="never" />
                  </div>
                </li>
              ))}
              {own.length > FEW && <li className="muted small">and {own.length - FEW} more</li>}
            </ul>
          );
        }}
      </Answer>
    </Panel>
  );
}

export function RecentQueries({ user }: { user: string | undefined }) {
  const { items } = useHistory(user);
  return (
    <Panel id="recent-queries" title="Recent queries" all={{ to: links.query(), text: "Write a query" }}>
      {items.length === 0 ? (
        <p className="muted">None in this browser.</p>
      ) : (
        <ul className="stack-s">
          {items.slice(0, FEW).map((item) => (
            <li key={item.sql}>
              <Link to={links.query(item.sql, item.purpose)} className="mono small clip" title={item.sql}>
                {item.sql.replace(/\s+/g, " ")}
              </Link>
              <div className="muted small">
                <When at={item.at} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
