"""A duty is done by one process: who takes it over when, and what the record store refuses; memory, SQLite and PostgreSQL alike."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import psutil
import pytest
from sqlalchemy import text

from catalog.adapters.sql.database import Database
from catalog.adapters.sql.leases import SqlBeats, SqlLeases
from catalog.errors import Unavailable
from catalog.leases.holder import is_over, this_process
from catalog.leases.leases import TTL_S, Leases, act_as, acting
from catalog.leases.ports import Beats, Lease, LeaseLost, LeaseStore
from tests.catalog_stores import STORES, own_database
from tests.twins.leases import MemoryBeats, MemoryLeases

Kept = tuple[LeaseStore, Beats, Database | None]


@pytest.fixture(params=STORES)
def kept(request: pytest.FixtureRequest) -> Iterator[Kept]:
    if request.param == "memory":
        yield MemoryLeases(), MemoryBeats(), None
        return
    with own_database(request.param, request) as database:
        beats = SqlBeats(database)
        yield SqlLeases(database), beats, database
        beats.close()


class Machine:
    """Processes that share leases and a clock; none is known to be over."""

    def __init__(self, kept: Kept) -> None:
        self.store, self.beats, self.database = kept
        self.now = 0.0

    def process(self, name: str, *duties: str) -> Leases:
        return Leases(self.store, self.beats, duties or ("tags",), name, lambda _: False, lambda: self.now)

    def wait(self, seconds: float, *alive: Leases) -> None:
        """The processes that are alive look every two seconds."""
        until = self.now + seconds
        while self.now < until:
            self.now += 2
            for process in alive:
                process.step()


@pytest.fixture
def machine(kept: Kept) -> Machine:
    return Machine(kept)


def test_the_first_holds_it_and_the_second_waits(machine: Machine) -> None:
    first, second = machine.process("a"), machine.process("b")
    first.step()
    second.step()
    assert first.lease_of("tags") == Lease("tags", "a", 1)
    assert second.lease_of("tags") is None
    machine.wait(60, first, second)
    assert (first.lease_of("tags"), second.lease_of("tags")) == (Lease("tags", "a", 1), None)


def test_duties_of_a_process_that_went_silent_are_taken_over_after_the_limit(machine: Machine) -> None:
    first, second = machine.process("a"), machine.process("b")
    machine.wait(4, first, second)
    machine.wait(TTL_S - 2, second)
    assert second.lease_of("tags") is None, "it may be slow"
    assert first.lease_of("tags") is None, "it has stopped by itself before that"
    machine.wait(4, second)
    assert second.lease_of("tags") == Lease("tags", "b", 2)
    first.step()
    assert first.lease_of("tags") is None
    assert not first.keeps(Lease("tags", "a", 1))


def test_a_process_that_ends_gives_its_duties_back_at_once(machine: Machine) -> None:
    first, second = machine.process("a"), machine.process("b")
    machine.wait(4, first, second)
    first.give_back()
    second.step()
    assert second.lease_of("tags") == Lease("tags", "b", 2)


def test_a_process_of_this_machine_that_was_killed_is_not_waited_for(machine: Machine) -> None:
    machine.process("a").step()
    second = Leases(machine.store, machine.beats, ["tags"], "b", lambda holder: holder == "a", lambda: machine.now)
    second.step()
    assert second.lease_of("tags") == Lease("tags", "b", 2)


def test_one_lease_is_not_given_to_two(machine: Machine) -> None:
    seen = machine.store.take("tags", "a", None)
    assert seen is not None
    assert machine.store.take("tags", "b", seen) == Lease("tags", "b", 2)
    assert machine.store.take("tags", "c", seen) is None
    assert machine.store.take("tags", "c", None) is None
    machine.store.give_back(seen)
    assert machine.store.all() == {"tags": Lease("tags", "b", 2)}, "what was lost cannot be given back"


def test_a_guarded_step_runs_while_the_duty_is_held_and_under_its_lease(machine: Machine) -> None:
    first, second = machine.process("a"), machine.process("b")
    did: list[Lease | None] = []

    def step() -> bool:
        did.append(acting())
        return True

    steps = [each.guarded("tags", step) for each in (first, second)]
    assert [step() for step in steps] == [False, False], "nobody looked yet"
    machine.wait(2, first, second)
    assert [step() for step in steps] == [True, False]
    assert did == [Lease("tags", "a", 1)]
    assert acting() is None


def test_a_duty_without_a_lease_is_refused_instead_of_never_done(machine: Machine) -> None:
    with pytest.raises(ValueError, match="'tag' is not among"):
        machine.process("a").guarded("tag", lambda: False)


def test_a_store_that_is_away_ends_what_is_held_by_itself(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    first = machine.process("a")
    first.step()

    def away(holder: str) -> None:
        raise Unavailable("The record store does not answer.")

    monkeypatch.setattr(machine.beats, "beat", away)
    machine.now += TTL_S - 1
    with pytest.raises(Unavailable):
        first.step()
    assert first.lease_of("tags") is None
    assert first.keeps(Lease("tags", "a", 1)), "nobody has taken it"


def test_beats_of_processes_that_are_gone_are_forgotten(machine: Machine) -> None:
    machine.beats.beat("a")
    second = machine.process("b")
    machine.wait(700, second)
    assert machine.beats.all().keys() == {"b"}


def test_what_is_written_under_a_lost_lease_is_refused(machine: Machine) -> None:
    if machine.database is None:
        pytest.skip("records in memory are of one process")
    database = machine.database
    with database.begin() as session:
        session.execute(text("CREATE TABLE counted (n INTEGER)"))
    first, second = machine.process("a"), machine.process("b")
    first.step()

    def count() -> bool:
        with database.begin() as session:
            session.execute(text("INSERT INTO counted VALUES (1)"))
        return True

    def frozen() -> bool:
        """The process is stopped in the middle of a step, and continues when another one holds the duty."""
        lease = machine.store.all()["tags"]
        assert machine.store.take("tags", "b", lease) is not None
        return count()

    assert first.guarded("tags", count)() is True
    assert first.guarded("tags", frozen)() is False
    assert first.lease_of("tags") is None
    second.step()
    assert second.guarded("tags", count)() is True
    count()  # as a request does, under no lease
    act_as(replace(Lease("tags", "a", 1), number=1))
    try:
        with pytest.raises(LeaseLost, match="Another process does the duty tags"):
            count()
    finally:
        act_as(None)
    with database.read() as session:
        assert session.execute(text("SELECT count(*) FROM counted")).scalar() == 3


def test_a_process_knows_itself_and_others_of_its_machine() -> None:
    me = this_process()
    assert not is_over(me)
    host, machine, _, started = me.split("/")
    assert is_over(f"{host}/{machine}/{2**22 + 1}/{started}")
    assert is_over(f"{me[: -len(started)]}1"), "the number of the process was given to another one"
    assert not is_over(f"elsewhere/{machine}/1/1"), "nothing is known of other machines"
    assert not is_over("")


@pytest.mark.parametrize("seconds", [-3600, 1, 3600])
def test_a_clock_that_jumps_ends_no_process(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    """Linux counts the start of a process from its own start, whose time moves with the clock."""
    me, started = this_process(), psutil.boot_time()
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: started + seconds)
    assert not is_over(me)
    assert this_process() == me


def test_a_holder_whose_clock_jumps_keeps_its_duties(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = machine.process("a"), machine.process("b")
    machine.wait(4, first, second)
    for clock in (0.0, 4e9):
        monkeypatch.setattr(time, "time", lambda clock=clock: clock)
        machine.wait(60, first, second)
        assert (first.lease_of("tags"), second.lease_of("tags")) == (Lease("tags", "a", 1), None)
