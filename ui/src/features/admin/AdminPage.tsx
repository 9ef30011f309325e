// What runs Weir: clusters, scans, people and programs, the directory, health.
import { Link, useParams } from "react-router";
import { PageHead } from "@/components/PageHead";
import { Tabs } from "@/components/Tabs";
import { Clusters } from "@/features/clusters/Clusters";
import { Directory } from "@/features/directory/Directory";
import { Users } from "@/features/directory/Users";
import { Health } from "@/features/health/Health";
import { Scans } from "@/features/scans/Scans";
import { Sessions } from "@/features/sessions/AllSessions";
import { ServiceAccounts } from "@/features/tokens/ServiceAccounts";
import { Tokens } from "@/features/tokens/Tokens";
import { links } from "@/lib/links";

const TABS = [
  { name: "clusters", text: "Clusters", page: Clusters },
  { name: "scans", text: "Scans", page: Scans },
  { name: "users", text: "Users", page: Users },
  { name: "service-accounts", text: "Service accounts", page: ServiceAccounts },
  { name: "directory", text: "Directory", page: Directory },
  { name: "tokens", text: "Tokens", page: Tokens },
  { name: "sessions", text: "Sessions", page: Sessions },
  { name: "health", text: "Health", page: Health },
];

export default function AdminPage() {
  const { tab = "clusters" } = useParams();
  const shown = TABS.find((t) => t.name === tab) ?? TABS[0];
  const Page = shown?.page ?? Clusters;
  return (
    <div className="page">
      <PageHead title={`Admin: ${shown?.text ?? ""}`} shown="Admin" />
      <Tabs label="Admin" current={tab}>
        {TABS.map((t) => (
          <Link key={t.name} to={links.admin(t.name)} aria-current={t === shown ? "page" : undefined}>
            {t.text}
          </Link>
        ))}
      </Tabs>
      <Page />
    </div>
  );
}
