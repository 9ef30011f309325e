// The parts of the pages that have code of their own, and which of them an address leads to.
import { part } from "@/lib/part";

export const DatasetsPage = part(() => import("@/pages/Datasets"));
export const ActivityPage = part(() => import("@/pages/Activity"));
export const DatasetPage = part(() => import("@/pages/dataset/DatasetPage"));
export const JobPage = part(() => import("@/pages/Job"));
export const LineagePage = part(() => import("@/pages/lineage/LineagePage"));
export const QueryPage = part(() => import("@/pages/query/QueryPage"));
export const RequestsPage = part(() => import("@/pages/requests/RequestsPage"));
export const RequestPage = part(() => import("@/pages/requests/RequestPage"));
export const AskPage = part(() => import("@/pages/requests/AskPage"));
export const AccessReviewsPage = part(() => import("@/pages/accessReviews/AccessReviewsPage"));
export const AccessReviewPage = part(() => import("@/pages/accessReviews/AccessReviewPage"));
export const ReviewPage = part(() => import("@/pages/Review"));
export const GlossaryPage = part(() => import("@/pages/glossary/GlossaryPage"));
export const TermPage = part(() => import("@/pages/glossary/TermPage"));
export const ProductsPage = part(() => import("@/pages/products/ProductsPage"));
export const ProductPage = part(() => import("@/pages/products/ProductPage"));
export const DomainPage = part(() => import("@/pages/domains/DomainPage"));
export const DomainsPage = part(() => import("@/pages/domains/DomainsPage"));
export const PoliciesPage = part(() => import("@/pages/policies/PoliciesPage"));
export const PeoplePage = part(() => import("@/pages/policies/PeoplePage"));
export const DocumentsPage = part(() => import("@/pages/policies/DocumentsPage"));
export const FieldsPage = part(() => import("@/pages/Fields"));
export const ReportsPage = part(() => import("@/pages/reports/ReportsPage"));
export const RightsPage = part(() => import("@/pages/rights/RightsPage"));
export const AuditPage = part(() => import("@/pages/Audit"));
export const PersonPage = part(() => import("@/pages/Person"));
export const SessionsPage = part(() => import("@/pages/Sessions"));
export const AgentsPage = part(() => import("@/pages/agents/AgentsPage"));
export const AgentPage = part(() => import("@/pages/agents/AgentPage"));
export const NotificationsPage = part(() => import("@/pages/notifications/NotificationsPage"));
export const AdminPage = part(() => import("@/pages/admin/AdminPage"));
export const ViewsPage = part(() => import("@/pages/views/ViewsPage"));
export const ViewPage = part(() => import("@/pages/views/ViewPage"));
export const ConnectorsPage = part(() => import("@/pages/connectors/ConnectorsPage"));
export const ConnectorPage = part(() => import("@/pages/connectors/ConnectorPage"));
export const IncidentsPage = part(() => import("@/pages/incidents/IncidentsPage"));
export const IncidentPage = part(() => import("@/pages/incidents/IncidentPage"));
export const ScanPage = part(() => import("@/pages/admin/ScanPage"));
export const LineageTab = part(() => import("@/pages/dataset/LineageTab"));
export const Consumers = part(() => import("@/pages/dataset/topic/Consumers"));
export const TopicTab = part(() => import("@/pages/dataset/topic/TopicTab"));
export const Records = part(() => import("@/pages/dataset/records/Records"));
export const FirstRun = part(() => import("@/pages/home/FirstRun"));
export const Canvas = part(() => import("@/pages/lineage/Canvas"));
export const ResultChart = part(() => import("@/components/ResultChart"));

const OF_DATASETS = "^/datasets/[^/]+/[^/]+";
const BY_ADDRESS = [
  ["^/$", FirstRun],
  [OF_DATASETS, DatasetPage],
  [`${OF_DATASETS}/records$`, Records],
  [`${OF_DATASETS}/topic$`, TopicTab],
  [`${OF_DATASETS}/consumers$`, Consumers],
  [`${OF_DATASETS}/lineage$`, LineageTab],
  [`${OF_DATASETS}/lineage$`, Canvas],
  ["^/datasets/?$", DatasetsPage],
  ["^/activity", ActivityPage],
  ["^/jobs/", JobPage],
  ["^/lineage", LineagePage],
  ["^/lineage", Canvas],
  ["^/query", QueryPage],
  ["^/views/?$", ViewsPage],
  ["^/views/.", ViewPage],
  ["^/views/[^/]+/lineage$", Canvas],
  ["^/incidents/?$", IncidentsPage],
  ["^/incidents/.", IncidentPage],
  ["^/requests/?$", RequestsPage],
  ["^/requests/new", AskPage],
  ["^/review/?$", ReviewPage],
  ["^/policies/?$", PoliciesPage],
  ["^/policies/people", PeoplePage],
  ["^/policies/documents", DocumentsPage],
  ["^/fields", FieldsPage],
  ["^/reports", ReportsPage],
  ["^/rights", RightsPage],
  ["^/audit", AuditPage],
  ["^/admin", AdminPage],
] as const;

/** Begins to fetch what a path shows. A part that does not arrive is asked for again, and reported, when it is shown. */
export function fetchEarly(path: string): void {
  for (const [address, { fetch }] of BY_ADDRESS) if (new RegExp(address).test(path)) fetch().catch(() => undefined);
}

/** What people open next from most pages. */
const OFTEN = [
  DatasetsPage,
  DatasetPage,
  Records,
  LineagePage,
  Canvas,
  QueryPage,
  RequestsPage,
  ReviewPage,
  PoliciesPage,
];

/** Fetches what is likely to be opened, once the browser has nothing else to do; not where people save data. */
export function fetchWhenIdle(): void {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  if (connection?.saveData || !("requestIdleCallback" in window)) return;
  const wait = (parts: readonly { fetch: () => Promise<unknown> }[]) => {
    const [first, ...others] = parts;
    if (first)
      requestIdleCallback(() =>
        first.fetch().then(
          () => wait(others),
          () => undefined,
        ),
      );
  };
  wait(OFTEN);
}
