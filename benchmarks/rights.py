"""A plan of rights at the brokers with many topics and principals: seconds and memory.

    weir test --bench rights                10,000 topics, 2,000 principals, 20,000 grants, 40,000 ACLs that are due
    weir test --bench rights --small        a tenth of each

Needs no server: documents and the ledger are in SQLite, ACLs in memory. Half of the ACLs that are due are at the brokers, and as
many of others; the plan makes the rest, and deletes those whose right ended.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from catalog.adapters.sql.database import Database
from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.errors import DatasetNotFound
from catalog.model import DatasetId
from catalog.records import ClusterRecord
from catalog.topic_details import AclsKnown
from policies.adapters.stores.rights_ledger import SqlRightsLedger
from policies.adapters.stores.sql import SqlPolicyStore
from policies.adapters.stores.tables import GovernanceRow
from policies.broker_rights.changes import Action, Plan
from policies.broker_rights.comparison import Comparison
from policies.broker_rights.ledger import AclState, LedgerEntry
from policies.declared.state import GovernanceState
from policies.effective.moment import Moments
from policies.model import DatasetFacts, FieldFacts

NOW = datetime(2026, 6, 1, tzinfo=UTC)
RECORD = ClusterRecord("prod", "kafka://k:9092", ("k:9092",))
EACH, FIELDS = 20, 20
MOST_S, MOST_MB = 20.0, 1024.0


class Facts:
    """`FactsSource` of the benchmark's topics: every third has personal data."""

    def __init__(self, topics: int) -> None:
        self.known = {f"prod/{_topic(n)}": _facts(n) for n in range(topics)}

    def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
        """The same at every moment."""
        try:
            return self.known[reference]
        except KeyError:
            raise DatasetNotFound(f"There is no dataset {reference!r}.") from None


