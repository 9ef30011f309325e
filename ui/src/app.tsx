// Which page stands at which address. Pages are loaded when they are first opened.
import { Fragment, Suspense } from "react";
import { Outlet, Route, Routes, useLocation, useParams } from "react-router";
import { Loading } from "@/components/Loading";
import { NotFound } from "@/components/NotFound";
import { Shell } from "@/components/Shell";
import { SignInAgain } from "@/components/SignInAgain";
import { Home } from "@/features/inbox/Home";
import { Search } from "@/features/search/Search";
import { DevicePage } from "@/features/sign_in/Device";
import { SignedIn } from "@/features/sign_in/SignedIn";
import { SignIn } from "@/features/sign_in/SignIn";
import { useKnown, useToken } from "@/lib/session";
import {
  AccessReviewPage,
  AccessReviewsPage,
  ActivityPage,
  AdminPage,
  AgentPage,
  AgentsPage,
  AskPage,
  AuditPage,
  ConnectorPage,
  ConnectorsPage,
  DatasetPage,
  DatasetsPage,
  DocumentsPage,
  DomainPage,
  DomainsPage,
  FieldsPage,
  GlossaryPage,
  IncidentPage,
  IncidentsPage,
  JobPage,
  LineagePage,
  NotificationsPage,
  PeoplePage,
  PersonPage,
  PoliciesPage,
  ProductPage,
  ProductsPage,
  QueryPage,
  ReportsPage,
  RequestPage,
  RequestsPage,
  ReviewPage,
  RightsPage,
  ScanPage,
  SessionsPage,
  TermPage,
  ViewPage,
  ViewsPage,
} from "@/parts";

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
          <Route element={<OneThing />}>
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
            <Route path="/incidents" element={<IncidentsPage />} />
            <Route path="/incidents/:id" element={<IncidentPage />} />
            <Route path="/requests" element={<RequestsPage />} />
            <Route path="/requests/new" element={<AskPage />} />
            <Route path="/requests/:id" element={<RequestPage />} />
            <Route path="/review" element={<ReviewPage />} />
            <Route path="/access-reviews" element={<AccessReviewsPage />} />
            <Route path="/access-reviews/:id" element={<AccessReviewPage />} />
            <Route path="/glossary" element={<GlossaryPage />} />
            <Route path="/glossary/:name" element={<TermPage />} />
            <Route path="/products" element={<ProductsPage />} />
            <Route path="/products/:name" element={<ProductPage />} />
            <Route path="/domains" element={<DomainsPage />} />
            <Route path="/domains/:name" element={<DomainPage />} />
            <Route path="/policies" element={<PoliciesPage />} />
            <Route path="/policies/people" element={<PeoplePage />} />
            <Route path="/policies/documents" element={<DocumentsPage />} />
            <Route path="/fields" element={<FieldsPage />} />
            <Route path="/reports" element={<ReportsPage />} />
            <Route path="/rights" element={<RightsPage />} />
            <Route path="/sessions" element={<SessionsPage />} />
            <Route path="/agents" element={<AgentsPage />} />
            <Route path="/agents/:id" element={<AgentPage />} />
            <Route path="/notifications" element={<NotificationsPage />} />
            <Route path="/people/:name" element={<PersonPage />} />
            <Route path="/audit" element={<AuditPage />} />
            <Route path="/admin/:tab?" element={<AdminPage />} />
            <Route path="/admin/scans/:id" element={<ScanPage />} />
            <Route path="*" element={<NotFound />} />
          </Route>
        </Routes>
      </Suspense>
    </Shell>
  );
}

/** A page of one thing begins again with each of them: a form that is open on one dataset would change the next. */
function OneThing() {
  const { tab, ...thing } = useParams();
  return (
    <Fragment key={JSON.stringify(thing)}>
      <Outlet />
    </Fragment>
  );
}
