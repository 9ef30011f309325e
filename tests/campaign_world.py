"""A company with rights to review, over memory stores or a record store in a file; and a process that dies at a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from api.features.access_reviews.service import access_reviews
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.store import SqlCatalogStore
from catalog.events.events import Events
from catalog.model import DatasetId
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.adapters.stores.audit import SqlAuditStore
from policies.adapters.stores.campaigns import SqlCampaignStore
from policies.adapters.stores.sql import SqlPolicyStore
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.effective.moment import Moments
from policies.model import DatasetFacts, FieldFacts, Subject, SubjectMatch
from policies.requests.delegation import Delegations
from tests.twins.policies.campaigns import MemoryCampaignStore
from tests.twins.policies.stores import MemoryAuditStore, MemoryFacts, MemoryPolicyStore, MemoryTokenStore

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
ORDERS = DatasetFacts(
    DatasetId("kafka://localhost:9092", "orders"),
    "prod/orders",
    (FieldFacts("value.email", {"EMAIL_ADDRESS": "declared"}), FieldFacts("value.amount")),
    frozenset({"domain.sales"}),
    SubjectMatch(users=frozenset({"otto"})),
)
STOCK = DatasetFacts(
    DatasetId("kafka://localhost:9092", "stock"),
    "prod/stock",
    (FieldFacts("value.sku"),),
    frozenset(),
    SubjectMatch(users=frozenset({"petra"})),
)


def grant(subject: dict[str, str], dataset: str = "prod/orders", days: int = -200) -> dict[str, Any]:
    return {
        "subject": subject,
        "dataset": dataset,
        "unmask": ["*"],
        "purpose": "fraud",
        "status": "approved",
        "validFrom": (START + timedelta(days=days)).isoformat(),
        "validTo": (START + timedelta(days=365)).isoformat(),
        "request": "req-1",
    }


REVIEW: dict[str, Any] = {
    "scope": {"tags": ["PII"]},
    "reviewers": {"owners": True, "fallback": {"users": ["petra"]}},
    "due": "14d",
    "remind": ["7d", "1d"],
    "onNoAnswer": "revoke",
}
COMPANY: list[tuple[str, str, dict[str, Any]]] = [
    ("Role", "reader", {"read": [{"dataset": "prod/orders"}]}),
    ("Role", "clerk", {"read": [{"dataset": "prod/stock"}]}),
    ("Role", "senior", {"inherits": ["reader"], "read": [{"dataset": "prod/stock"}]}),
    ("Group", "sales", {"members": ["ben"], "roles": ["reader"]}),
    ("User", "ana", {"roles": ["reader"]}),
    ("User", "otto", {}),
    ("User", "petra", {}),
    ("User", "mia", {"roles": ["admin"]}),
    ("Grant", "ana-fraud", grant({"user": "ana"})),
    ("Grant", "sales-fraud", grant({"group": "sales"})),
    ("AccessReview", "personal", REVIEW),
]


class Killed(BaseException):
    """The process died here."""


@dataclass
class Fuse:
    """Dies at the call of this number, counted over everything that it is in; None: never. `behind`: once it was done."""

    at: int | None = None
    behind: bool = False
    calls: int = 0
    armed: bool = False


class Fused:
    """Passes on every call of another object, until the fuse blows."""

    def __init__(self, of: Any, fuse: Fuse) -> None:
        self._of, self._fuse = of, fuse

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._of, name)
        if not callable(value):
            return value

        def call(*args: Any, **more: Any) -> Any:
            if not self._fuse.armed:
                return value(*args, **more)
            self._fuse.calls += 1
            dies = self._fuse.calls == self._fuse.at
            if dies and not self._fuse.behind:
                raise Killed
            result = value(*args, **more)
            if dies:
                raise Killed
            return result

        return call


class Sink:
    """An outbox in memory."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, Any]] = []

    def emit(self, type: str, subject: str, data: Any = None) -> Any:
        self.told.append((type, subject, data))


@dataclass
class CampaignWorld:
    """One process over its stores; `again` gives the next one over the same stores."""

    database: Database | None = None
    now: datetime = START
    fuse: Fuse = field(default_factory=Fuse)
    stores: tuple[Any, ...] = ()
    facts: MemoryFacts = field(default_factory=lambda: MemoryFacts(ORDERS, STOCK))
    references: Callable[[], list[str]] = lambda: ["prod/orders", "prod/stock"]

    def __post_init__(self) -> None:
        if not self.stores and self.database is not None:
            self.stores = (
                SqlPolicyStore(self.database),
                SqlAuditStore(self.database),
                SqlCampaignStore(self.database),
                Events(SqlCatalogStore(self.database), self.clock),
            )
        elif not self.stores:
            policies = MemoryPolicyStore()
            self.stores = policies, MemoryAuditStore(), MemoryCampaignStore(policies), Sink()
        self.policies, self.entries, self.store, self.events = (Fused(each, self.fuse) for each in self.stores)
        self.state = GovernanceState(self.policies, self.clock)
        self.audit = AuditLog(self.entries, self.clock)
        self.identity = Identity(MemoryTokenStore(), self.state, self.clock)
        self.grants = Grants(
            self.state,
            self.facts,
            self.identity,
            self.audit,
            self.clock,
            events=self.events,
        )
        self.delegations = Delegations(self.state, self.identity, self.audit, self.clock)
        moments = Moments(self.state, self.facts, self.clock)
        self.reviews = access_reviews(
            self.store,
            self.state,
            self.identity,
            self.grants,
            self.delegations,
            moments,
            self.audit,
            self.events,
            self.clock,
            self.references,
        )
        self.campaigns = self.reviews.campaigns

    def clock(self) -> datetime:
        return self.now

    def sleep(self, **span: float) -> None:
        self.now += timedelta(**span)

    def again(self) -> CampaignWorld:
        """The process that comes after this one."""
        return CampaignWorld(self.database, self.now, Fuse(), self.stores, self.facts, self.references)

    def declare(self, *documents: tuple[str, str, dict[str, Any]]) -> None:
        for kind, name, spec in documents:
            self.state.put(kind, name, {}, spec)

    def user(self, name: str) -> Subject:
        return self.identity.current(name)

    def items(self, campaign: str, by: str = "mia") -> dict[str, dict[str, Any]]:
        """`kind name holder` -> item, as somebody sees them."""
        from api.features.access_reviews.answers import ReviewedRight
        from policies.campaigns.service import ItemQuery

        page, _ = self.campaigns.items(self.user(by), campaign, ItemQuery(), 0, 1000)
        shown = [ReviewedRight.of(each).model_dump(mode="json") for each in page]
        return {f"{i['kind']} {i['name']} {i['holder']}": i for i in shown}

    def events_told(self) -> list[str]:
        """Types of the events so far, without a prefix, oldest first."""
        outbox = self.stores[3]
        if isinstance(outbox, Sink):
            return [kind for kind, _, _ in outbox.told]
        return [e.type.removeprefix("weir.") for e in reversed(outbox.list(limit=1000))]

    def actions(self) -> list[str]:
        """Actions in the audit, oldest first."""
        return [e.action for e in self.stores[1].chain(0, 1000)]


def company(database: Database | None = None) -> CampaignWorld:
    world = CampaignWorld(database)
    world.declare(*COMPANY)
    return world
