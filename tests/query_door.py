"""A Weir over memory twins behind a real HTTP server on the loopback, with an engine that answers what a test gives it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from api.config.address import Address
from api.config.http_settings import ApiSettings
from api.config.settings import Settings
from api.processes.server import listening
from policies.access.identity import Identity
from policies.adapters.spark import values
from policies.plan.cancellation import Stop
from policies.plan.model import QueryPlan, Result, ResultColumn
from policies.query.check import QueryCheck
from policies.query.service import GovernedQuery
from policies.whatif.mask_preview import MaskPreview
from tests import waiting
from tests.api_world import ApiWorld

GOVERNANCE = """
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: "*"}]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mask-email}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {roles: [analyst]}
"""


class Given:
    """Batches as a test gave them (`policies.plan.model.Batches`)."""

    def __init__(self, table: pa.Table, plan: QueryPlan, engine: ArrowEngine) -> None:
        self.schema = table.schema
        self._table, self._plan, self._engine = table, plan, engine
        self.limit: str | None = None
        self._over = False

    @property
    def unreadable(self) -> Any:
        """Known once the last batch was given, as with Spark."""
        return self._engine.unreadable if self._over else None

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return tuple(ResultColumn(f.name, values.type_name(f.type)) for f in self.schema)

    def rows(self, batches: Sequence[Any]) -> list[list[object]]:
        return values.rows(pa.Table.from_batches(batches, self.schema))

    def __iter__(self) -> Iterator[Any]:
        for at, batch in enumerate(self._table.to_batches(max_chunksize=self._engine.chunk)):
            if self._engine.breaks_at is not None and at >= self._engine.breaks_at:
                raise self._engine.error
            self._engine.wait(self._plan.stop)
            yield batch
        if self._table.num_rows >= self._plan.limit:
            self.limit = "rows"
        self._over = True


class ArrowEngine:
    """`policies.plan.ports.Engine`: gives `table`; with `hold`, only once it is released or the query is stopped."""

    def __init__(self, table: pa.Table) -> None:
        self.table, self.chunk = table, 1000
        self.hold: threading.Event | None = None
        self.breaks_at: int | None = None
        self.error: Exception = RuntimeError("unset")
        self.running = 0
        self.unreadable: dict[str, dict[str, int]] = {}
        self._lock = threading.Lock()

    def wait(self, stop: Stop) -> None:
        if self.hold is None:
            return
        with self._lock:
            self.running += 1
        try:
            with stop.telling(self.hold.set):
                assert self.hold.wait(20)
        finally:
            with self._lock:
                self.running -= 1
        stop.check()

    @contextmanager
    def open(self, plan: QueryPlan) -> Iterator[Given]:
        yield Given(self.table.slice(0, plan.limit), plan, self)

    def run(self, plan: QueryPlan) -> Result:
        self.wait(plan.stop)
        with self.open(plan) as batches:
            rows = batches.rows(self.table.slice(0, plan.limit).to_batches())
        more = self.table.num_rows > plan.limit
        return Result(batches.columns, rows, more, "rows" if more else None, self.unreadable)

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        return [(f.name, values.type_name(f.type)) for f in self.table.schema]


class Door:
    """The world, its engine and its address."""

    def __init__(self, world: ApiWorld, engine: ArrowEngine, url: str) -> None:
        self.world, self.engine, self.url = world, engine, url

    def token(self, user: str) -> str:
        return str(self.world.services[Identity].create_token(user).text)


@contextmanager
def door(folder: Path, table: pa.Table, api: ApiSettings | None = None) -> Iterator[Door]:
    """A scanned topic `orders`, users ana and otto who may read it, and a server that listens, with TLS where `api` has it."""
    api = api or ApiSettings()
    world, engine = ApiWorld(folder, settings=Settings(api=api)), ArrowEngine(table)
    services = world.services
    services[GovernedQuery]._engine = engine
    services[QueryCheck]._engine = engine
    services[MaskPreview]._engine = engine
    services[GovernedQuery]._offsets = services[GovernedQuery].preparer._offsets = NoOffsets()
    world.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
    world.apply(GOVERNANCE)
    listener = socket.create_server(("127.0.0.1", 0))
    server = listening(world.app, api, log_level="error", lifespan="off")
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
    thread.start()
    try:
        until(lambda: server.started)
        yield Door(world, engine, Address("127.0.0.1", listener.getsockname()[1], api.tls_certificate).url)
    finally:
        server.should_exit = True
        thread.join(10)
        services.close()


class NoOffsets:
    """`policies.plan.ports.Offsets` of a topic nobody looks at."""

    def window(self, *_: Any) -> Any:
        from policies.plan.model import Range, Window

        return Window((Range(0, 0, 50),))


def until(condition: Any, seconds: float = 10) -> None:
    """Wait for a condition."""
    waiting.until(condition, seconds=seconds, every=0.005)
