"""Many governed queries in one Spark job, so that hundreds of attacks and thousands of random queries fit into minutes.

Each query passes the product's own gate, decisions, views and answer, singly; what is shared is Spark's work:

- the records are read from Kafka once a store, and every view is built over them by the engine's own code (decoding,
  row filter and its barrier, masks); rules that would fold such small tables away before the plan is made are off;
- the rendered texts of a batch run as one UNION ALL of their rows as JSON. A text that fails is taken out, by the place
  in the text that Spark's error names, and its error is translated as the engine does.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from catalog.errors import WeirError
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.errors import translate
from policies.adapters.spark.records import frame_of, kafka_frame
from policies.adapters.spark.sessions import Sessions
from policies.plan.model import QueryPlan, Result, ResultColumn, TablePlan, Window
from policies.plan.settings import QuerySettings
from policies.query.service import GovernedQuery
from policies.sql.windows import AsOf
from tests.query_world import ANA, KEYS, World

_SETTINGS = {
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation,"
    "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    # Compiling code for a dozen records takes longer than reading them by its interpreter, which means the same.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.maxPlanStringLength": "1000",
}
_TASKS = 2
_UNION = " UNION ALL "


class Replay:
    """An engine that hands out the plan, and waits for what Spark made of it."""

    def __init__(self) -> None:
        self.plan: QueryPlan | None = None
        self.outcome: Result | Exception | None = None
        self.planned, self.known = threading.Event(), threading.Event()

    def run(self, plan: QueryPlan) -> Result:
        self.plan = plan
        self.planned.set()
        self.known.wait()
        if isinstance(self.outcome, Result):
            return self.outcome
        assert self.outcome is not None, "Spark was not asked"
        raise self.outcome

    def open(self, plan: QueryPlan) -> Any:
        raise AssertionError("an answer that is sent on in batches is not replayed")

    check = open


class Offsets:
    """Kafka's answers, asked for once each: the topics of these tests do not change."""

    def __init__(self) -> None:
        self._known: dict[str, Window] = {}

    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        key = f"{topic} {as_of} {limit}"
        if key not in self._known:
            self._known[key] = KafkaOffsets().window(kafka, topic, as_of, limit)
        return self._known[key]


OFFSETS = Offsets()


