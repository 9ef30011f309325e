// Which page stands at which address. Pages are loaded when they are first opened.
import { lazy, Suspense } from "react";
import { Route, Routes, useLocation } from "react-router";
import { Loading } from "@/components/Loading";
import { Shell } from "@/components/Shell";
import { SignInAgain } from "@/components/SignInAgain";
import { useKnown, useToken } from "@/lib/session";
import { DevicePage } from "@/pages/Device";
import { Home } from "@/pages/Home";
import { NotFound } from "@/pages/NotFound";
import { Search } from "@/pages/Search";
import { SignedIn } from "@/pages/SignedIn";
import { SignIn } from "@/pages/SignIn";

const DatasetsPage = lazy(() => import("@/pages/Datasets"));
const ActivityPage = lazy(() => import("@/pages/Activity"));
const DatasetPage = lazy(() => import("@/pages/dataset/DatasetPage"));
const JobPage = lazy(() => import("@/pages/Job"));
const LineagePage = lazy(() => import("@/pages/lineage/LineagePage"));
const QueryPage = lazy(() => import("@/pages/query/QueryPage"));
const RequestsPage = lazy(() => import("@/pages/requests/RequestsPage"));
const RequestPage = lazy(() => import("@/pages/requests/RequestPage"));
const AskPage = lazy(() => import("@/pages/requests/AskPage"));
const AccessReviewsPage = lazy(() => import("@/pages/accessReviews/AccessReviewsPage"));
const AccessReviewPage = lazy(() => import("@/pages/accessReviews/AccessReviewPage"));
const ReviewPage = lazy(() => import("@/pages/Review"));
const DomainPage = lazy(() => import("@/pages/domains/DomainPage"));
const DomainsPage = lazy(() => import("@/pages/domains/DomainsPage"));
const PoliciesPage = lazy(() => import("@/pages/policies/PoliciesPage"));
const FieldsPage = lazy(() => import("@/pages/Fields"));
const ReportsPage = lazy(() => import("@/pages/reports/ReportsPage"));
const AuditPage = lazy(() => import("@/pages/Audit"));
const PersonPage = lazy(() => import("@/pages/Person"));
const SessionsPage = lazy(() => import("@/pages/Sessions"));
const NotificationsPage = lazy(() => import("@/pages/notifications/NotificationsPage"));
const AdminPage = lazy(() => import("@/pages/admin/AdminPage"));
const ViewsPage = lazy(() => import("@/pages/views/ViewsPage"));
const ViewPage = lazy(() => import("@/pages/views/ViewPage"));
const ConnectorsPage = lazy(() => import("@/pages/connectors/ConnectorsPage"));
const ConnectorPage = lazy(() => import("@/pages/connectors/ConnectorPage"));
const ScanPage = lazy(() => import("@/pages/admin/ScanPage"));

export function App() {
  const token = useToken();
  const known = useKnown();
  const { pathname } = useLocation();
  if (pathname === "/device") return <DevicePage />;
  if (!known) return <Loading />;
  if (token === null) return <SignIn />;
  if (pathname === "/signed-in") return <SignedIn />;
  return (
    <Shell>
      <SignInAgain />
      <Suspense fallback={<Loading />}>
        <Routes>
          <Route path="/" element={<Home />} />
          <Route path="/search" element={<Search />} />
          <Route path="/datasets" element={<DatasetsPage />} />
          <Route path="/activity" element={<ActivityPage />} />
          <Route path="/datasets/:place/:name/:tab?" element={<DatasetPage />} />
          <Route path="/jobs/:namespace/:name" element={<JobPage />} />
          <Route path="/lineage" element={<LineagePage />} />
          <Route path="/query" element={<QueryPage />} />
          <Route path="/views" element={<ViewsPage />} />
          <Route path="/views/:name/:tab?" element={<ViewPage />} />
          <Route path="/connectors" element={<ConnectorsPage />} />
          <Route path="/connectors/:name" element={<ConnectorPage />} />
          <Route path="/requests" element={<RequestsPage />} />
          <Route path="/requests/new" element={<AskPage />} />
          <Route path="/requests/:id" element={<RequestPage />} />
          <Route path="/review" element={<ReviewPage />} />
          <Route path="/access-reviews" element={<AccessReviewsPage />} />
          <Route path="/access-reviews/:id" element={<AccessReviewPage />} />
          <Route path="/domains" element={<DomainsPage />} />
          <Route path="/domains/:name" element={<DomainPage />} />
          <Route path="/policies" element={<PoliciesPage />} />
          <Route path="/fields" element={<FieldsPage />} />
          <Route path="/reports" element={<ReportsPage />} />
          <Route path="/sessions" element={<SessionsPage />} />
          <Route path="/notifications" element={<NotificationsPage />} />
          <Route path="/people/:name" element={<PersonPage />} />
          <Route path="/audit" element={<AuditPage />} />
          <Route path="/admin/:tab?" element={<AdminPage />} />
          <Route path="/admin/scans/:id" element={<ScanPage />} />
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </Shell>
  );
}
