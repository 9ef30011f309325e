// The parts of the pages that have code of their own, and which of them an address leads to.
import { part } from "@/lib/part";

export const DatasetsPage = part(() => import("@/features/datasets/Datasets"));
export const ActivityPage = part(() => import("@/features/events/Activity"));
export const DatasetPage = part(() => import("@/features/datasets/DatasetPage"));
export const JobPage = part(() => import("@/features/lineage/Job"));
export const LineagePage = part(() => import("@/features/lineage/LineagePage"));
export const QueryPage = part(() => import("@/features/queries/QueryPage"));
export const RequestsPage = part(() => import("@/features/access_requests/RequestsPage"));
export const RequestPage = part(() => import("@/features/access_requests/RequestPage"));
export const AskPage = part(() => import("@/features/access_requests/AskPage"));
export const AccessReviewsPage = part(() => import("@/features/access_reviews/AccessReviewsPage"));
export const AccessReviewPage = part(() => import("@/features/access_reviews/AccessReviewPage"));
export const ReviewPage = part(() => import("@/features/detections/Review"));
export const GlossaryPage = part(() => import("@/features/glossary/GlossaryPage"));
export const TermPage = part(() => import("@/features/glossary/TermPage"));
export const ProductsPage = part(() => import("@/features/products/ProductsPage"));
export const ProductPage = part(() => import("@/features/products/ProductPage"));
export const DomainPage = part(() => import("@/features/domains/DomainPage"));
export const DomainsPage = part(() => import("@/features/domains/DomainsPage"));
export const PoliciesPage = part(() => import("@/features/policies/PoliciesPage"));
export const PeoplePage = part(() => import("@/features/policies/PeoplePage"));
export const DocumentsPage = part(() => import("@/features/declared/DocumentsPage"));
export const FieldsPage = part(() => import("@/features/datasets/Fields"));
export const ReportsPage = part(() => import("@/features/where_is/ReportsPage"));
export const RightsPage = part(() => import("@/features/rights/RightsPage"));
export const AuditPage = part(() => import("@/features/audit/Audit"));
export const PersonPage = part(() => import("@/features/access/Person"));
export const SessionsPage = part(() => import("@/features/sessions/Sessions"));
export const AgentsPage = part(() => import("@/features/agents/AgentsPage"));
export const AgentPage = part(() => import("@/features/agents/AgentPage"));
export const NotificationsPage = part(() => import("@/features/notifications/NotificationsPage"));
export const AdminPage = part(() => import("@/features/admin/AdminPage"));
export const ViewsPage = part(() => import("@/features/views/ViewsPage"));
export const ViewPage = part(() => import("@/features/views/ViewPage"));
export const ConnectorsPage = part(() => import("@/features/connectors/ConnectorsPage"));
export const ConnectorPage = part(() => import("@/features/connectors/ConnectorPage"));
export const IncidentsPage = part(() => import("@/features/incidents/IncidentsPage"));
export const IncidentPage = part(() => import("@/features/incidents/IncidentPage"));
export const ScanPage = part(() => import("@/features/scans/ScanPage"));
export const LineageTab = part(() => import("@/features/lineage/LineageTab"));
export const Consumers = part(() => import("@/features/topics/Consumers"));
export const TopicTab = part(() => import("@/features/topics/TopicTab"));
export const Records = part(() => import("@/features/records/Records"));
export const FirstRun = part(() => import("@/features/inbox/FirstRun"));
export const Canvas = part(() => import("@/features/lineage/Canvas"));
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
