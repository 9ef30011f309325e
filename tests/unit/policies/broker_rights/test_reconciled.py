"""Over 500 random changes: no reader without a right, none cut off, and nothing of others touched.

The reference reads ACLs by hand and knows the rights of a small world that is generated beside the documents.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.adapters.sql.database import Database
from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.errors import NotFound
from catalog.model import DatasetId
from catalog.records import ClusterRecord
from catalog.topic_details import AclsKnown
from policies.adapters.stores.rights_ledger import SqlRightsLedger
from policies.audit.log import AuditLog
from policies.broker_rights.applying import Applying
from policies.broker_rights.comparison import Comparison
from policies.broker_rights.difference import is_mark
from policies.broker_rights.ledger import OWNED
from policies.broker_rights.reconcile import Reconciliation
from policies.declared.state import GovernanceState
from policies.effective.moment import Moments
from policies.model import DatasetFacts, FieldFacts, Subject
from policies.ports import Change
from tests.twins.catalog.broker_acls import MemoryAcls
from tests.twins.policies.stores import MemoryAuditStore, MemoryFacts, MemoryHeadPublisher, MemoryPolicyStore

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ADMIN = Subject("admin", roles=frozenset({"admin"}))
RECORD = ClusterRecord("prod", "kafka://m:9092", ("m:9092",))
APPS = [f"app-{n}" for n in range(6)]
TOPICS = ["orders", "orders.eu", "pay", "payments", "clicks"]
CHANGES = 500


class World:
    """Documents, and beside them what they mean."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.chance, self.at = chance, NOW
        self.store = MemoryPolicyStore()
        self.facts = MemoryFacts()
        self.acls = MemoryAcls({"m:9092": BrokerAcls(AclsKnown.YES, own="User:weir")})
        self.database = Database(f"sqlite:///{folder / 'weir.db'}")
        self.database.migrate()
        self.ledger = SqlRightsLedger(self.database)
        state = GovernanceState(self.store, lambda: self.at)
        comparison = Comparison(
            moments=Moments(state=state, source=self.facts, clock=lambda: self.at),
            clusters=lambda: [RECORD],
            reader=self.acls,
            ledger=self.ledger,
            references=lambda: list(self.facts.known),
            installation=lambda: "one",
        )
        self.service = Reconciliation(
            comparison=comparison,
            applying=Applying(self.acls, self.ledger, lambda: self.at),
            ledger=self.ledger,
            audit=AuditLog(MemoryAuditStore(), lambda: self.at, MemoryHeadPublisher()),
            clock=lambda: self.at,
            second_person_above=1000,
        )
        self.topics: set[str] = set()
        self.personal: set[str] = set()
        self.reads: dict[str, set[str]] = {app: set() for app in APPS}  # by role
        self.fraud: set[str] = set()  # the mask is lifted for them
        self.consumes: dict[str, list[str]] = {}  # of apps with a document
        self.grants: dict[tuple[str, str], datetime] = {}
        self.adopted: set[BrokerAcl] = set()
        self._put(
            "Policy",
            "mails",
            {
                "type": "mask",
                "match": {"tags": ["EMAIL"]},
                "mask": {"type": "MASK_HASH"},
                "except": {"groups": ["fraud"]},
            },
        )
        for app in APPS:
            self._person(app)
        for topic in TOPICS:
            self.topic(topic)

    @property
    def live(self) -> set[BrokerAcl]:
        return {acl for acl in self.acls.by_address["m:9092"].acls if not is_mark(acl)}

    def keep(self, acls: set[BrokerAcl]) -> None:
        marks = {acl for acl in self.acls.by_address["m:9092"].acls if is_mark(acl)}
        known = self.acls.by_address["m:9092"]
        self.acls.by_address["m:9092"] = replace(known, acls=tuple(acls | marks), topics=frozenset(self.topics))

    def _put(self, kind: str, name: str, spec: dict[str, Any] | None) -> None:
        self.store.apply([Change(kind, name, spec)], self.at)

    def _person(self, app: str) -> None:
        self._put("Role", f"r-{app}", {"read": [{"dataset": f"prod/{topic}"} for topic in sorted(self.reads[app])]})
        groups = ["fraud"] if app in self.fraud else []
        self._put("ServiceAccount", app, {"roles": [f"r-{app}"], "groups": groups})

    # --- what may change ---

    def topic(self, name: str | None = None) -> None:
        name = name or self.chance.choice(TOPICS)
        if name in self.topics and self.chance.random() < 0.4:
            self.topics.discard(name)
        else:
            self.topics.add(name)
            (self.personal.add if self.chance.random() < 0.6 else self.personal.discard)(name)
        tags = {"EMAIL": ""} if name in self.personal else {}
        self.facts.known[f"prod/{name}"] = DatasetFacts(
            DatasetId("kafka://m:9092", name), f"prod/{name}", (FieldFacts("value.a"), FieldFacts("value.b", tags))
        )
        self.keep(self.live)

    def role(self) -> None:
        app, topic = self.chance.choice(APPS), self.chance.choice(TOPICS)
        self.reads[app] ^= {topic}
        self._person(app)

    def group(self) -> None:
        app = self.chance.choice(APPS)
        self.fraud ^= {app}
        self._person(app)

    def document(self) -> None:
        app = self.chance.choice(APPS)
        if app in self.consumes and self.chance.random() < 0.3:
            del self.consumes[app]
            self._put("Principal", app, None)
            return
        patterns = self.chance.sample(["prod/*", "prod/orders", "prod/pay*", "prod/*s", "prod/clicks"], 2)
        self.consumes[app] = patterns
        spec = {
            "principals": [f"User:{app}"],
            "subject": {"serviceAccount": app},
            "consumes": patterns,
            "consumerGroups": [f"{app}-*"],
        }
        self._put("Principal", app, spec)

    def grant(self) -> None:
        app, topic = self.chance.choice(APPS), self.chance.choice(TOPICS)
        end = self.at + timedelta(hours=self.chance.randrange(1, 30))
        self.grants[app, topic] = end
        self._put(
            "Grant",
            f"g-{app}-{topic}",
            {
                "subject": {"user": app},
                "dataset": f"prod/{topic}",
                "purpose": "audit",
                "unmask": ["*"],
                "status": "approved",
                "validFrom": NOW.isoformat(),
                "validTo": end.isoformat(),
            },
        )

    def time(self) -> None:
        self.at += timedelta(hours=self.chance.randrange(1, 12))

    def by_hand(self) -> None:
        others = sorted(self.live - set(self.ledger.entries(RECORD.namespace, OWNED)))
        if len(others) > 4:
            self.keep(self.live - set(self.chance.sample(others, 3)))
            return
        if self.live and self.chance.random() < 0.3:
            self.keep(self.live - {self.chance.choice(sorted(self.live))})
            return
        acl = BrokerAcl(
            Resource.TOPIC,
            self.chance.choice(list(Pattern)),
            self.chance.choice(["orders", "ord", "pay", "payments", "*"]),
            f"User:{self.chance.choice([*APPS, '*', 'eve'])}",
            self.chance.choice(["*", "*", "10.0.0.7"]),
            self.chance.choice([Operation.READ, Operation.READ, Operation.WRITE, Operation.ALL]),
            self.chance.random() < 0.9,
        )
        self.keep(self.live | {acl})

    def adopt(self) -> None:
        try:
            self.service.adopt(ADMIN, None, f"User:{self.chance.choice(APPS)}")
        except NotFound:
            return

    # --- the reference ---

    def right(self, app: str, topic: str) -> bool:
        granted = self.grants.get((app, topic), NOW) > self.at
        return granted or (topic in self.reads[app] and (topic not in self.personal or app in self.fraud))

    def due(self, app: str, topic: str) -> bool:
        """Whether an app is to read a topic and may."""
        if app not in self.consumes or topic not in self.topics or not self.right(app, topic):
            return False
        fits = {
            "prod/*": True,
            "prod/orders": topic == "orders",
            "prod/pay*": topic.startswith("pay"),
            "prod/*s": topic.endswith("s"),
            "prod/clicks": topic == "clicks",
        }
        return self.grants.get((app, topic), NOW) > self.at or any(fits[each] for each in self.consumes[app])


