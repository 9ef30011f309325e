// Access: what I asked, what I decide, what is granted.
import { Link, useSearchParams } from "react-router";
import { useMe, useRequests } from "@/api/access";
import { Answer } from "@/components/Answer";
import { Empty } from "@/components/Empty";
import { PageHead } from "@/components/PageHead";
import { Tabs } from "@/components/Tabs";
import { DelegationTab } from "@/features/access_requests/Delegation";
import { GrantList } from "@/features/access_requests/GrantList";
import { RequestTable } from "@/features/access_requests/RequestTable";
import { links } from "@/lib/links";
import { mine, toDecide } from "@/lib/requests";
import { useToken } from "@/lib/session";

export default function RequestsPage() {
  const [params] = useSearchParams();
  const user = useMe(useToken()).data?.user;
  const requests = useRequests();
  const bundle = params.get("bundle"); // of a link in a notice: its parts alone
  const all = (requests.data ?? []).filter((r) => bundle === null || r.bundle === bundle);
  const own = mine(all, user);
  const decide = toDecide(all, user);
  const others = all.filter((r) => r.requester !== user);
  const shown = params.get("show") ?? (decide.length > 0 ? "decide" : "mine");
  const tabs = [
    { name: "mine", text: `Mine ${own.length}` },
    { name: "decide", text: `To decide ${decide.length}` },
    { name: "all", text: "All I may see" },
    { name: "grants", text: "Grants" },
    { name: "away", text: "While away" },
  ];
  return (
    <div className="page">
      <PageHead
        title="Requests"
        lead="Request unmasked fields, for a purpose and a time. Others decide; access expires automatically."
      >
        <Link className="button primary" to={links.ask("")}>
          Request access
        </Link>
      </PageHead>
      <Tabs label="Which requests" current={shown}>
        {tabs.map((t) => (
          <Link key={t.name} to={links.requests(t.name)} aria-current={shown === t.name ? "page" : undefined}>
            {t.text}
          </Link>
        ))}
      </Tabs>
      {shown === "grants" ? (
        <GrantList user={user} />
      ) : shown === "away" ? (
        <DelegationTab />
      ) : (
        <Answer of={requests}>
          {() => {
            if (shown === "decide") {
              return decide.length === 0 ? (
                <Nothing title="Nothing pending" text="Requests that you may decide appear here." />
              ) : (
                <RequestTable requests={decide} user={user} decide />
              );
            }
            const list = shown === "all" ? [...others, ...own] : own;
            return list.length === 0 ? (
              <Nothing
                title="No requests"
                text="A masked column in a query's result has a button to request access; so has every field and dataset."
              />
            ) : (
              <RequestTable requests={list} user={user} />
            );
          }}
        </Answer>
      )}
    </div>
  );
}

function Nothing({ title, text }: { title: string; text: string }) {
  return (
    <div className="panel">
      <Empty title={title}>
        <p>{text}</p>
      </Empty>
    </div>
  );
}