class Brokers:
    """`AclReader` of given ACLs."""

    def __init__(self, acls: Sequence[BrokerAcl], topics: int) -> None:
        names = frozenset(_topic(n) for n in range(topics))
        self._acls = BrokerAcls(AclsKnown.YES, tuple(sorted(acls)), own="User:weir", topics=names)

    def read(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> BrokerAcls:
        """The ACLs."""
        return self._acls


def _topic(number: int) -> str:
    return f"team-{number // 10:04}.topic-{number:05}"


def _facts(number: int) -> DatasetFacts:
    fields = tuple(
        FieldFacts(f"value.f{n}", {"EMAIL_ADDRESS": ""} if number % 3 == 0 and n == 0 else {}) for n in range(FIELDS)
    )
    return DatasetFacts(DatasetId("kafka://k:9092", _topic(number)), f"prod/{_topic(number)}", fields)


def documents(topics: int, principals: int, grants: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(kind, name, spec): half of the programs may see personal data; each consumes the topics of a team, and ten others."""
    yield "Role", "reader", {"read": [{"dataset": "prod/*"}]}
    mask = {"type": "mask", "match": {"tags": ["EMAIL_ADDRESS"]}, "mask": {"type": "MASK_HASH"}}
    yield "Policy", "mails", {**mask, "except": {"groups": ["privacy"]}}
    for who in range(principals):
        yield (
            "ServiceAccount",
            f"app-{who}",
            {"roles": ["reader"], "groups": ["privacy"] if who % 2 else [f"team-{who % 50}"]},
        )
        named = [f"prod/{_topic((who * 37 + n * 101) % topics)}" for n in range(EACH // 2)]
        spec = {
            "principals": [f"User:app-{who}"],
            "subject": {"serviceAccount": f"app-{who}"},
            "consumes": [f"prod/team-{who % (topics // 10):04}.*", *named],
            "consumerGroups": [f"app-{who}-*"],
        }
        yield "Principal", f"app-{who}", spec
    for number in range(grants):
        begin, end = NOW - timedelta(days=1), NOW + timedelta(days=1 if number % 4 else -0.5)
        spec = {
            "subject": {"user": f"app-{number % principals}"},
            "dataset": f"prod/{_topic(number * 7 % topics)}",
            "purpose": "fraud",
            "unmask": ["*"] if number % 10 == 0 else [],
            "status": "approved",
            "validFrom": begin.isoformat(),
            "validTo": end.isoformat(),
        }
        yield "Grant", f"g-{number}", spec


def _declare(database: Database, every: Iterator[tuple[str, str, dict[str, Any]]]) -> None:
    rows = [
        {
            "version": number,
            "kind": kind,
            "name": name,
            "deleted": False,
            "newest": True,
            "at": NOW,
            "meta": {},
            "spec": spec,
        }
        for number, (kind, name, spec) in enumerate(every, 1)
    ]
    with database.begin() as session:
        for start in range(0, len(rows), 5000):
            session.execute(insert(GovernanceRow), rows[start : start + 5000])


def planned(database: Database, topics: int, principals: int, grants: int) -> tuple[Plan, float, float]:
    """A plan of a cluster as described above; seconds of processor time of the first plan of a process, and of the next."""
    _declare(database, documents(topics, principals, grants))
    facts, ledger = Facts(topics), SqlRightsLedger(database)
    moments = Moments(state=GovernanceState(SqlPolicyStore(database), lambda: NOW), source=facts, clock=lambda: NOW)

    def comparison(acls: Sequence[BrokerAcl]) -> Comparison:
        return Comparison(
            moments, lambda: [RECORD], Brokers(acls, topics), ledger, lambda: list(facts.known), lambda: "b"
        )

    due = sorted(change.acl for change in comparison([]).plan("prod").of(Action.CREATE) if change.acl.allow)
    ended = [
        BrokerAcl(
            Resource.TOPIC,
            Pattern.LITERAL,
            _topic(n * 3 % topics),
            f"User:app-{n * 2 % principals}",
            "*",
            Operation.READ,
            True,
        )
        for n in range(principals)
    ]
    others = [
        BrokerAcl(Resource.TOPIC, Pattern.LITERAL, _topic(n % topics), f"User:other-{n}", "*", Operation.WRITE, True)
        for n in range(len(due) // 2)
    ]
    known = set(due)
    mine = [*due[::2], *(acl for acl in ended if acl not in known)]
    ledger.put(RECORD.namespace, [LedgerEntry(acl, AclState.MADE, NOW, "a-1") for acl in dict.fromkeys(mine)])
    live = [*dict.fromkeys(mine), *others]
    moments.state = GovernanceState(SqlPolicyStore(database), lambda: NOW)  # as a process that starts
    seconds = []
    for _ in range(2):
        began = time.process_time()
        plan = comparison(live).plan("prod")
        seconds.append(time.process_time() - began)
    return plan, seconds[0], seconds[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 when a limit was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a tenth of everything")
    given = parser.parse_args(arguments)
    scale = 10 if given.small else 1
    with tempfile.TemporaryDirectory(prefix="weir-rights-") as folder:
        database = Database(f"sqlite:///{Path(folder) / 'weir'}.db")
        database.migrate()
        began = time.perf_counter()
        plan, first, second = planned(database, 10_000 // scale, 2_000 // scale, 20_000 // scale)
        took = time.perf_counter() - began
        database.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(plan.counts.items()))
    print(f"{len(plan.changes):,} changes ({kinds}), {plan.kept:,} kept")
    print(
        f"a plan: {first:.1f} s of processor time in a process that starts, {second:.1f} s then; limit {MOST_S:.0f} s"
    )
    print(
        f"memory at most {memory:,.0f} MB, limit {MOST_MB:,.0f} MB; {took:.0f} s by the clock for three plans and the set-up"
    )
    return int(first > MOST_S or memory > MOST_MB)


if __name__ == "__main__":
    sys.exit(main())
