"""A view whose generations a test writes itself, in a whole Weir over memory twins: for tests of reading and operating."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from api.features.views.changes import Event, ViewChanges
from policies.access.identity import Identity
from policies.model import Subject
from policies.plan.registry import Running
from policies.query.service import GovernedQuery
from tests.api_world import ApiWorld
from tests.twins.views import MemoryServingTable, MemoryViewStates
from views.model import Row, State, identity
from views.runner.state import Generation, ViewState

BASE = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reading}
spec: {read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [reading]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {roles: []}
---
apiVersion: weir/v1
kind: View
metadata: {name: spend}
spec:
  sql: SELECT email, sum(amount) AS total FROM prod.orders GROUP BY email
  runAs: {user: ana}
"""
COLUMNS = [["email", "string"], ["total", "bigint"]]


class ServedView:
    """The view `spend` (key: email), read through the services; the runner is the test."""

    engine: Any = None

    def __init__(self, folder: Path, **more: Any) -> None:
        """`more`: further adapters by their names in `api.wiring.given.GivenAdapters`."""
        self.states, self.serving = MemoryViewStates(), MemoryServingTable()
        self.states.beat(datetime.now(UTC) + timedelta(hours=1))
        self.world = ApiWorld(folder, view_states=self.states, serving=self.serving, **more)
        self.world.apply(BASE)
        self.world.scan(cluster="prod", topics=["orders"])
        self.state = ViewState(state=State.RUNNING, since="2026-11-23T10:00:00Z")
        self.offset = 0

    def generation(self, number: int = 1, columns: Sequence[Sequence[str]] = (), **more: Any) -> Generation:
        """A generation of the view; it is prepared, and nobody gets it yet."""
        given: dict[str, Any] = {
            "id": f"{number}-{'ab' * 8}",
            "number": number,
            "declared": "d",
            "cluster": "prod",
            "topic": f"_weir.views.{number}",
            "private": True,
            "begins": {0: 0},
            "goal": {"orders": {0: 50}},
            "checkpoint": f"/state/{number}",
            "columns": [list(each) for each in columns or COLUMNS],
            "keys": ["email"],
            "single": False,
            "sources": ["prod/orders"],
            "reads": "r",
            "created": "2026-11-23T10:00:00Z",
            "why": "it was declared",
            "streams": {"orders": "prod"},
            "made_of": [],
        }
        generation = Generation(**given | more)
        self.serving.prepare("spend", generation.id)
        return generation

    def serve(self, generation: Generation | None, **more: Any) -> None:
        """Give readers a generation."""
        self.state.active = generation
        for name, value in more.items():
            setattr(self.state, name, value)
        self.states.put("spend", self.state.to_json())

    def write(self, rows: Mapping[str, int | None], generation: Generation | None = None) -> None:
        """One batch: e-mail -> total, None: the row is gone."""
        into = generation or self.state.active
        assert into is not None
        self.offset += 1
        kept = [
            Row(identity([email]), {"email": email, "total": total}, self.offset)
            for email, total in rows.items()
            if total is not None
        ]
        gone = [identity([email]) for email, total in rows.items() if total is None]
        self.serving.write("spend", into.id, kept, gone, {0: self.offset})

    def subject(self, name: str) -> Subject:
        return self.world.services[Identity].current(name)

    @contextmanager
    def follow(self, name: str, last_id: str | None = None, live: Running | None = None) -> Iterator[Follower]:
        services, subject = self.world.services, self.subject(name)
        live = live or services[GovernedQuery].running.begin(subject, "a view", None, streaming=True)
        live.signed_in = lambda: services[Identity].current(name)
        follower = Follower(services[ViewChanges].follow(subject, "spend", last_id, live))
        try:
            yield follower
        finally:
            live.stop.stop("was ended by the test")
            follower.close()
            services[GovernedQuery].running.end(live)


class Follower:
    """Takes events on a thread of its own."""

    def __init__(self, events: Iterator[list[Event]]) -> None:
        self.taken: list[Event] = []
        self._seen = threading.Condition()
        self._over = False
        self._thread = threading.Thread(target=self._take, args=(events,), daemon=True)
        self._thread.start()

    def _take(self, events: Iterator[list[Event]]) -> None:
        try:
            for some in events:
                with self._seen:
                    self.taken += some
                    self._seen.notify_all()
        finally:
            with self._seen:
                self._over = True
                self._seen.notify_all()

    def until(self, holds: Callable[[list[Event]], bool], seconds: float = 15) -> list[Event]:
        """Wait for what was taken to be as wanted; everything that was taken then."""
        with self._seen:
            fits = self._seen.wait_for(lambda: holds(self.taken) or self._over, seconds)
            assert fits and holds(self.taken), self.shown()
            return list(self.taken)

    def over(self, seconds: float = 15) -> list[Event]:
        """Wait for the end of the stream."""
        with self._seen:
            assert self._seen.wait_for(lambda: self._over, seconds), self.shown()
            return list(self.taken)

    def shown(self) -> list[tuple[str, Any]]:
        """(type, rows or [key, row] or the rest) of each event but `freshness`."""
        return [(each.type, _short(each)) for each in self.taken if each.type != "freshness"]

    def table(self) -> dict[str, list[object]]:
        """What somebody has who applies the events."""
        rows: dict[str, list[object]] = {}
        begun = False
        for each in self.taken:
            if each.type == "snapshot":
                rows = rows if begun else {}
                rows |= {str(row[0]): row for row in each.data["rows"]}
                begun = not each.data["last"]
            elif each.type == "upsert":
                rows[str(each.data["key"][0])] = each.data["row"]
            elif each.type == "delete":
                rows.pop(str(each.data["key"][0]), None)
        return rows

    def close(self) -> None:
        self._thread.join(10)
        assert not self._thread.is_alive()


def _short(each: Event) -> Any:
    match each.type:
        case "snapshot":
            return each.data["rows"]
        case "upsert" | "delete":
            return [each.data["key"], each.data.get("row")]
    return each.data.get("code") or each.data["generation"]


@contextmanager
def served_view(folder: Path, **more: Any) -> Iterator[ServedView]:
    served = ServedView(folder, **more)
    try:
        yield served
    finally:
        served.world.services.close()
