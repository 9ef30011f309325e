"""What is revoked while a query runs ends it, at every door; what was decided the same continues."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from catalog.errors import WeirError
from policies.access.identity import Identity
from policies.plan.model import QueryPlan, Range, Result, ResultColumn, Window
from policies.query.running_access import Access
from policies.query.service import GovernedQuery
from policies.sql.windows import AsOf
from tests.api_world import ApiWorld, orders, world

SQL = "SELECT order_id FROM prod.orders"
BASE = """
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/other"}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: orders-reader}
spec: {read: [{dataset: "prod/orders"}]}
---
apiVersion: weir/v1
kind: Group
metadata: {name: sales}
spec: {members: [ana], roles: [orders-reader]}
"""
GROUP = "apiVersion: weir/v1\nkind: Group\nmetadata: {name: sales}\nspec: {members: [%s], roles: [orders-reader]}"
POLICY = "apiVersion: weir/v1\nkind: Policy\nmetadata: {name: p}\nspec: {type: %s}"
MASK = POLICY % "mask, match: {fields: [{dataset: prod/orders, path: %s}]}, mask: {type: MASK}"
DATASET = """
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {fields: [{path: value.%s, description: "a new text", tags: [%s]}]}
"""
DOORS = ("run", "open", "stream")


class SlowEngine:
    """Runs until it is stopped or released; then has one row. Also the offsets: one more record each time it is asked."""

    def __init__(self) -> None:
        self.started, self.go = threading.Event(), threading.Event()
        self.end = 10

    def _work(self, plan: QueryPlan) -> None:
        ended = threading.Event()
        with plan.stop.telling(ended.set):
            self.started.set()
            while not ended.is_set() and not self.go.wait(0.005):
                pass
        plan.stop.check()

    def run(self, plan: QueryPlan) -> Result:
        self._work(plan)
        return Result((ResultColumn("order_id", pa.string()),), [["O-1"]], False)

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        return [("order_id", "string")]

    @contextlib.contextmanager
    def open(self, plan: QueryPlan) -> Iterator[Any]:
        yield _Batches(self, plan)

    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        self.end += 1
        return Window((Range(0, max(0, self.end - limit), self.end),))


class _Batches:
    limit, unreadable = None, None
    schema = pa.schema([("order_id", pa.string())])
    columns = (ResultColumn("order_id", "string"),)

    def __init__(self, engine: SlowEngine, plan: QueryPlan) -> None:
        self._engine, self._plan = engine, plan

    def rows(self, batches: Any) -> list[list[object]]:
        return [list(row.values()) for batch in batches for row in batch.to_pylist()]

    def __iter__(self) -> Iterator[Any]:
        for _ in range(2):
            self._engine._work(self._plan)
            yield pa.RecordBatch.from_pydict({"order_id": ["O-1"]})


class Running:
    """One world with a query of ana's that runs."""

    def __init__(self, weir: ApiWorld, engine: SlowEngine) -> None:
        self.weir, self.engine = weir, engine
        self.purpose: str | None = None
        self.token = weir.admin.post("/api/v1/tokens", json={"user": "ana"}).json()
        self._pool = ThreadPoolExecutor(1)

    def begin(self, door: str) -> Future[Any]:
        done = self._pool.submit(self._asked, door)
        assert self.engine.started.wait(20), done.exception(0) if done.done() else door
        self.engine.started.clear()
        return done

    def _asked(self, door: str) -> Any:
        sql = SQL + " EMIT CHANGES" if door == "stream" else SQL
        subject, live = self._live(sql, door == "stream")
        try:
            return getattr(self, f"_{door}")(subject, live)
        finally:
            self.weir.services[GovernedQuery].running.end(live)

    def _live(self, sql: str, streaming: bool) -> tuple[Any, Any]:
        identity = self.weir.services[Identity]
        subject = identity.authenticate(self.token["token"])
        live = self.weir.services[GovernedQuery].running.begin(subject, sql, self.purpose, streaming=streaming)
        live.signed_in = identity.session(self.token["token"])
        return subject, live

    def _run(self, subject: Any, live: Any) -> Any:
        return self.weir.services[GovernedQuery].run(subject, live.sql, live.purpose, 10, live).rows

    def _open(self, subject: Any, live: Any) -> Any:
        with self.weir.services[GovernedQuery].open(subject, live.sql, live.purpose, 10, live, "csv") as answer:
            return [row for batch in answer.batches for row in answer.batches.rows([batch])]

    def _stream(self, subject: Any, live: Any) -> Any:
        events = self.weir.services[GovernedQuery].stream(subject, live.sql, live.purpose, live)
        with contextlib.closing(events):
            return next(event for event in events if event["type"] in ("rows", "end"))


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ApiWorld, SlowEngine]]:
    engine = SlowEngine()
    with world(tmp_path_factory.mktemp("home"), {"orders": orders(20)}, engine=engine, window=engine) as weir:
        weir.services[GovernedQuery].settings.recheck_seconds = 0.05
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        yield weir, engine


@pytest.fixture
def query(opened: tuple[ApiWorld, SlowEngine]) -> Iterator[Running]:
    """A query that runs; what a test declared is taken back."""
    weir, engine = opened
    weir.services[GovernedQuery].settings.recheck_seconds = 0.05
    weir.apply(BASE)
    engine.started.clear()
    engine.go.clear()
    yield Running(weir, engine)
    engine.go.set()
    for kind, name in (("Policy", "p"), ("Grant", "g1"), ("Group", "more")):
        weir.admin.delete(f"/api/v1/declared/{kind}/{name}")


