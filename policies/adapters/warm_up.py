"""Queries over made-up records, run when the service starts.

The first queries on a fresh engine take seconds each, because its JVM has loaded and compiled nothing yet. These come
before them: the same way through gate, decision, views and answer, over a table that no catalog and no Kafka has.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import structlog

from catalog.datatypes import STRING, parse_ddl
from catalog.errors import Unavailable, WeirError
from catalog.model import DatasetId
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.decision.decide import decide
from policies.decision.policy_index import Compiled
from policies.masks.keys import MaskKeys
from policies.model import (
    DatasetFacts,
    Decision,
    FieldFacts,
    Mask,
    MaskPolicy,
    MaskType,
    Role,
    Subject,
    SubjectMatch,
    Target,
)
from policies.plan.cancellation import Stop
from policies.plan.model import PartRead, Range, TablePlan, Window
from policies.plan.ports import Engine, QueryRecord, QueryTable
from policies.plan.settings import QuerySettings
from policies.query.service import GovernedQuery
from policies.sql.windows import AsOf

_log = structlog.get_logger(__name__)
_RECORDS = 1000
_PAUSE_SECONDS = 0.2
_AGAIN_SECONDS = 2.0
_QUICK_SECONDS = 0.25
"""An engine that answers each of the statements within this is warm: nothing more is run."""
_PATIENCE_SECONDS = 600.0
"""How long an engine that does not answer yet is asked again."""
_REFERENCE = "warm/up"
_DDL = (
    "id STRING, amount DOUBLE, n BIGINT, at TIMESTAMP, customer STRUCT<name: STRING, email: STRING>, tags ARRAY<STRING>"
)
_TAGS = {"value.customer.name": "PERSON", "value.customer.email": "EMAIL_ADDRESS"}
_MASKS = {"PERSON": MaskType.MASK, "EMAIL_ADDRESS": "EMAIL_DOMAIN"}
_STATEMENTS = (
    "SELECT * FROM warm.up",
    "SELECT id, customer.email FROM warm.up WHERE amount > 10 ORDER BY n LIMIT 100",
    "SELECT tags[0] AS tag, count(*), sum(amount), max(at) FROM warm.up GROUP BY 1",
)
_READER = Subject("weir", roles=frozenset({"reader"}))


class WarmUp:
    """`busy` is asked before each query: it waits while others run. Safe to close at any time."""

    def __init__(
        self,
        sessions: Sessions,
        queries: int,
        busy: Callable[[], bool],
        kept: Callable[[Engine], Engine] = lambda engine: engine,
        warm: Callable[[], None] = lambda: None,
    ) -> None:
        """`kept` gives an engine whose queries are looked after, as those of people are. `warm` is called, in the
        background too, when the engine has run them."""
        self._sessions, self._queries, self._busy, self._kept, self._warm = sessions, queries, busy, kept, warm
        self._over = threading.Event()

    def start(self) -> None:
        """Run them in the background."""
        if self._queries:
            threading.Thread(target=self._in_background, name="weir-warm-up", daemon=True).start()

    def close(self) -> None:
        self._over.set()

    def _in_background(self) -> None:
        if self.run() and self._free():
            self._warm()

    def run(self) -> int:
        """Run them now; gives how many were answered. One that fails ends it: users then meet the reason themselves."""
        table, begun, done = _Table(), time.monotonic(), 0
        engine = self._kept(SparkEngine(self._sessions, windows=table))
        queries = GovernedQuery(table, table.decide, engine, table, table, MaskKeys(bytes(32)), QuerySettings())
        quick = 0
        while done < self._queries and quick < len(_STATEMENTS) and self._free():
            try:
                started = time.monotonic()
                queries.run(_READER, _STATEMENTS[done % len(_STATEMENTS)])
                done += 1
                quick = quick + 1 if time.monotonic() - started < _QUICK_SECONDS else 0
            except Unavailable:
                if time.monotonic() - begun > _PATIENCE_SECONDS or self._over.wait(_AGAIN_SECONDS):
                    break
            except WeirError as error:
                _log.info("warm-up ended early", queries=done, code=error.code)
                break
        else:
            _log.info("warm-up ended", queries=done, seconds=round(time.monotonic() - begun, 1))
        return done

    def _free(self) -> bool:
        """Waits while somebody else's query runs; False when the service ends."""
        while self._busy():
            if self._over.wait(_PAUSE_SECONDS):
                return False
        return not self._over.is_set()


class _Table:
    """One table of made-up records, and all that a query asks about it."""

    def __init__(self) -> None:
        everyone = SubjectMatch(everyone=True)
        self._policies = Compiled(
            MaskPolicy(tag, (Target(tag=tag),), everyone, Mask(mask)) for tag, mask in _MASKS.items()
        )
        self._roles = {"reader": Role("reader", (Target(dataset="*"),))}

    def find(self, name: str) -> QueryTable:
        kind = parse_ddl(_DDL)
        return QueryTable(
            reference=_REFERENCE,
            topic="up",
            facts=self.facts(_REFERENCE),
            kafka={},
            key=PartRead("text", STRING),
            value=PartRead("json", kind),
        )

    def facts(self, reference: str) -> DatasetFacts:
        paths = ("key", *(f"value.{each}" for each in ("id", "amount", "n", "at", "tags[]")), *_TAGS)
        fields = tuple(FieldFacts(path, {_TAGS[path]: "made up"} if path in _TAGS else {}) for path in paths)
        return DatasetFacts(DatasetId("kafka://warm", "up"), reference, fields)

    def decide(self, subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
        now = datetime.now(UTC)
        return decide(subject, facts, roles=self._roles, policies=self._policies, purpose=purpose, now=now)

    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        return Window((Range(0, 0, _RECORDS),))

    def record(self, entry: QueryRecord) -> None:
        """Nobody asked, so nothing is in the audit."""

    def read(self, table: TablePlan, stop: Stop) -> Any:
        """The records, as a WindowReader gives them."""
        import pyarrow as pa

        numbers = range(_RECORDS)
        schema = pa.schema(
            [
                ("key", pa.binary()),
                ("value", pa.binary()),
                ("partition", pa.int32()),
                ("offset", pa.int64()),
                ("timestamp", pa.timestamp("us", "UTC")),
                ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
            ]
        )
        return pa.table(
            {
                "key": [b"%d" % n for n in numbers],
                "value": [_record(n) for n in numbers],
                "partition": [0] * _RECORDS,
                "offset": list(numbers),
                "timestamp": [datetime.now(UTC)] * _RECORDS,
                "headers": [None] * _RECORDS,
            },
            schema,
        )


def _record(n: int) -> bytes:
    customer = {"name": f"Name {n}", "email": f"name{n}@example.org"}
    moment = f"2026-01-01T{n % 24:02}:00:00Z"
    return json.dumps(
        {"id": f"i{n}", "amount": n / 4, "n": n, "at": moment, "tags": [f"t{n % 7}"], "customer": customer}
    ).encode()
