"""What many topics, principals and ACLs cost; nothing of it is left out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from catalog.broker_acls import MOST, BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.model import DatasetId
from catalog.records import ClusterRecord
from catalog.topic_details import AclsKnown
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.broker_rights.service import BrokerRights, RightsReport
from policies.broker_rights.used import ReadingGroup
from policies.declared.state import GovernanceState
from policies.effective.dataset_access import DatasetAccess
from policies.effective.moment import Moments
from policies.model import DatasetFacts, FieldFacts, Subject
from policies.ports import Change
from tests.effort import least_effort
from tests.twins.catalog.broker_acls import MemoryAcls
from tests.twins.policies.stores import (
    MemoryAuditStore,
    MemoryFacts,
    MemoryHeadPublisher,
    MemoryPolicyStore,
    MemoryTokenStore,
)

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
TOPICS, PRINCIPALS, ACLS = 1000, 200, 10_000
ADMIN = Subject("admin", roles=frozenset({"admin"}))


def facts(number: int) -> DatasetFacts:
    fields = [FieldFacts(f"value.f{n}", {"EMAIL_ADDRESS": ""} if n == number % 10 else {}) for n in range(20)]
    return DatasetFacts(DatasetId("kafka://m:9092", f"topic-{number:04}"), f"prod/topic-{number:04}", tuple(fields))


def acls() -> list[BrokerAcl]:
    """Literal ones of every principal on 49 topics, a prefixed one each, a deny each, and one for everybody."""
    entries = [
        BrokerAcl(
            Resource.TOPIC,
            Pattern.LITERAL,
            f"topic-{(who * 5 + n) % TOPICS:04}",
            f"User:app-{who}",
            "*",
            Operation.READ if n % 3 else Operation.WRITE,
            True,
        )
        for who in range(PRINCIPALS)
        for n in range(48)
    ]
    for who in range(PRINCIPALS):
        name = f"User:app-{who}"
        entries.append(
            BrokerAcl(Resource.TOPIC, Pattern.PREFIXED, f"topic-0{who % 10}", name, "*", Operation.READ, True)
        )
        entries.append(
            BrokerAcl(Resource.TOPIC, Pattern.PREFIXED, f"topic-09{who % 10}", name, "*", Operation.ALL, False)
        )
    return entries


def service(given: BrokerAcls | None = None, topics: int = TOPICS) -> BrokerRights:
    store = MemoryPolicyStore()
    changes = [Change("ServiceAccount", f"app-{n}", {"roles": ["reader"] if n % 2 else []}) for n in range(PRINCIPALS)]
    changes += [
        Change("Principal", f"app-{n}", {"principals": [f"User:app-{n}"], "subject": {"serviceAccount": f"app-{n}"}})
        for n in range(PRINCIPALS)
    ]
    changes.append(Change("Role", "reader", {"read": [{"dataset": "prod/*"}]}))
    changes.append(
        Change("Policy", "mails", {"type": "mask", "match": {"tags": ["EMAIL_ADDRESS"]}, "mask": {"type": "MASK_HASH"}})
    )
    store.apply(changes, NOW)
    state = GovernanceState(store, lambda: NOW)
    known = {each.reference: each for each in map(facts, range(topics))}
    audit = AuditLog(MemoryAuditStore(), lambda: NOW, MemoryHeadPublisher())
    moments = Moments(state=state, source=MemoryFacts(*known.values()), clock=lambda: NOW)
    identity = Identity(MemoryTokenStore(), state, lambda: NOW)

    def groups_of(cluster: str) -> tuple[Sequence[ReadingGroup], int]:
        groups = [
            ReadingGroup(f"g-{n}", n % 2 == 0, (f"client-{n}",), frozenset({f"topic-{n % TOPICS:04}"}))
            for n in range(2000)
        ]
        return groups, 0

    return BrokerRights(
        moments=moments,
        datasets=DatasetAccess(moments, identity),
        clusters=lambda: [ClusterRecord("prod", "kafka://m:9092", ("m:9092",))],
        reader=MemoryAcls({"m:9092": given or BrokerAcls(AclsKnown.YES, tuple(acls()))}),
        groups_of=groups_of,
        readers_of=lambda _caller, _datasets: {},
        audit=audit,
        references=lambda: list(known),
        shown=lambda _, listed: listed,
    )


@pytest.mark.tail
def test_a_thousand_topics_of_two_hundred_principals_take_seconds() -> None:
    rights = service()
    assert len(acls()) == ACLS
    reports: list[RightsReport] = []

    def whole() -> object:
        reports.append(rights.report(ADMIN))
        return reports[-1].findings()

    assert least_effort(whole, times=1) < 15
    report = reports[-1]
    rows = report.rows()
    assert len(report.topics) == TOPICS and report.clusters[0].acls.left_out == 0
    assert len(rows) == len({(row.reference, row.principal.principal) for row in rows}) >= TOPICS * PRINCIPALS // 2
    possible = {(row.reference, row.principal.principal) for row in rows if row.possible}
    literal = {(f"prod/{acl.name}", acl.principal) for acl in acls() if acl.pattern is Pattern.LITERAL}
    denied = {(f"prod/topic-09{who % 10}{n}", f"User:app-{who}") for who in range(PRINCIPALS) for n in range(10)}
    assert literal - denied <= possible and not possible & denied


def test_more_acls_than_are_looked_at_are_counted_and_told() -> None:
    many = tuple(
        BrokerAcl(Resource.TOPIC, Pattern.LITERAL, f"t{n}", "User:app", "*", Operation.READ, True)
        for n in range(MOST + 3)
    )
    rights = service(BrokerAcls(AclsKnown.YES, many), topics=1)
    report = rights.report(ADMIN)
    assert report.clusters[0].acls.left_out == 3
    assert any("have 3 ACLs more than the 50,000 that are looked at" in note for note in report.notes)
