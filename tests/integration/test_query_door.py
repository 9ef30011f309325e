"""The doors of queries over real HTTP: formats, cancelling, clients that go away, and the Python client."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from weir_client import (
    AnswerBroken,
    IncompleteWarning,
    NotAllowed,
    NotFound,
    NotSignedIn,
    QueryCancelled,
    SqlRefused,
    Unavailable,
    Weir,
)

from policies.plan.errors import QueryFailed
from policies.query.service import GovernedQuery
from tests.query_door import Door, door, until

SQL = "SELECT * FROM orders"
EVERY = pa.table(
    [
        pa.array(["=1+1", "", None, 'a "b"\n,c', "Ünïcode 🙂"]),
        pa.array([Decimal("1.50"), Decimal("-2.25"), None, Decimal("0.00"), Decimal("9.99")], pa.decimal128(12, 2)),
        pa.array([datetime(2026, 1, 2, 3, 4, 5, 6000, UTC)] * 4 + [None], pa.timestamp("us", tz="UTC")),
        pa.array([date(2026, 1, 2)] * 5),
        pa.array([b"\x00\xff", b"", None, b"abc", b"x"]),
        pa.array([{"a": 1, "b": ["x"]}, None, {"a": None, "b": []}, {"a": 2, "b": None}, {"a": 3, "b": ["-y"]}]),
        pa.array([[("k", 1)], [], None, [("=z", 2)], [("k", 3)]], pa.map_(pa.string(), pa.int32())),
        pa.array([float("nan"), float("inf"), -1.5, None, 0.1]),
        pa.array([True, False, None, True, False]),
        pa.array([1, 2, 3, 4, 5], pa.int64()),
    ],
    names=["text", "amount", "at", "day", "raw", "nested", "map", "float", "flag", "text"],
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    with door(tmp_path_factory.mktemp("door"), EVERY) as query_door:
        yield query_door


@pytest.fixture
def ana(served: Door) -> Iterator[httpx.Client]:
    served.engine.table, served.engine.hold, served.engine.breaks_at, served.engine.chunk = EVERY, None, None, 1000
    headers = {"Authorization": f"Bearer {served.token('ana')}"}
    with httpx.Client(base_url=f"{served.url}/api/v1", headers=headers, timeout=30) as client:
        yield client
    until(lambda: not served.world.services[GovernedQuery].running._all)
    assert served.world.services[GovernedQuery]._turns.running == 0


@pytest.fixture
def weir(served: Door, ana: httpx.Client) -> Iterator[Weir]:
    with Weir(served.url, served.token("ana")) as client:
        yield client


def ends(served: Door) -> list[dict[str, Any]]:
    """Ends of queries in the audit, newest first."""
    entries = served.world.admin.get("/api/v1/audit", params={"action": "query.end", "limit": 3}).json()["entries"]
    return [{"decision": e["decision"], **e["details"]} for e in entries]


def test_one_answer_in_every_format(ana: httpx.Client, served: Door) -> None:
    plain = ana.post("/query", json={"sql": SQL}).json()
    assert [c["name"] for c in plain["columns"]] == EVERY.schema.names and len(plain["rows"]) == 5
    assert plain["partial"] is None and plain["rows"][0][1] == "1.50" and plain["rows"][0][4] == "AP8="

    text = ana.post("/query", params={"format": "csv"}, json={"sql": SQL})
    assert (
        text.headers["content-type"] == "text/csv; charset=utf-8"
        and "attachment" in text.headers["content-disposition"]
    )
    lines = list(csv.reader(io.StringIO(text.text, newline="")))
    assert lines[0] == EVERY.schema.names and [len(line) for line in lines] == [10] * 6
    assert [line[0] for line in lines[1:]] == ["'=1+1", "", "", 'a "b"\n,c', "Ünïcode 🙂"]
    assert (
        lines[2][1] == "-2.25" and lines[1][2] == "2026-01-02T03:04:05.006000Z" and lines[1][5] == '{"a":1,"b":["x"]}'
    )
    assert '\r\n"",-2.25' in text.text, "an empty text is not NULL"
    risky = ana.post("/query", params={"format": "csv", "csv": "plain"}, json={"sql": SQL}).text
    assert risky.split("\r\n")[1].startswith("=1+1,")

    stream = ana.post("/query", headers={"Accept": "application/vnd.apache.arrow.stream"}, json={"sql": SQL})
    arrow = pa.ipc.open_stream(stream.content).read_all()
    assert arrow.schema.equals(EVERY.schema) and arrow.num_rows == 5
    assert arrow.column(5).to_pylist() == EVERY.column(5).to_pylist()

    file = pq.read_table(io.BytesIO(ana.post("/query", params={"format": "parquet"}, json={"sql": SQL}).content))
    assert file.schema.names == [*EVERY.schema.names[:-1], "text_2"] and file.num_rows == 5
    assert file.schema.field("amount").type == pa.decimal128(12, 2) and file.schema.field("at").type.tz == "UTC"
    assert {e["format"] for e in _entries(served, 4)} == {None, "csv", "arrow", "parquet"}
    assert [e["rows"] for e in ends(served)] == [5, 5, 5] and ends(served)[0]["bytes"] > 0


def _entries(served: Door, count: int) -> list[dict[str, Any]]:
    entries = served.world.admin.get("/api/v1/audit", params={"action": "query", "limit": 50}).json()["entries"]
    return [e["details"] for e in entries if e["decision"] == "allow"][: count + 1]


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("*/*", "application/json"),
        ("text/csv;q=0.9, application/json;q=0.5", "text/csv"),
        ("text/*", "text/csv"),
        ("application/json, text/csv", "application/json"),
        ("text/html, */*;q=0.1", "application/json"),
        ("", "application/json"),
    ],
)
def test_the_accept_header(ana: httpx.Client, accept: str, media: str) -> None:
    answer = ana.post("/query", json={"sql": SQL}, headers={"Accept": accept})
    assert answer.headers["content-type"].startswith(media)


def test_what_cannot_be_given_is_refused(ana: httpx.Client) -> None:
    for headers in ({"Accept": "text/html"}, {"Accept": "text/csv;q=0"}):
        assert ana.post("/query", json={"sql": SQL}, headers=headers).status_code == 400
    assert ana.post("/query", params={"format": "xml"}, json={"sql": SQL}).status_code == 400


def test_a_failure_before_the_first_row_has_its_status_in_every_format(ana: httpx.Client, served: Door) -> None:
    served.engine.breaks_at, served.engine.error = 0, QueryFailed("A division by zero; try_divide gives NULL instead.")
    for form in ("csv", "arrow", "parquet"):
        answer = ana.post("/query", params={"format": form}, json={"sql": SQL})
        assert answer.status_code == 400 and answer.json()["error"]["code"] == "query_failed", form
        assert answer.headers["x-query-id"]
        assert ends(served)[0]["decision"] == "failed"


def test_a_failure_in_between_breaks_the_answer_off(ana: httpx.Client, weir: Weir, served: Door) -> None:
    served.engine.table = pa.table({"n": list(range(100_000))})
    served.engine.breaks_at, served.engine.error = 50, QueryFailed("A division by zero.")
    with pytest.raises(AnswerBroken):
        weir.query(SQL).to_arrow()
    with pytest.raises(httpx.RemoteProtocolError):
        ana.post("/query", params={"format": "csv"}, json={"sql": SQL, "limit": 100_000})
    until(lambda: ends(served)[0]["decision"] == "failed")
    assert 0 < ends(served)[0]["rows"] < 100_000


def test_a_partial_answer_says_so(ana: httpx.Client, weir: Weir, served: Door) -> None:
    plain = ana.post("/query", json={"sql": SQL, "limit": 2}).json()
    assert plain["truncated"] and plain["partial"]["limit"] == "rows" and len(plain["rows"]) == 2
    query = weir.query(SQL, limit=2)
    with pytest.warns(IncompleteWarning, match="limit=None"):
        assert query.to_arrow().num_rows == 2
    assert query.truncated is True and query.limit_reached == "rows"
    until(lambda: [e["decision"] for e in ends(served)[:2]] == ["partial", "partial"])


def test_a_query_is_listed_and_cancelled(ana: httpx.Client, served: Door) -> None:
    served.engine.hold = threading.Event()
    answers: list[httpx.Response] = []
    body = {"sql": "SELECT 'hidden' AS x FROM orders", "queryId": "mine-1"}
    thread = threading.Thread(target=lambda: answers.append(ana.post("/query", json=body)))
    thread.start()
    until(lambda: served.engine.running == 1)
    (listed,) = ana.get("/queries").json()["queries"]
    assert (listed["id"], listed["state"], listed["mine"], listed["datasets"]) == (
        "mine-1",
        "running",
        True,
        ["prod/orders"],
    )
    (seen,) = served.world.admin.get("/api/v1/queries").json()["queries"]
    assert "hidden" not in seen["sql"] and not seen["mine"]
    otto = {"Authorization": f"Bearer {served.token('otto')}"}
    assert httpx.get(f"{served.url}/api/v1/queries", headers=otto).json() == {"queries": []}
    assert httpx.delete(f"{served.url}/api/v1/queries/mine-1", headers=otto).status_code == 404
    assert ana.post("/query", json=body).status_code == 409, "the id is taken"
    assert ana.delete("/queries/mine-1").json()["state"] == "cancelled"
    thread.join(10)
    assert answers[0].status_code == 409 and answers[0].json()["error"]["code"] == "query_cancelled"
    assert "cancelled by ana" in answers[0].json()["error"]["message"] and answers[0].headers["x-query-id"] == "mine-1"
    assert ana.delete("/queries/mine-1").status_code == 404
    assert ends(served)[0]["decision"] == "cancelled" and ends(served)[0]["query"] == "mine-1"


@pytest.mark.parametrize("form", ["json", "arrow"])
def test_a_client_that_goes_away_gives_its_place_back(ana: httpx.Client, served: Door, form: str) -> None:
    served.engine.hold, served.engine.chunk = threading.Event(), 1
    for _ in range(5):  # more than may run at once: each must have let go of its place
        served.engine.hold.clear()
        with pytest.raises(httpx.ReadTimeout):
            ana.post("/query", params={"format": form}, json={"sql": SQL}, timeout=0.3)
        until(lambda: served.engine.running == 0 and served.world.services[GovernedQuery]._turns.running == 0)
    served.engine.hold = None
    assert ana.post("/query", json={"sql": SQL}).status_code == 200


def test_a_client_that_leaves_between_two_batches_stops_the_query(ana: httpx.Client, served: Door) -> None:
    class FromTheSecond(threading.Event):
        """Holds every batch but the first."""

        asked = 0

        def wait(self, timeout: float | None = None) -> bool:
            self.asked += 1
            return self.asked == 1 or super().wait(timeout)

    served.engine.chunk, served.engine.hold = 1, (hold := FromTheSecond())
    with ana.stream("POST", "/query", params={"format": "arrow"}, json={"sql": SQL}) as answer:
        assert answer.status_code == 200
        until(lambda: hold.asked == 2)
    until(lambda: served.engine.running == 0, 2)
    until(lambda: served.world.services[GovernedQuery]._turns.running == 0, 2)
    served.engine.hold = None


def test_what_parquet_cannot_hold_is_told_at_once(ana: httpx.Client, served: Door) -> None:
    served.engine.table = pa.table([pa.array([{}, None], pa.struct([]))], names=["nothing"])
    answer = ana.post("/query", params={"format": "parquet"}, json={"sql": SQL})
    assert answer.status_code == 400 and "ask for arrow" in answer.json()["error"]["message"]
    assert ana.post("/query", params={"format": "arrow"}, json={"sql": SQL}).status_code == 200


def test_a_reader_who_stops_reading_stops_the_query(weir: Weir, ana: httpx.Client, served: Door) -> None:
    served.engine.table = pa.table({"text": ["x" * 1000] * 60_000})
    batches = weir.query(SQL, limit=60_000).batches()
    assert next(batches).num_rows == 1000
    batches.close()  # type: ignore[attr-defined]
    until(lambda: served.world.services[GovernedQuery]._turns.running == 0)
    until(lambda: ends(served)[0]["decision"] == "cancelled")
    assert ends(served)[0]["rows"] < 60_000


def test_the_python_client(weir: Weir, served: Door, ana: httpx.Client) -> None:
    query = weir.query(SQL)
    assert (
        query.to_arrow().schema.equals(EVERY.schema)
        and query.truncated is False
        and query.decision["effect"] == "allow"
    )
    rows = query.rows()
    assert rows[0]["amount"] == Decimal("1.50") and rows[0]["text_2"] == 1 and rows[0]["at"].tzinfo is not None
    assert list(query.to_pandas().columns) == EVERY.schema.names
    assert weir.me()["user"] == "ana"
    assert weir.search("email").total >= 0
    orders = weir.dataset("prod/orders")
    assert (
        orders["name"] == "orders" and "value.customer.email" in orders.fields() and orders.reference == "prod/orders"
    )
    assert weir.check("SELECT nope FROM order")["ok"] is False
    request = weir.request_access("prod/orders", ["value.customer.email"], purpose="campaign", days=3)
    assert request["state"] == "pending" and weir.requests(mine=True)[0]["id"] == request["id"]
    (column,) = weir.decide("prod/orders", fields=["value.customer.email"])["columns"]
    assert column["effect"] == "mask" and column["mask"]["type"] == "MASK_HASH"


def test_errors_of_the_client_are_the_servers_sentences(
    weir: Weir, served: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SqlRefused) as refused:
        weir.query("SELECT 1 +\nFROM orders").to_arrow()
    assert refused.value.line == 2
    with pytest.raises(NotFound, match="orders"):
        weir.query("SELECT * FROM order_s").rows()
    with pytest.raises(NotAllowed) as denied:
        Weir(served.url, served.token("nobody")).query(SQL).to_arrow()
    assert denied.value.reasons and "weir request create prod/orders" in denied.value.ask[0]
    with pytest.raises(NotAllowed):
        weir.decide("prod/orders", subject="otto")
    with pytest.raises(NotSignedIn):
        Weir(served.url, "weir_wrong").me()
    with pytest.raises(Unavailable, match="No Weir answers"):
        Weir("http://127.0.0.1:1", "weir_x").me()
    monkeypatch.delenv("WEIR_TOKEN", raising=False)
    with pytest.raises(NotSignedIn, match="WEIR_TOKEN"):
        Weir(served.url)
    monkeypatch.setenv("WEIR_TOKEN", served.token("ana"))
    monkeypatch.setenv("WEIR_URL", served.url + "/")
    assert Weir().me()["user"] == "ana"


def test_the_client_cancels(weir: Weir, served: Door) -> None:
    served.engine.hold = threading.Event()
    query, failed = weir.query(SQL), []

    def run() -> None:
        try:
            query.to_arrow()
        except QueryCancelled as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    until(lambda: served.engine.running == 1)
    assert weir.running()[0]["id"] == query.id
    query.cancel()
    thread.join(10)
    assert failed and "cancelled by ana" in failed[0].message
