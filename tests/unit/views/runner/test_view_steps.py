"""A view through its life, with its process killed at every call: what is left is what should be, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from catalog.datatypes import STRING, StructType, parse_ddl
from catalog.errors import NotSignedIn
from catalog.model import DatasetId
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, FieldFacts, Mask, MaskType, Reason, Subject
from policies.plan.model import PartRead, Window
from policies.plan.ports import QueryTable
from policies.plan.prepare import Preparer
from policies.plan.settings import QuerySettings
from tests.examples import some
from tests.twins.views import MemoryServingTable, MemoryViewStates
from tests.view_twins import Fate, Killed, TwinRegistry, TwinStreams, TwinTopics, fated, rows
from views.declared import ViewSpec
from views.model import State
from views.row_ports import Wanted
from views.runner.state import ViewState
from views.runner.tools import DeclaredView, Tools
from views.runner.view import View
from views.settings import ViewSettings

KIND = parse_ddl("id STRING, email STRING")
PEOPLE = [{"id": f"p{n}", "email": f"canary{n}@example.org"} for n in range(3)]
PLAIN: dict[str, Any] = {"sql": "SELECT id, email FROM people", "runAs": {"user": "rep"}, "key": ["id"]}
SINK = {"cluster": "prod", "topic": "copy"}


class FatedStates(MemoryViewStates):
    def __init__(self, fate: Fate) -> None:
        super().__init__()
        self.fate = fate

    @fated
    def put(self, view: str, state: Mapping[str, Any]) -> None:
        super().put(view, json.loads(json.dumps(state)))

    @fated
    def forget(self, view: str) -> None:
        super().forget(view)


class FatedServing(MemoryServingTable):
    def __init__(self, fate: Fate) -> None:
        super().__init__()
        self.fate = fate

    prepare = fated(MemoryServingTable.prepare)
    write = fated(MemoryServingTable.write)
    contain = fated(MemoryServingTable.contain)
    drop = fated(MemoryServingTable.drop)


@dataclass
class World:
    """Everything outside of the process that runs the view."""

    fate: Fate = field(default_factory=Fate)
    spec: ViewSpec | None = None
    mask: str | None = None
    denied: bool = False
    gone: bool = False
    tags: dict[str, str] = field(default_factory=dict)
    now: float = 0.0
    writes: int | None = None
    """Of the record store; None: each look sees another one."""
    journal: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.topics = TwinTopics(self.fate)
        self.topics.records["people"], self.topics.begins["people"] = rows(PEOPLE), 0
        self.engine = TwinStreams(self.fate, self.topics)
        self.registry = TwinRegistry()
        self.states, self.serving = FatedStates(self.fate), FatedServing(self.fate)

    # -- what the policies ask ----------------------------------------------------------------------------------------

    def find(self, name: str) -> QueryTable:
        facts = self.facts("prod/people")
        return QueryTable(
            "prod/people", "people", facts, {}, PartRead("text", STRING), PartRead("json", KIND), StructType()
        )

    def facts(self, reference: str) -> DatasetFacts:
        fields = (FieldFacts("value.id"), FieldFacts("value.email", self.tags))
        return DatasetFacts(DatasetId("kafka://prod", "people"), reference, fields)

    def decide(self, subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
        if self.denied:
            return Decision(
                facts.id, facts.reference, Effect.DENY, reasons=(Reason("default", "deny", "nothing opens it"),)
            )
        mask = Mask(self.mask) if self.mask else None
        columns = (ColumnDecision("value.id", Effect.ALLOW), ColumnDecision("value.email", Effect.ALLOW, mask))
        return Decision(facts.id, facts.reference, Effect.ALLOW, columns)

    def window(self, *_: Any) -> Window:
        return Window(())

    def subject(self, name: str) -> Subject:
        if self.gone:
            raise NotSignedIn("The user is gone.")
        return Subject(name)

    def client(self, cluster: str) -> Mapping[str, str]:
        return {}

    spark = client

    # -- the process --------------------------------------------------------------------------------------------------

    def declare(self, **more: Any) -> None:
        self.spec = ViewSpec.model_validate(PLAIN | more)

    def view(self) -> View:
        """The view in a new process."""
        settings = ViewSettings(recheck_seconds=2)
        preparer = Preparer(self, self.decide, self, MaskKeys(b"a secret for tests, sixteen or more"), QuerySettings())
        tools = Tools(
            document=self.declared,
            subject=self.subject,
            preparer=preparer,
            engine=self.engine,
            topics=self.topics,
            registry=self.registry,
            clusters=self,
            serving=self.serving,
            states=self.states,
            settings=settings,
            checkpoints="/state",
            journal=lambda action, view, reasons: self.journal.append((action, "; ".join(reasons))),
            monotonic=lambda: self.now,
            written=lambda: object() if self.writes is None else self.writes,
        )
        return View("v", tools)

    def declared(self, name: str) -> DeclaredView | None:
        return None if self.spec is None else DeclaredView(self.spec, repr(self.spec))

    def settle(self, view: View, steps: int = 60) -> None:
        """Steps a second apart, with the engine at work between them, until nothing changes any more."""
        quiet, before = 0, ""
        for _ in range(steps):
            view.step()
            self.engine.advance()
            self.now += 1.0
            state = self.state()
            now = json.dumps(
                [state.get(name) for name in ("state", "active", "building", "retired", "error", "session")]
            )
            quiet, before = (quiet + 1 if now == before else 0), now
            if quiet > 4 and state.get("state") != State.RESTARTING:
                return

    # -- what is left -------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        return self.states.get("v")

    def rows(self) -> dict[str, Any]:
        active = self.state().get("active")
        return (
            {}
            if not active
            else {r.key: r.values["email"] for r in self.serving.read("v", active["id"], Wanted(), 100)}
        )

    def emails(self) -> set[str]:
        """Every e-mail that can be read anywhere outside of the source."""
        topics = {name for name in self.topics.records if name != "people"}
        emails = {json.loads(value or b"{}").get("email") for name in topics for value, _, _ in self.topics.there(name)}
        return emails | {
            str(r.values["email"])
            for g in self.serving.generations("v")
            for r in self.serving.read("v", g, Wanted(), 100)
        }

    def check_tidy(self) -> None:
        """One generation, or none, and nothing of any other."""
        state = self.state()
        active = state.get("active")
        assert not state.get("building") and not state.get("retired")
        assert self.serving.generations("v") == ([active["id"]] if active else [])
        assert set(self.engine.checkpoints) == ({active["checkpoint"]} if active else set())
        private = {name for name in self.topics.records if name.startswith("_weir.views.")}
        assert private == ({active["topic"]} if active and active["private"] else set())
        alive = [run.plan.generation for run in self.engine.running if run.alive]
        assert alive == ([active["id"]] if active and state["state"] == "running" else [])


def tighten(world: World) -> None:
    world.mask = MaskType.MASK_NULL


def deny(world: World) -> None:
    world.denied = True


def remove(world: World) -> None:
    world.gone = True


def redeclare(world: World) -> None:
    world.declare(sql="SELECT email, id FROM people", **({"sink": SINK} if world.spec and world.spec.sink else {}))


def delete(world: World) -> None:
    world.spec = None


CHANGES: dict[str, tuple[Callable[[World], None], set[str], str | None]] = {
    "tighten": (tighten, {"masked"}, "running"),
    "deny": (deny, set(), "failed"),
    "remove": (remove, set(), "failed"),
    "redeclare": (redeclare, {f"canary{n}@example.org" for n in range(3)}, "running"),
    "delete": (delete, set(), None),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("sink", [None, SINK], ids=["private", "sink"])
@pytest.mark.parametrize("change", sorted(CHANGES))
def test_killed_at_any_call_what_is_left_is_right(change: str, sink: dict[str, str] | None) -> None:
    act, emails, state = CHANGES[change]

    def calls(killed_at: int | None, where: str) -> int:
        """How many calls were made until the view was settled again."""
        world = World(Fate())
        world.declare(**({"sink": sink} if sink else {}))
        world.fate.at = killed_at
        view = world.view()
        changed = False
        for _ in range(3):
            try:
                if not changed:
                    world.settle(view, 12)
                    act(world)
                    changed = True
                world.settle(view, 40)
                break
            except Killed:
                world.engine.advance()  # it continues without the process
                view = world.view()
        assert world.emails() == emails, where
        assert world.state().get("state") == state, where
        world.check_tidy()
        return world.fate.calls

    every = calls(None, "not killed")
    assert every > 30, "there are many places to be killed at"
    for number in some(range(1, every + 1)):
        calls(number, f"killed at call {number} of {every}")


def test_the_old_stream_takes_no_record_after_the_decision_changed() -> None:
    world = World()
    world.declare(sink=SINK)
    killed = world.view()
    world.settle(killed, 12)
    # The runner is killed, the mask is tightened, and the engine continues what runs.
    tighten(world)
    world.topics.records["people"] += rows([{"id": "new", "email": "canary-new@example.org"}])
    view = world.view()
    view.step()
    world.topics.records["people"] += rows([{"id": "newer", "email": "canary-newer@example.org"}])
    world.settle(view)
    assert world.emails() == {"masked"} and set(world.rows()) == {'["p0"]', '["p1"]', '["p2"]', '["new"]', '["newer"]'}
    world.check_tidy()


def test_stop_in_place_of_rebuild() -> None:
    world = World()
    world.declare(onDecisionChange="stop")
    view = world.view()
    world.settle(view, 12)
    tighten(world)
    world.settle(view, 12)
    assert world.state()["state"] == State.STOPPED and "rebuild" in world.state()["error"]["message"]
    assert world.emails() == set()
    world.check_tidy()
    world.states.put_wish("v", {"rebuild": 1})
    world.settle(view, 20)
    assert world.state()["state"] == State.RUNNING and set(world.rows().values()) == {"masked"}


def test_rows_do_not_outlive_a_right_that_ends_while_the_view_is_paused() -> None:
    world = World()
    world.declare()
    view = world.view()
    world.settle(view, 12)
    world.states.put_wish("v", {"paused": True})
    world.settle(view, 4)
    assert world.state()["state"] == State.PAUSED and len(world.rows()) == 3
    tighten(world)
    world.settle(view, 6)
    assert world.state()["state"] == State.PAUSED and world.emails() == set()
    world.states.put_wish("v", {"paused": False})
    world.settle(view, 20)
    assert set(world.rows().values()) == {"masked"}
    world.check_tidy()


def test_an_engine_that_is_away_is_waited_for_with_growing_pauses() -> None:
    world = World()
    world.declare()
    view = world.view()
    world.settle(view, 12)
    world.fate.away = True
    before = world.fate.calls
    world.settle(view, 60)
    assert world.state()["state"] == State.RESTARTING and world.state()["error"]["code"] == "unavailable"
    assert world.fate.calls - before < 60, "it is not asked again and again"
    assert len(world.rows()) == 3, "readers get what there is"
    world.fate.away = False
    world.settle(view, 80)
    assert world.state()["state"] == State.RUNNING and world.state()["restarts"] == 1
    world.check_tidy()


def test_a_tag_of_a_source_is_a_tag_of_the_view_at_once() -> None:
    world = World()
    world.declare()
    view = world.view()
    world.settle(view, 12)
    assert world.state()["active"]["tags"] == {}
    world.tags = {"EMAIL_ADDRESS": "98% of 1,000"}
    world.settle(view, 4)
    assert list(world.state()["active"]["tags"]["value.email"]) == ["EMAIL_ADDRESS"]
    assert world.state()["active"]["number"] == 1, "what it holds is the same"


def test_what_changes_while_the_view_rests_is_kept_at_the_next_look() -> None:
    world = World(writes=0)
    world.declare()
    view = world.view()
    for _ in range(100):
        view.step()
        world.engine.advance()
        world.now += 1.0
    assert world.state()["state"] == State.RUNNING and world.state()["rates"]["recordsInPerSecond"] == 0
    for number, tag in enumerate(("EMAIL_ADDRESS", "PERSON", "PHONE_NUMBER"), 1):
        world.tags, world.writes, world.now = {tag: "98% of 1,000"}, number, world.now + 2.5
        view.step()
        assert list(world.state()["active"]["tags"]["value.email"]) == [tag]


def test_a_topic_with_other_records_is_not_written() -> None:
    world = World()
    world.topics.records["copy"], world.topics.begins["copy"] = rows([{"id": "theirs"}]), 0
    world.declare(sink=SINK)
    view = world.view()
    world.settle(view, 20)
    assert world.state()["state"] == State.FAILED and "prod/copy" in world.state()["error"]["message"]
    assert len(world.topics.records["copy"]) == 1
    world.spec = replace_sink(world.spec, "copy-2")
    world.settle(view, 80)
    assert world.state()["state"] == State.RUNNING and len(world.rows()) == 3


def replace_sink(spec: ViewSpec | None, topic: str) -> ViewSpec:
    assert spec is not None
    return ViewSpec.model_validate(spec.model_dump(exclude_none=True) | {"sink": {"cluster": "prod", "topic": topic}})


def test_a_rebuild_from_a_time_starts_there_and_a_restart_keeps_that() -> None:
    world = World()
    world.declare(startFrom="latest")
    view = world.view()
    world.settle(view, 12)
    world.states.put_wish("v", {"rebuild": 1, "from": "2026-11-20T10:00:00Z"})
    world.settle(view, 20)
    state = world.state()
    assert state["active"]["number"] == 2 and state["active"]["start"] == "2026-11-20T10:00:00Z"
    assert "from 2026-11-20T10:00:00Z" in state["active"]["why"]
    assert world.engine.running[-1].plan.start.at == datetime(2026, 11, 20, 10, tzinfo=UTC)
    again = world.view()
    world.settle(again, 12)
    assert world.engine.running[-1].plan.start.at == datetime(2026, 11, 20, 10, tzinfo=UTC)
    tighten(world)
    world.settle(again, 20)
    assert world.engine.running[-1].plan.start.at == "latest", "another generation begins as it is declared"
    world.check_tidy()


@pytest.mark.parametrize("stopped", [False, True])
def test_a_rebuild_is_done_though_a_server_does_not_answer_once(stopped: bool) -> None:
    for fails in range(1, 60):
        world = World()
        world.declare(onDecisionChange="stop")
        view = world.view()
        world.settle(view, 12)
        if stopped:
            tighten(world)
            world.settle(view, 12)
            assert world.state()["state"] == State.STOPPED
        world.states.put_wish("v", {"rebuild": 1, "from": "2026-11-20T10:00:00Z"})
        world.fate.fails = world.fate.calls + fails
        world.settle(view, 60)
        state = world.state()
        assert state["state"] == State.RUNNING and state["active"]["number"] >= 2, f"call {fails}: {state}"
        assert state["active"]["start"] == "2026-11-20T10:00:00Z", f"call {fails}"
        world.check_tidy()


def test_keys_that_went_are_forgotten_also_while_the_view_is_paused() -> None:
    world = World()
    world.declare()
    view = world.view()
    world.settle(view, 12)
    active = world.state()["active"]["id"]
    world.states.put_wish("v", {"paused": True})
    world.settle(view, 4)
    world.serving.write("v", active, [], ['["p0"]'], {0: 10})
    world.now += 60
    world.settle(view, 4)
    assert world.serving.versions("v", active).forgotten == 0, "who follows has ten minutes"
    view.tools = replace(view.tools, clock=lambda: datetime.now(UTC) + timedelta(minutes=11))
    view._generations._tools = view.tools
    world.now += 60
    world.settle(view, 4)
    assert world.serving.versions("v", active).forgotten == world.serving.versions("v", active).newest


def test_records_of_a_generation_that_was_given_up_are_known_until_they_are_cut_off() -> None:
    """The mask is lifted and comes back while the next generation is built: its records are behind those that readers get."""
    world = World(mask=MaskType.MASK_NULL)
    world.declare(sink=SINK)
    view = world.view()
    world.settle(view, 12)
    world.mask = None
    while not world.state().get("building"):
        world.now += 1.0
        view.step()
    given_up = world.state()["building"]
    world.engine.advance()
    tighten(world)
    while (world.state().get("building") or {}).get("id") in (given_up["id"], None):
        world.now += 3.0
        view.step()
    assert given_up["id"] in [each.id for each in ViewState.read(world.state()).stored]
    while world.state()["retired"]:
        world.now += 1.0
        view.step()
    state = ViewState.read(world.state())
    assert [each.id for each in state.lingering] == [given_up["id"]] and given_up["id"] in [e.id for e in state.stored]
    assert world.emails() > {"masked"}, "the records are there still"
    assert any("are between those of others" in reason for action, reason in world.journal if action == "view.drop")
    world.settle(view)
    assert world.emails() == {"masked"} and not world.state()["lingering"]
    world.check_tidy()
