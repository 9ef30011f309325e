"""`window: all` reads a whole topic, at every door: HTTP in each format, the Python client, the command line."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner
from weir_client import IncompleteWarning, InvalidInput, Weir

from api.cli import app
from policies.plan.model import QueryPlan, Range, Window
from policies.query.service import GovernedQuery
from tests.query_door import ArrowEngine, Door, Given, door

pytestmark = pytest.mark.integration

SQL = "SELECT n FROM orders"
RECORDS = 2_500
NEWEST = 1_000
ROW_FILTER = """
apiVersion: weir/v1
kind: Policy
metadata: {name: some-rows}
spec: {type: row-filter, match: {datasets: [prod/orders]}, where: "region = 'EU'"}
"""


class Topic:
    """Kafka's offsets of a topic of so many records, in two partitions (`policies.plan.ports.Offsets`)."""

    def __init__(self, records: int = RECORDS) -> None:
        self.half = records // 2

    def window(self, kafka: Any, topic: str, as_of: Any, limit: int) -> Window:
        count = min(self.half, limit // 2)
        return Window(tuple(Range(p, self.half - count, self.half) for p in (0, 1)), complete=count == self.half)


class RecordEngine(ArrowEngine):
    """Gives a row for each record of a query's windows; keeps the plans."""

    def __init__(self) -> None:
        super().__init__(pa.table({"n": pa.array([], pa.int64())}))
        self.chunk = 100
        self.plans: list[QueryPlan] = []

    @contextmanager
    def open(self, plan: QueryPlan) -> Iterator[Given]:
        self.plans.append(plan)
        records = sum(table.window.records for table in plan.tables)
        self.table = pa.table({"n": pa.array(range(records), pa.int64())})
        batches = Given(self.table.slice(0, plan.limit), plan, self)
        yield batches


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    with door(tmp_path_factory.mktemp("home"), pa.table({"n": [1]})) as query_door:
        query_door.engine = RecordEngine()
        query_door.world.services[GovernedQuery]._engine = query_door.engine
        yield query_door


@pytest.fixture
def served(opened: Door) -> Iterator[Door]:
    service = opened.world.services[GovernedQuery]
    service._offsets = service.preparer._offsets = Topic()
    with most(opened, window_records=NEWEST):
        yield opened


@pytest.fixture
def filtered(served: Door) -> Iterator[Door]:
    served.world.apply(ROW_FILTER)
    yield served
    served.world.admin.delete("/api/v1/declared/Policy/some-rows").raise_for_status()


@contextmanager
def most(served: Door, **limits: int) -> Iterator[None]:
    """Other limits of queries."""
    settings = served.world.services[GovernedQuery].settings
    before = {name: getattr(settings, name) for name in limits}
    for name, value in limits.items():
        setattr(settings, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(settings, name, value)


def ask(served: Door, form: str = "json", path: str = "query", **body: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {served.token('ana')}"}
    return httpx.post(
        f"{served.url}/api/v1/{path}",
        params={"format": form} if path == "query" else {},
        json={"sql": SQL, **body},
        headers=headers,
        timeout=60,
    )


def count(form: str, content: bytes) -> int:
    match form:
        case "csv":
            return int(pyarrow.csv.read_csv(io.BytesIO(content)).num_rows)
        case "parquet":
            return int(pq.read_table(io.BytesIO(content)).num_rows)
    return int(pa.ipc.open_stream(io.BytesIO(content)).read_all().num_rows)


@pytest.mark.parametrize("form", ["csv", "arrow", "parquet"])
def test_a_query_reads_the_newest_records_or_all_of_them(served: Door, form: str) -> None:
    answers = {window: ask(served, form, window=window) for window in ("newest", "all")}
    assert {window: count(form, answer.content) for window, answer in answers.items()} == {
        "newest": NEWEST,
        "all": RECORDS,
    }
    assert "X-Weir-Left-Out" in answers["newest"].headers and "X-Weir-Left-Out" not in answers["all"].headers


def test_json_names_the_way_to_all_records(served: Door) -> None:
    newest, whole = ask(served).json(), ask(served, window="all").json()
    (part,) = [each for each in newest["leftOut"] if each["kind"] == "window"]
    assert 'window="all"' in part["text"] and "--window all" in part["text"]
    assert [each["kind"] for each in whole["leftOut"]] == ["limit"], (
        "rows of JSON are still limited, and the answer names that"
    )
    (table,) = whole["window"]["tables"]
    assert (table["complete"], table["records"]) == (True, RECORDS)
    explained = ask(served, path="query/explain", window="all").json()["window"]["tables"][0]
    assert (explained["complete"], explained["records"]) == (True, RECORDS)


def test_another_word_is_refused(served: Door) -> None:
    answer = ask(served, window="everything")
    assert answer.status_code == 400 and "window" in answer.text and "all" in answer.text


@pytest.mark.parametrize("form", ["csv", "arrow", "parquet"])
def test_limits_of_exports_hold_and_are_named(served: Door, form: str) -> None:
    with most(served, export_rows=2_000):
        answer = ask(served, form, window="all")
        assert count(form, answer.content) == 2_000 == int(answer.headers["X-Weir-Row-Limit"])
    headers = {"Authorization": f"Bearer {served.token('ana')}"}
    ended = httpx.get(f"{served.url}/api/v1/queries/{answer.headers['X-Query-Id']}", headers=headers).json()
    (part,) = ended["leftOut"]
    assert part["kind"] == "limit" and "2,000" in part["text"] and ended["partial"]


def test_the_most_records_of_a_query_are_a_setting(served: Door) -> None:
    with most(served, all_window_records=2_000):
        answer = ask(served, window="all").json()
    (part,) = [each for each in answer["leftOut"] if each["kind"] == "window"]
    assert "2,000 records" in part["text"] and "WEIR_QUERY__ALL_WINDOW_RECORDS" in part["text"]


def test_filters_masks_and_columns_do_not_depend_on_the_window(filtered: Door) -> None:
    sql = "SELECT customer.email, amount FROM orders"
    plans = []
    for window in ("newest", "all"):
        assert ask(filtered, sql=sql, window=window).status_code == 200
        plans.append(filtered.engine.plans[-1])  # type: ignore[attr-defined]
    (newest,), (whole,) = (plan.tables for plan in plans)
    assert newest.filters and newest.filters == whole.filters
    assert newest.columns == whole.columns and newest.conditions == whole.conditions
    assert plans[0].sql == plans[1].sql


def test_hidden_rows_are_named_beside_all_records(filtered: Door) -> None:
    (part,) = (each for each in ask(filtered, window="all").json()["leftOut"] if each["kind"] != "limit")
    assert part["kind"] == "hiddenRows"


# --- the Python client -------------------------------------------------------------------------------------------------


def test_the_client_reads_all_without_a_warning(served: Door) -> None:
    client = Weir(served.url, served.token("ana"))
    with pytest.warns(IncompleteWarning, match='window="all"'):
        assert sum(1 for _ in client.query(SQL).stream()) == NEWEST
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        query = client.query(SQL, window="all")
        assert sum(1 for _ in query.stream()) == RECORDS
    assert query.complete is True and query.left_out == []
    assert client.query(SQL, window="all").explain()["window"]["tables"][0]["complete"] is True


def test_batches_come_while_the_rest_is_still_read(served: Door) -> None:
    """So the client holds a batch at a time, and a reader that has enough ends the query."""
    for batch in Weir(served.url, served.token("ana")).query(SQL, window="all").batches():
        assert 0 < batch.num_rows <= 100
        break


def test_the_client_warns_where_the_server_limits_all(served: Door) -> None:
    with most(served, export_rows=2_000), pytest.warns(IncompleteWarning, match="2,000 rows"):
        assert Weir(served.url, served.token("ana")).query(SQL, window="all").to_arrow().num_rows == 2_000


def test_a_push_query_has_no_window(served: Door) -> None:
    with pytest.raises(InvalidInput, match="window"):
        next(iter(Weir(served.url, served.token("ana")).query(SQL + " EMIT CHANGES", window="all").stream()))


# --- the command line --------------------------------------------------------------------------------------------------


def test_the_command_line(served: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_URL", served.url)
    monkeypatch.setenv("WEIR_TOKEN", served.token("ana"))

    def run(*words: str) -> Any:
        return CliRunner().invoke(app, ["query", SQL, *words])

    def export(*words: str) -> tuple[int, str]:
        done = run("-o", "parquet", "--out", str(tmp_path / "rows.parquet"), *words)
        assert done.exit_code == 0, done.output
        return pq.read_table(tmp_path / "rows.parquet").num_rows, " ".join(done.stderr.split())

    rows, warned = export()
    assert rows == NEWEST and "--window all" in warned
    rows, warned = export("--window", "all")
    assert rows == RECORDS and "only" not in warned.lower()
    shown = " ".join(run("--limit", "2").output.split())
    assert "--window all" in shown
    shown = " ".join(run("--limit", "2", "--window", "all").output.split())
    assert "read all 2,500 records of prod/orders" in shown and "--window all" not in shown
    refused = CliRunner().invoke(app, ["query", SQL + " EMIT CHANGES", "--window", "all"])
    assert refused.exit_code != 0