@dataclass
class Asked:
    """One query of one store on its way, in a thread that waits in the engine while others are prepared."""

    world: World
    sql: str
    outcome: Result | Exception | None = None
    text: str = ""
    columns: tuple[ResultColumn, ...] = ()
    _engine: Replay = field(default_factory=Replay)
    _thread: threading.Thread | None = None
    _answer: Mapping[str, Any] | Exception | None = None

    @property
    def plan(self) -> QueryPlan | None:
        """None when the query was refused before the engine."""
        return self._engine.plan

    def piece(self, number: int) -> str:
        """A SELECT of the rows as JSON, by position: names may occur twice."""
        names = [f"`c{i}`" for i in range(len(self.columns))]
        row = f"to_json(array({', '.join(f'to_json(array({n}))' for n in names)}))" if names else "'[]'"
        return f"SELECT {number} AS q, {row} AS r FROM ({self.text}) AS t({', '.join(names)})"

    def prepare(self) -> None:
        """Let the service work until it asks the engine, or has refused."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._engine.planned.wait()

    def answer(self) -> Mapping[str, Any]:
        """Everything that leaves Weir: the answer, or the error with its details."""
        assert self._thread is not None
        self._engine.outcome = self.outcome
        self._engine.known.set()
        self._thread.join()
        assert self._answer is not None
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def _run(self) -> None:
        settings = QuerySettings(concurrent=1000, concurrent_per_subject=1000, max_rows=1_000_000)
        service = GovernedQuery(self.world, self.world, self._engine, OFFSETS, self.world, KEYS, settings)
        try:
            self._answer = service.run(ANA, self.sql, "analysis", 1_000).to_json()
        except WeirError as error:
            self._answer = error.parts()
        except Exception as error:
            self._answer = error
        finally:
            self._engine.planned.set()


@dataclass
class Batches:
    """Runs queries over worlds in one session."""

    engine: SparkEngine
    session: Any
    raw: dict[str, Any] = field(default_factory=dict)
    views: list[tuple[TablePlan, str]] = field(default_factory=list)
    jobs: int = 0
    size: int = 20

    def ask(self, worlds: Sequence[World], queries: Sequence[str]) -> list[list[Mapping[str, Any]]]:
        """For each query its answers, one of each store."""
        outcomes = []
        for start in range(0, len(queries), self.size):
            asked = [[Asked(world, sql) for world in worlds] for sql in queries[start : start + self.size]]
            for each in (a for pair in asked for a in pair):
                each.prepare()
            self._together([each for pair in asked for each in pair if each.plan is not None and self._analysed(each)])
            outcomes += [[each.answer() for each in pair] for pair in asked]
        return outcomes

    def _analysed(self, asked: Asked) -> bool:
        """Whether the query fits its tables; its text then names the views of this session."""
        plan = asked.plan
        assert plan is not None
        names = {table.view: self._view(table) for table in plan.tables}
        asked.text = re.sub(r"`(weir_view_\d+)`", lambda m: f"`{names.get(m[1], m[1])}`", plan.sql)
        try:
            fields = frame_of(self.session, asked.text).schema.fields
        except Exception as error:
            asked.outcome = translate(error)
            return False
        asked.columns = tuple(ResultColumn(f.name, f.dataType.simpleString()) for f in fields)
        return True

    def _together(self, asked: list[Asked]) -> None:
        while asked:
            pieces = [each.piece(number) for number, each in enumerate(asked)]
            starts = list(accumulate((len(p) + len(_UNION) for p in pieces), initial=0))
            self.jobs += 1
            try:
                # Each task reads the plan of all pieces anew, so there are few of them.
                table = frame_of(self.session, _UNION.join(pieces)).coalesce(_TASKS).toArrow()
            except Exception as error:
                bad = 0 if len(asked) == 1 else self._culprit(error, starts)
                if bad is None:
                    half = len(asked) // 2
                    self._together(asked[:half])
                    asked = asked[half:]
                    continue
                asked[bad].outcome = translate(error)
                # What fails over one store mostly fails over the other; alone it costs the others nothing.
                twins = [each for each in asked if each.sql == asked[bad].sql and each is not asked[bad]]
                asked = [each for each in asked if each.sql != asked[bad].sql]
                for twin in twins:
                    self._together([twin])
                continue
            rows: list[list[list[Any]]] = [[] for _ in asked]
            for q, r in zip(table["q"].to_pylist(), table["r"].to_pylist(), strict=True):
                rows[q].append([json.loads(value)[0] for value in json.loads(r)])
            for each, pairs in zip(asked, rows, strict=True):
                each.outcome = Result(each.columns, pairs, False)
            return

    def _culprit(self, error: Exception, starts: list[int]) -> int | None:
        """Which text of the union an error is of, by the place that it names."""
        contexts: Sequence[Any] = getattr(error, "getQueryContext", tuple)() or ()
        for context in contexts:
            try:
                place = context.startIndex()
            except Exception:
                continue
            return max(n for n, start in enumerate(starts) if start <= place)
        return None

    def _view(self, table: TablePlan) -> str:
        key = replace(table, view="", kafka={})
        known = next((name for plan, name in self.views if plan == key), None)
        if known is None:
            known = f"weir_view_{len(self.views) + 100}"
            self.views.append((key, known))
            self.session.conf.set("spark.sql.ansi.enabled", "false")
            # A name of its own, since many views are read in one text and what is observed is named after them.
            view = self.engine._views.governed(replace(table, view=known), False, self.source(table))
            view.createOrReplaceTempView(known)
            self.session.conf.set("spark.sql.ansi.enabled", "true")
        return known

    def source(self, table: TablePlan) -> Any:
        """The records of a window as a table of the session, read from Kafka once."""
        key = f"{table.topic} {table.window.ranges}"
        if key not in self.raw:
            frame = kafka_frame(self.session, table)
            records = frame.toArrow()
            self.raw[key] = self.session.createDataFrame(records).coalesce(1) if records.num_rows else frame
        return self.raw[key]


def spark_itself(session: Any, queries: Sequence[str]) -> list[Result]:
    """What a session gives for texts as they are, in the form of `Batches`."""
    runner = Batches(SparkEngine(Sessions("", 0)), session)
    asked = [Asked(World("", "", {}), sql, text=sql) for sql in queries]
    for each in asked:
        fields = frame_of(session, each.sql).schema.fields
        each.columns = tuple(ResultColumn(f.name, f.dataType.simpleString()) for f in fields)
    for start in range(0, len(asked), runner.size):
        runner._together(asked[start : start + runner.size])
    outcomes = [each.outcome for each in asked]
    assert all(isinstance(each, Result) for each in outcomes), outcomes
    return outcomes  # type: ignore[return-value]


@contextmanager
def batches(spark: str) -> Iterator[Batches]:
    sessions = Sessions(spark, 0)
    engine = SparkEngine(sessions)
    with sessions.one() as session:
        for name, value in _SETTINGS.items():
            session.conf.set(name, value)
        yield Batches(engine, session)
    sessions.close()