def reads(acls: set[BrokerAcl], principal: str, topic: str, host: str) -> bool:
    """By hand: a deny that fits goes before every allow that fits."""
    fits = [
        acl
        for acl in acls
        if acl.resource is Resource.TOPIC
        and acl.principal in (principal, "User:*")
        and acl.host in ("*", host)
        and acl.operation in (Operation.READ, Operation.ALL)
        and (topic.startswith(acl.name) if acl.pattern is Pattern.PREFIXED else acl.name in (topic, "*"))
    ]
    return bool(fits) and all(acl.allow for acl in fits)


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path, random.Random(20260601))
    yield world
    world.database.close()


def test_after_every_change_readers_are_those_who_may(brokers: World) -> None:
    steps = [
        brokers.topic,
        brokers.role,
        brokers.role,
        brokers.group,
        brokers.document,
        brokers.document,
        brokers.grant,
        brokers.grant,
    ]
    steps += [brokers.time, brokers.by_hand, brokers.by_hand, brokers.adopt]
    applies = created = deleted = 0
    for number in range(CHANGES):
        step = brokers.chance.choice(steps)
        step()
        where = (number, step.__name__)
        owned_before = set(brokers.ledger.entries(RECORD.namespace, OWNED))
        others = brokers.live - owned_before
        plan = brokers.service.comparison.plan(None)
        if plan.changes:
            applied = brokers.service.apply(ADMIN, plan.id, None)
            assert applied.problems == (), where
            applies += 1
            created += sum(c.action == "create" for c in plan.changes)
            deleted += sum(c.action == "delete" for c in plan.changes)
        again = brokers.service.comparison.plan(None)
        assert again.changes == (), (where, again.changes)
        live = brokers.live
        assert others <= live, (where, "ACLs of others were touched")
        entries = brokers.ledger.entries(RECORD.namespace, OWNED)
        owned = live & set(entries)
        adopted = {acl for acl in owned if entries[acl].state == "adopted"}
        for app in APPS:
            principal = f"User:{app}"
            for topic in TOPICS:
                for host in ("10.0.0.7", "10.0.0.8"):
                    # An adopted ACL stays while nobody decides that the right ended: without a document, or a topic.
                    decided = app in brokers.consumes and topic in brokers.topics
                    counted = owned if decided else owned - adopted
                    if reads(counted, principal, topic, host):
                        assert brokers.right(app, topic) and topic in brokers.topics, (
                            where,
                            app,
                            topic,
                            "reads without a right",
                        )
                    if brokers.due(app, topic):
                        allow = BrokerAcl(Resource.TOPIC, Pattern.LITERAL, topic, principal, "*", Operation.READ, True)
                        denied = not reads(others | {allow}, principal, topic, host)
                        assert reads(live, principal, topic, host) or denied, (where, app, topic, "cut off")
    assert min(applies, created, deleted) > 100, (applies, created, deleted)
