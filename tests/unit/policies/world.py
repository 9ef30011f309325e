"""A small company for the tests: two datasets, ana, otto, petra, grace, and the services over memory stores."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from catalog.model import DatasetId
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.model import DatasetFacts, FieldFacts, Subject, SubjectMatch
from policies.requests.approvals import Approvals
from tests.twins.policies.stores import (
    MemoryAuditStore,
    MemoryFacts,
    MemoryHeadPublisher,
    MemoryPolicyStore,
    MemoryTokenStore,
)

START = datetime(2026, 6, 1, 12, tzinfo=UTC)

ORDERS = DatasetFacts(
    DatasetId("kafka://localhost:9092", "orders"),
    "prod/orders",
    (
        FieldFacts("key", {"PERSON": "declared"}),
        FieldFacts("headers.actor", {"EMAIL_ADDRESS": "declared"}),
        FieldFacts("value.order_id"),
        FieldFacts("value.customer.name", {"PERSON": "91% of 1,000"}),
        FieldFacts("value.customer.email", {"EMAIL_ADDRESS": "98% of 1,000"}),
        FieldFacts("value.items[].gift_email", {"EMAIL_ADDRESS": "declared"}),
        FieldFacts("value.attributes{}"),
        FieldFacts("value.attributes{contact}", {"PHONE_NUMBER": "declared"}),
        FieldFacts("value.amount"),
        FieldFacts("value.new_field", classified=False),
    ),
    frozenset({"domain.sales"}),
    SubjectMatch(users=frozenset({"otto"}), groups=frozenset({"team-orders"})),
)
PAYMENTS = DatasetFacts(
    DatasetId("kafka://localhost:9092", "payments"),
    "prod/payments",
    (FieldFacts("value.card", {"CREDIT_CARD": "100% of 500"}), FieldFacts("value.currency")),
    frozenset(),
    SubjectMatch(users=frozenset({"otto"})),
)

GOVERNANCE: list[tuple[str, str, dict[str, Any]]] = [
    ("Role", "analyst", {"read": [{"dataset": "prod/orders"}, {"tag": "domain.sales"}]}),
    (
        "Role",
        "analyst-eu",
        {"inherits": ["analyst"], "rowFilters": [{"dataset": "prod/orders", "where": "region = 'EU'"}]},
    ),
    ("Role", "privacy-officer", {"read": [{"dataset": "*"}], "seesUnscanned": True}),
    (
        "Policy",
        "mask-email",
        {
            "type": "mask",
            "match": {"tags": ["EMAIL_ADDRESS"]},
            "subjects": {"roles": ["analyst"]},
            "mask": {"type": "MASK_HASH"},
            "except": {"roles": ["privacy-officer"], "purposes": ["fraud-investigation"]},
        },
    ),
    (
        "Policy",
        "mask-personal",
        {
            "type": "mask",
            "match": {"tags": ["PII"]},
            "subjects": {"everyone": True},
            "mask": {"type": "Last-4"},
            "except": {"roles": ["privacy-officer"], "users": ["otto"]},
        },
    ),
    (
        "Policy",
        "payments-need-a-grant",
        {
            "type": "access",
            "match": {"datasets": ["prod/payments"]},
            "requires": {"purpose": ["fraud-investigation", "chargeback"]},
        },
    ),
    (
        "Workflow",
        "personal-data",
        {
            "match": {"tags": ["PII"]},
            "stages": [
                {"name": "owner", "approvers": {"owners": True}, "quorum": 1},
                {"name": "privacy", "approvers": {"groups": ["privacy"]}, "quorum": 1},
            ],
            "maxDuration": "30d",
            "requestExpiresAfter": "7d",
        },
    ),
    ("User", "ana", {"roles": ["analyst"]}),
    ("User", "otto", {}),
    ("User", "petra", {"roles": ["privacy-officer"], "groups": ["privacy"]}),
    ("User", "grace", {"groups": ["fraud-team"], "roles": ["analyst-eu"]}),
]


@dataclass
class World:
    """Services over memory stores, and a clock that a test moves."""

    now: datetime = START
    store: MemoryPolicyStore = field(default_factory=MemoryPolicyStore)
    tokens: MemoryTokenStore = field(default_factory=MemoryTokenStore)
    entries: MemoryAuditStore = field(default_factory=MemoryAuditStore)
    heads: MemoryHeadPublisher = field(default_factory=MemoryHeadPublisher)
    facts: MemoryFacts = field(default_factory=lambda: MemoryFacts(ORDERS, PAYMENTS))

    def __post_init__(self) -> None:
        self.state = GovernanceState(self.store, self.clock)
        self.audit = AuditLog(self.entries, self.clock, self.heads)
        self.identity = Identity(self.tokens, self.state, self.clock)
        self.approvals = Approvals(self.state, self.facts, self.identity, self.audit, self.clock)
        self.grants = Grants(self.state, self.facts, self.identity, self.audit, self.clock)

    def clock(self) -> datetime:
        return self.now

    def sleep(self, **span: float) -> None:
        self.now += timedelta(**span)

    def declare(self, *documents: tuple[str, str, dict[str, Any]]) -> None:
        for kind, name, spec in documents:
            self.state.put(kind, name, {}, spec)

    def user(self, name: str) -> Subject:
        return self.identity.current(name)


def company() -> World:
    """The world with GOVERNANCE declared."""
    world = World()
    world.declare(*GOVERNANCE)
    return world