def grant(query: Running, until: datetime) -> str:
    """Access by a grant alone."""
    query.weir.apply(GROUP % "")
    query.purpose = "analysis"
    now = datetime.now(UTC) - timedelta(hours=1)
    query.weir.apply(
        "apiVersion: weir/v1\nkind: Grant\nmetadata: {name: g1}\nspec: {subject: {user: ana}, dataset: prod/orders,"
        f" purpose: analysis, validFrom: '{now.isoformat()}', validTo: '{until.isoformat()}', status: approved}}"
    )
    return "g1"


ENDINGS: dict[str, tuple[Callable[[Running], Any], str]] = {
    "left the group": (lambda q: q.weir.apply(GROUP % ""), "not_allowed"),
    "role taken away": (lambda q: q.weir.apply(BASE.replace("prod/orders", "prod/nothing")), "not_allowed"),
    "deny policy": (
        lambda q: q.weir.apply(POLICY % "access, match: {datasets: [prod/orders]}, requires: {grant: true}"),
        "not_allowed",
    ),
    "mask policy": (
        lambda q: q.weir.apply(MASK % "value.order_id"),
        "access_changed",
    ),
    "row filter": (
        lambda q: q.weir.apply(POLICY % "row-filter, match: {datasets: [prod/orders]}, where: \"region = 'EU'\""),
        "access_changed",
    ),
    "token revoked": (
        lambda q: q.weir.admin.delete(f"/api/v1/tokens/{q.token['id']}").raise_for_status(),
        "not_signed_in",
    ),
    "user disabled": (
        lambda q: q.weir.apply(BASE.replace("{roles: [reader]}", "{roles: [reader], disabled: true}")),
        "not_signed_in",
    ),
    "user deleted": (lambda q: q.weir.admin.delete("/api/v1/declared/User/ana").raise_for_status(), "not_signed_in"),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("change", "door"),
    # A push query goes on under a new decision, see test_query.
    [(c, d) for c, (_, code) in ENDINGS.items() for d in DOORS if (d, code) != ("stream", "access_changed")],
)
def test_what_is_taken_away_ends_what_runs(query: Running, door: str, change: str) -> None:
    action, code = ENDINGS[change]
    done = query.begin(door)
    action(query)
    began = time.monotonic()
    if door == "stream":
        event = done.result(5)
        assert (event["type"], event["code"]) == ("end", code), event
        message = event["message"]
    else:
        with pytest.raises(WeirError) as caught:
            done.result(5)
        assert caught.value.code == code, caught.value.message
        message = caught.value.message
    assert time.monotonic() - began < 5 and "O-1" not in message and message.endswith(".")
    end = next(
        e for e in query.weir.admin.get("/api/v1/audit?limit=20").json()["entries"] if e["action"] == "query.end"
    )
    assert code in str(end), end


@pytest.mark.parametrize("door", DOORS)
def test_a_revoked_grant_and_one_that_expires(query: Running, door: str) -> None:
    name = grant(query, datetime.now(UTC) + timedelta(hours=1))
    done = query.begin(door)
    assert query.weir.admin.delete(f"/api/v1/grants/{name}").status_code == 200
    if door == "stream":
        assert done.result(5)["code"] == "not_allowed"
        return
    with pytest.raises(WeirError, match=r"Your access to prod/orders has ended") as caught:
        done.result(5)
    assert caught.value.code == "not_allowed"


def test_a_grant_that_expires(query: Running) -> None:
    grant(query, datetime.now(UTC) + timedelta(seconds=8))
    done = query.begin("run")
    with pytest.raises(WeirError, match="has ended"):
        done.result(20)


@pytest.mark.parametrize("door", DOORS)
def test_what_is_decided_the_same_goes_on(query: Running, door: str) -> None:
    done = query.begin(door)
    weir = query.weir
    weir.apply(DATASET % ("order_id", "domain.sales"))
    weir.apply(MASK % "value.region")
    weir.apply(GROUP.replace("sales", "more") % "ana, otto")
    weir.admin.post("/api/v1/tokens", json={"user": "ana"})
    weir.scan(cluster="prod", topics=["orders"])
    time.sleep(0.3)  # several decisions
    assert not done.done()
    query.engine.go.set()
    answer = done.result(60)
    assert answer == {"run": [["O-1"]], "open": [["O-1"]] * 2}.get(door, answer)
    if door == "stream":
        assert answer["type"] == "rows" and answer["rows"] == [["O-1"]]


def test_nothing_goes_out_on_an_old_decision_though_nobody_watches(query: Running) -> None:
    """The thread that decides again may be late; a batch that is ready is not sent for that."""

    @contextlib.contextmanager
    def unwatched(self: Access) -> Iterator[None]:
        yield

    Access.watching, kept = unwatched, Access.watching  # type: ignore[method-assign]
    try:
        query.weir.services[GovernedQuery].settings.recheck_seconds = 0.01
        done = query.begin("open")
        query.weir.apply(GROUP % "")
        time.sleep(0.05)
        query.engine.go.set()
        with pytest.raises(WeirError, match="has ended"):
            done.result(5)
    finally:
        Access.watching = kept  # type: ignore[method-assign]
