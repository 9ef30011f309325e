"""What an answer leaves out is named in every format, and the Python client warns of it once for each answer."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterator
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from weir_client import IncompleteWarning, UnreadableWarning, Weir

from policies.plan.model import Range, Window
from policies.query.service import GovernedQuery
from tests.query_door import Door, door

pytestmark = pytest.mark.integration

SQL = "SELECT n FROM orders"
ROW_FILTER = """
apiVersion: weir/v1
kind: Policy
metadata: {name: some-rows}
spec: {type: row-filter, match: {datasets: [prod/orders]}, where: "region = 'secret-word'"}
"""


class Offsets:
    """Kafka's offsets as a test has them (`policies.plan.ports.Offsets`)."""

    complete = True

    def window(self, *_: Any) -> Window:
        return Window((Range(0, 0, 100_000),), self.complete)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    with door(tmp_path_factory.mktemp("home"), pa.table({"n": [1, 2, 3]})) as query_door:
        yield query_door


@pytest.fixture
def served(opened: Door) -> Door:
    """Of an empty past: all is read, all is shown, all fits."""
    service, offsets = opened.world.services[GovernedQuery], Offsets()
    service._offsets = service.preparer._offsets = offsets
    opened.engine.unreadable = {}
    return opened


@pytest.fixture
def cut(served: Door) -> Door:
    """Of a topic that has more records than a query reads."""
    served.world.services[GovernedQuery].preparer._offsets.complete = False  # type: ignore[attr-defined]
    return served


@pytest.fixture
def filtered(served: Door) -> Iterator[Door]:
    """Of a topic some of whose rows are hidden."""
    served.world.apply(ROW_FILTER)
    yield served
    served.world.admin.delete("/api/v1/declared/Policy/some-rows").raise_for_status()


def ask(served: Door, form: str, **more: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {served.token('ana')}"}
    answer = httpx.post(
        f"{served.url}/api/v1/query?format={form}", json={"sql": SQL, **more}, headers=headers, timeout=60
    )
    assert answer.status_code == 200, answer.text
    return answer


def left_out(served: Door, form: str, **more: Any) -> list[dict[str, Any]]:
    """`leftOut` of an answer, from the place that its format has for it."""
    answer = ask(served, form, **more)
    if form == "json":
        parts = answer.json()["leftOut"]
    elif form == "csv":
        parts = json.loads(answer.headers.get("X-Weir-Left-Out", "[]"))
    elif form == "parquet":
        parts = json.loads(pq.read_metadata(io.BytesIO(answer.content)).metadata[b"weir.end"])["leftOut"]
    else:
        reader, end = pa.ipc.open_stream(io.BytesIO(answer.content)), b"{}"
        while True:
            try:
                _, metadata = reader.read_next_batch_with_custom_metadata()
            except StopIteration:
                break
            end = (metadata or {}).get(b"weir.end", end)
        parts = json.loads(end)["leftOut"]
    return list(parts)


FORMATS = pytest.mark.parametrize("form", ["json", "csv", "arrow", "parquet"])


@FORMATS
def test_nothing_is_named_where_nothing_is_left_out(served: Door, form: str) -> None:
    assert left_out(served, form) == []
    assert form != "csv" or "X-Weir-Left-Out" not in ask(served, form).headers


@FORMATS
def test_records_beyond_the_window(cut: Door, form: str) -> None:
    (part,) = left_out(cut, form)
    assert part["kind"] == "window"
    assert "100,000 records of prod/orders" in part["text"] and "AS OF" in part["text"]


@FORMATS
def test_rows_beyond_the_limit(served: Door, form: str) -> None:
    (part,) = left_out(served, form, limit=2)
    assert part["kind"] == "limit" and "2 rows" in part["text"]


@FORMATS
def test_hidden_rows_are_named_without_their_number(filtered: Door, form: str) -> None:
    (part,) = left_out(filtered, form)
    assert part["kind"] == "hiddenRows" and "prod/orders" in part["text"] and "secret-word" not in part["text"]
    assert not any(sign.isdigit() for sign in part["text"])


@FORMATS
def test_a_cut_window_beside_hidden_rows_counts_no_records(filtered: Door, form: str) -> None:
    filtered.world.services[GovernedQuery].preparer._offsets.complete = False  # type: ignore[attr-defined]
    parts = {part["kind"]: part["text"] for part in left_out(filtered, form)}
    assert set(parts) == {"window", "hiddenRows"}
    assert "some of prod/orders" in parts["window"] and "100,000" not in parts["window"]


# --- the Python client -------------------------------------------------------------------------------------------------


def answered(served: Door, **more: Any) -> tuple[Any, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        query = Weir(served.url, served.token("ana")).query(SQL, **more)
        for _ in range(2):
            query.rows()
    return query, caught


def test_the_client_is_silent_where_nothing_is_left_out(served: Door) -> None:
    query, caught = answered(served)
    assert (caught, query.left_out, query.complete) == ([], [], True)


def test_the_client_warns_of_the_window_once_for_each_answer(cut: Door) -> None:
    query, caught = answered(cut)
    assert [each.category for each in caught] == [IncompleteWarning] * 2, "two answers, though of one line"
    assert "100,000 records of prod/orders" in str(caught[0].message)
    assert caught[0].filename == __file__, "the warning names the line of the caller"
    assert query.complete is False and query.truncated is False


def test_the_client_names_the_argument_behind_a_limit(served: Door) -> None:
    query, caught = answered(served, limit=2)
    assert "limit=None" in str(caught[0].message) and [part["kind"] for part in query.left_out] == ["limit"]


def test_the_client_warns_of_hidden_rows(filtered: Door) -> None:
    query, caught = answered(filtered)
    assert len(caught) == 2 and [part["kind"] for part in query.left_out] == ["hiddenRows"]


def test_one_warning_has_all_that_is_left_out(cut: Door) -> None:
    cut.engine.unreadable = {"weir_view_0": {"value": 1}}
    query, caught = answered(cut, limit=2)
    assert [each.category for each in caught] == [UnreadableWarning] * 2 and issubclass(
        UnreadableWarning, IncompleteWarning
    )
    text = str(caught[0].message)
    assert "100,000 records of prod/orders" in text and "2 rows" in text and "cannot be decoded" in text
    assert query.complete is False


def test_batches_and_frames_warn_too(cut: Door) -> None:
    query = Weir(cut.url, cut.token("ana")).query(SQL)
    with pytest.warns(IncompleteWarning):
        assert sum(batch.num_rows for batch in query.batches()) == 3
    with pytest.warns(IncompleteWarning):
        assert query.to_arrow().num_rows == 3
