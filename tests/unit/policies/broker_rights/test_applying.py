"""An apply that ends at any step is finished by the next run: nothing twice, nothing that is nobody's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.adapters.sql.database import Database
from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.errors import Conflict, Unavailable
from catalog.records import ClusterRecord
from catalog.topic_details import AclsKnown
from policies.adapters.stores.rights_ledger import SqlRightsLedger
from policies.broker_rights.applying import LEASE, Applying
from policies.broker_rights.changes import Action, Change, ChangeKind
from policies.broker_rights.ledger import AclState, Apply, ApplyState, LedgerEntry
from tests.twins.catalog.broker_acls import Killed, MemoryAcls

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
RECORD = ClusterRecord("prod", "kafka://m:9092", ("m:9092",))
CREATES, DELETES = 5, 4


def acl(name: str) -> BrokerAcl:
    return BrokerAcl(Resource.TOPIC, Pattern.LITERAL, name, "User:app", "*", Operation.READ, True)


NEW = [acl(f"new-{n}") for n in range(CREATES)]
OLD = [acl(f"old-{n}") for n in range(DELETES)]
OTHER = acl("other")
CHANGES = (
    *(Change(Action.CREATE, ChangeKind.TOPIC_READ, each, "") for each in NEW),
    *(Change(Action.DELETE, ChangeKind.RIGHT_ENDED, each, "") for each in OLD),
)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqlRightsLedger]:
    database = Database(f"sqlite:///{tmp_path / 'weir.db'}")
    database.migrate()
    yield SqlRightsLedger(database)
    database.close()


def brokers(ledger: SqlRightsLedger) -> MemoryAcls:
    ledger.put(RECORD.namespace, [LedgerEntry(each, AclState.MADE, NOW, "before") for each in OLD])
    return MemoryAcls({"m:9092": BrokerAcls(AclsKnown.YES, (*OLD, OTHER))})


def apply(number: int = 0) -> Apply:
    return Apply(f"a-{number}", RECORD.namespace, "prod", "plan", ApplyState.RUNNING, "ana", NOW, CHANGES)


def live(acls: MemoryAcls) -> set[BrokerAcl]:
    return set(acls.by_address["m:9092"].acls)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("ends", [Killed(), Unavailable("m:9092 does not answer.")], ids=["killed", "away"])
@pytest.mark.parametrize("after", range(CREATES + DELETES))
def test_what_is_left_of_an_apply_is_done_by_the_next_run(
    ledger: SqlRightsLedger, monkeypatch: pytest.MonkeyPatch, after: int, ends: BaseException
) -> None:
    monkeypatch.setattr("policies.broker_rights.applying.AT_ONCE", 2)
    acls = brokers(ledger)
    acls.after, acls.ends = after, ends
    first = Applying(acls, ledger, lambda: NOW)
    runner = first.begin(apply(), 0)
    with pytest.raises(type(ends)):
        first.run(apply(), runner, RECORD, live(acls))
    # Nothing is deleted before all is made, and all that is made is Weir's already.
    assert not (live(acls) & set(NEW)) - {
        each for each, e in ledger.entries(RECORD.namespace).items() if e.state is AclState.MADE
    }
    assert set(NEW) <= live(acls) or set(OLD) <= live(acls)
    acls.after = None
    (kept,) = ledger.applies(RECORD.namespace, [ApplyState.RUNNING])
    later = NOW + LEASE + timedelta(seconds=1)
    second = Applying(acls, ledger, lambda: later)
    done = second.run(kept, second.claim(kept), RECORD, live(acls))
    assert live(acls) == {*NEW, OTHER}
    assert (done.state, done.done, done.problems) == (ApplyState.DONE, len(CHANGES), ())
    assert len(acls.changed) == len(CHANGES)
    states = {each: entry.state for each, entry in ledger.entries(RECORD.namespace).items()}
    assert states == dict.fromkeys(NEW, AclState.MADE) | dict.fromkeys(OLD, AclState.REMOVED)


def test_one_apply_at_a_time_and_one_runner(ledger: SqlRightsLedger) -> None:
    acls = brokers(ledger)
    one = Applying(acls, ledger, lambda: NOW)
    runner = one.begin(apply(), 0)
    with pytest.raises(Conflict, match="The apply a-0 by ana is under way at prod"):
        one.begin(apply(1), 1)
    with pytest.raises(Conflict, match="under way in another process"):
        Applying(acls, ledger, lambda: NOW).claim(apply())
    assert one.run(apply(), runner, RECORD, live(acls)).state is ApplyState.DONE
    one.begin(apply(2), 1)


def test_who_was_overtaken_before_the_first_change_drops_nothing(ledger: SqlRightsLedger) -> None:
    """One process was suspended, and another one took over in the meantime."""
    acls = brokers(ledger)
    at = [NOW]
    one, two = Applying(acls, ledger, lambda: at[0]), Applying(acls, ledger, lambda: at[0])
    runner = one.begin(apply(), 0)
    at[0] += LEASE + timedelta(seconds=1)
    other = two.claim(apply())
    with pytest.raises(Conflict, match="under way in another process"):
        one.run(apply(), runner, RECORD, live(acls))
    assert set(NEW) <= set(ledger.entries(RECORD.namespace, [AclState.MADE]))
    assert two.run(apply(), other, RECORD, live(acls)).state is ApplyState.DONE
    assert live(acls) == {*NEW, OTHER}
    assert set(ledger.entries(RECORD.namespace, [AclState.MADE])) == set(NEW)


def test_who_was_overtaken_within_a_request_writes_nothing_down(ledger: SqlRightsLedger) -> None:
    acls = brokers(ledger)
    at = [NOW]
    one, two = Applying(acls, ledger, lambda: at[0]), Applying(acls, ledger, lambda: at[0])
    runner = one.begin(apply(), 0)
    create = acls.create

    def slow(*request: Any) -> Any:
        acls.create = create  # type: ignore[method-assign]
        at[0] += LEASE + timedelta(seconds=1)
        two.run(apply(), two.claim(apply()), RECORD, live(acls))
        return create(*request)

    acls.create = slow  # type: ignore[method-assign,assignment]
    with pytest.raises(Conflict, match="under way in another process"):
        one.run(apply(), runner, RECORD, live(acls))
    assert [each.state for each in ledger.applies(RECORD.namespace)] == [ApplyState.DONE]
    assert set(ledger.entries(RECORD.namespace, [AclState.MADE])) == set(NEW)


def test_a_lease_of_a_clock_that_was_put_back_holds_nobody_up(ledger: SqlRightsLedger) -> None:
    acls = brokers(ledger)
    Applying(acls, ledger, lambda: NOW + timedelta(hours=1)).begin(apply(), 0)
    one = Applying(acls, ledger, lambda: NOW)
    assert one.run(apply(), one.claim(apply()), RECORD, live(acls)).state is ApplyState.DONE


def test_where_nothing_may_be_changed_nothing_is_owned(ledger: SqlRightsLedger) -> None:
    acls = brokers(ledger)
    before = dict(ledger.entries(RECORD.namespace))
    acls.after, acls.ends = 0, Conflict("Kafka does not let User:weir change ACLs.")
    one = Applying(acls, ledger, lambda: NOW)
    with pytest.raises(Conflict, match="does not let User:weir"):
        one.run(apply(), one.begin(apply(), 0), RECORD, live(acls))
    assert dict(ledger.entries(RECORD.namespace)) == before
    assert [each.state for each in ledger.applies(RECORD.namespace)] == [ApplyState.DROPPED]


def test_who_finishes_an_apply_drops_nothing(ledger: SqlRightsLedger) -> None:
    """What the process before had made may not show any more."""
    acls = brokers(ledger)
    one = Applying(acls, ledger, lambda: NOW)
    one.begin(apply(), 0)
    acls.create({}, ["m:9092"], NEW)
    later = Applying(acls, ledger, lambda: NOW + LEASE)
    acls.problem = Conflict("Kafka does not let User:weir change ACLs.")
    with pytest.raises(Conflict):
        later.run(apply(), later.claim(apply()), RECORD, set(), lambda _: None)
    assert set(NEW) <= set(ledger.entries(RECORD.namespace, [AclState.MADE]))
    assert [each.state for each in ledger.applies(RECORD.namespace)] == [ApplyState.RUNNING]


def test_entries_are_kept_for_many_and_long_acls(ledger: SqlRightsLedger) -> None:
    many = [acl(f"{'x' * 240}-{n}") for n in range(2000)]
    ledger.put("c", [LedgerEntry(each, AclState.ADOPTED, NOW, "ana") for each in many])
    ledger.put("c", [LedgerEntry(many[0], AclState.REMOVED, NOW, "a-1")])
    assert set(ledger.entries("c", [AclState.ADOPTED])) == set(many[1:])
    assert ledger.clusters() == {"c"}
    ledger.forget("c", many)
    assert ledger.entries("c") == {} and ledger.clusters() == frozenset()
