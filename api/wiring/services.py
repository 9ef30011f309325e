"""Everything the ways in call: one object with each service of an instance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from api.config.home import Home, write_private
from api.config.settings import Settings
from api.joins.cluster_trial import ClusterTrial
from api.joins.connections import Connections
from api.joins.connectors.service import Connectors
from api.joins.cross_room import (
    SqlLineageSliver,
)
from api.joins.declared import Declared
from api.joins.domains import DomainRights, review_refused
from api.joins.group_lags import GroupLags
from api.joins.health import Health
from api.joins.observing import Observing
from api.joins.recognizers import Recognizers
from api.joins.registry_verdicts import Verdicts
from api.joins.saved_queries import SavedQueries
from api.joins.scan_runner import ScanRunner
from api.joins.scim.service import ScimService
from api.joins.sight import Sights
from api.joins.topic_pages import TopicPages
from api.joins.views.changes import ViewChanges
from api.joins.views.diff import ViewDiffs
from api.joins.views.failures import ViewFailures
from api.joins.views.removal import ViewRemovals
from api.joins.views.rows import ViewRows
from api.joins.views.service import Views
from api.joins.visible.knowledge import Knowledge
from api.joins.visible.readers import Reader, Readers
from api.wiring.access_services import EffectiveAccess
from api.wiring.campaign_services import AccessReviews
from api.wiring.notify_services import Notify
from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.datasets.reviews import Decision, Reviews
from catalog.datasets.tag_propagation import TagFlow
from catalog.events.deliveries import Deliveries
from catalog.events.events import Events
from catalog.ports import CatalogStore
from catalog.records import DatasetRecord
from catalog.scans.scans import Scans
from catalog.scans.schedules import Schedules
from catalog.search.clicks import Clicks
from catalog.search.related import Related
from catalog.search.service import Search
from catalog.where_is.report import WhereIs
from lineage.ingest.service import Ingest
from lineage.producers.catalog import ProducerCatalog
from lineage.questions.queries import Lineage
from lineage.worker.consume import LineageWorker
from policies.access.audit_of_domain import DomainAudit
from policies.access.certificates import Certificates
from policies.access.decision_service import Decisions
from policies.access.device_logins import DeviceLogins
from policies.access.directory import DirectoryPeople
from policies.access.directory_list import DirectoryList
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.access.purposes import PurposeUse
from policies.access.sessions import Sessions
from policies.access.sign_in import SignIn
from policies.audit import AuditLog
from policies.audit_actions import AuditAction
from policies.audit_export import Signer
from policies.audit_segments import AuditSegments
from policies.audit_shipping import AuditShipping
from policies.browse.service import Browser
from policies.decision.domains import Power
from policies.declared.state import GovernanceState
from policies.model import Subject
from policies.ports import FactsSource
from policies.query.check import QueryCheck
from policies.query.complete import Completion
from policies.query.service import GovernedQuery
from policies.requests.approvals import Approvals
from policies.requests.bundles import Bundles
from policies.requests.escalations import Escalations
from policies.requests.extensions import Extensions
from policies.requests.grant_notices import GrantNotices
from policies.requests.view import RequestView
from policies.whatif.mask_preview import MaskPreview
from policies.whatif.policy_tests import PolicyTests
from policies.whatif.simulate import Simulation
from views.runner.runner import Runner


@dataclass
class Services:
    """Everything the ways in call. `closing` ends what was opened, last opened first."""

    settings: Settings
    home: Home
    store: CatalogStore
    events: Events
    deliveries: Deliveries
    datasets: Datasets
    reviews: Reviews
    recognizers: Recognizers
    tag_flow: TagFlow
    discovery: Discovery
    connections: Connections
    search: Search
    clicks: Clicks
    related: Related
    readers: Readers
    knowledge: Knowledge
    verdicts: Verdicts
    scans: Scans
    schedules: Schedules
    scan_runner: ScanRunner
    where_is: WhereIs
    connectors: Connectors
    views: Views
    view_rows: ViewRows
    view_changes: ViewChanges
    view_removal: ViewRemovals
    view_diff: ViewDiffs
    view_runner: Callable[[], Runner]
    ingest: Ingest
    lineage: Lineage
    lineage_worker: Callable[[], LineageWorker]
    producers: ProducerCatalog
    rebuild_lineage: Callable[[], dict[str, int]]
    observing: Observing
    group_lags: GroupLags
    cluster_trial: ClusterTrial
    saved_queries: SavedQueries
    topic_pages: TopicPages
    sql_lineage: SqlLineageSliver
    state: GovernanceState
    identity: Identity
    certificates: Certificates
    sign_in: SignIn
    sessions: Sessions
    device_logins: DeviceLogins
    directory: DirectoryPeople
    directory_list: DirectoryList
    scim: ScimService
    approvals: Approvals
    request_view: RequestView
    notify: Notify
    extensions: Extensions
    bundles: Bundles
    escalations: Escalations
    grant_notices: GrantNotices
    view_failures: ViewFailures
    grants: Grants
    purposes: PurposeUse
    access: EffectiveAccess
    access_reviews: AccessReviews
    audit: AuditLog
    domain_audit: DomainAudit
    audit_signer: Signer
    audit_segments: AuditSegments
    audit_shipping: AuditShipping
    query: GovernedQuery
    browser: Browser
    query_check: QueryCheck
    completion: Completion
    decisions: Decisions
    simulation: Simulation
    policy_tests: PolicyTests
    mask_preview: MaskPreview
    declared: Declared
    domain_rights: DomainRights
    facts: FactsSource
    health: Health
    warm: Callable[[], None]
    closing: list[Callable[[], None]] = field(default_factory=list)

    def record(
        self, subject: Subject, action: AuditAction, target: str, decision: str = "allow", reasons: Sequence[str] = ()
    ) -> None:
        """Add to the audit chain what a caller did."""
        self.audit.record(subject.user, action, target, decision, reasons, subject.came_by)

    def reader(self, subject: Subject) -> Reader:
        """The services that a subject may ask about what they may know of. Raises Unavailable."""
        return self.readers.of(subject)

    def sights(self, subject: Subject, purpose: str | None = None) -> Sights:
        """What the subject may see of figures about records."""
        permissions = self.identity.permissions(subject)
        return Sights(
            subject=subject,
            permissions=permissions,
            facts=self.facts,
            decide=self.state,
            purpose=purpose,
            reviews=partial(self.may, subject, Power.REVIEW),
        )

    def may(self, subject: Subject, power: Power, reference: str) -> bool:
        """Whether a subject may do something with a dataset, by a permission or by its domain."""
        return power in self.identity.powers(subject, reference)

    def clusters_named(self, cluster: str) -> list[str]:
        """All names that a cluster is declared by."""
        clusters = self.store.clusters()
        same = {each.namespace for each in clusters if each.name == cluster}
        return sorted(each.name for each in clusters if each.namespace in same)

    def review_refused(self, subject: Subject, record: DatasetRecord, asked: Decision) -> str | None:
        """Why a steward of a domain may not decide so on a detection; None where they may, and for all others."""
        return review_refused(self.identity, self.state, self.datasets.classifications, subject, record, asked)

    def own_recognizers(self, subject: Subject) -> frozenset[str]:
        """Names of the recognizers that the subject was the last to declare."""
        documents = self.store.documents("Recognizer")
        return frozenset(
            name
            for each in documents
            if each.applied_by == subject.user
            for name in (each.key, str(each.spec.get("name")))
        )

    def admin_token_file(self) -> None:
        """Make the first admin's token, kept in WEIR_HOME/admin.token; does nothing once there is one."""
        token = self.identity.ensure_admin()
        if token is not None:
            write_private(self.home.admin_token, token.text + "\n")

    def close(self) -> None:
        """End what was opened."""
        while self.closing:
            self.closing.pop()()
