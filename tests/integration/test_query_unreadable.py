"""Values that do not fit their column, in every format an answer has."""

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
from typer.testing import CliRunner

from tests.query_door import Door, door

pytestmark = pytest.mark.integration

COUNTS = {"region": 3, "*": 1}


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    table = pa.table({"region": ["EU", None, None]})
    with door(tmp_path_factory.mktemp("home"), table) as query_door:
        query_door.engine.unreadable = {"weir_view_0": {"value": 1, "value.region": 3}}
        yield query_door


def ask(weir: Door, form: str = "json", **more: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {weir.token('ana')}"}
    body = {"sql": "SELECT region FROM orders", **more}
    return httpx.post(f"{weir.url}/api/v1/query?format={form}", json=body, headers=headers, timeout=60)


def follows(text: str) -> None:
    assert "3 values of region (STRING)" in text and "1 record cannot be decoded" in text
    assert "weir scan prod --topics orders" in text and "schema.spark" in text


def test_json(weir: Door) -> None:
    answer = ask(weir).json()
    assert answer["unreadable"] == COUNTS
    follows(answer["unreadableText"])
    assert "is queued" in answer["unreadableText"]
    scans = weir.world.admin.get("/api/v1/scans").json()["scans"]
    mine = [s for s in scans if s["requestedBy"] == "drift:prod/orders"]
    assert len(mine) == 1 and mine[0]["id"] in answer["unreadableText"]


def test_csv_in_its_head_and_at_its_id(weir: Door) -> None:
    answer = ask(weir, "csv", queryId="mine-1")
    assert answer.text == "region\r\nEU\r\n\r\n\r\n" or answer.text.startswith("region")
    assert json.loads(answer.headers["X-Weir-Unreadable"]) == COUNTS
    follows(answer.headers["X-Weir-Unreadable-Text"])
    headers = {"Authorization": f"Bearer {weir.token('ana')}"}
    ended = httpx.get(f"{weir.url}/api/v1/queries/mine-1", headers=headers).json()
    assert (ended["state"], ended["unreadable"], ended["rows"], ended["whole"]) == ("ended", COUNTS, 3, True)
    other = {"Authorization": f"Bearer {weir.token('otto')}"}
    assert httpx.get(f"{weir.url}/api/v1/queries/mine-1", headers=other).status_code == 404


def test_arrow_and_parquet_at_their_end(weir: Door) -> None:
    reader = pa.ipc.open_stream(io.BytesIO(ask(weir, "arrow").content))
    ends = []
    while True:
        try:
            _, metadata = reader.read_next_batch_with_custom_metadata()
        except StopIteration:
            break
        ends.append((metadata or {}).get(b"weir.end"))
    for end in (ends[-1], pq.read_metadata(io.BytesIO(ask(weir, "parquet").content)).metadata[b"weir.end"]):
        document = json.loads(end or b"{}")
        assert document["unreadable"] == COUNTS
        follows(document["unreadableText"])


@pytest.mark.parametrize("form", ["json", "csv", "arrow", "parquet"])
def test_an_error_where_that_is_asked_for(weir: Door, form: str) -> None:
    answer = ask(weir, form, unreadable="error")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["details"]["unreadable"]) == (422, "values_unreadable", COUNTS)
    follows(error["message"])
    assert ask(weir, unreadable="maybe").status_code == 400


def test_the_python_client_warns(weir: Door) -> None:
    from weir_client import UnreadableWarning, ValuesUnreadable, Weir

    client = Weir(weir.url, weir.token("ana"))
    query = client.query("SELECT region FROM orders")
    with pytest.warns(UnreadableWarning, match="3 values of region"):
        assert query.to_arrow().num_rows == 3
    assert query.unreadable == COUNTS
    with pytest.raises(ValuesUnreadable):
        client.query("SELECT region FROM orders", unreadable="error").rows()


@pytest.mark.parametrize("output", ["table", "json", "csv"])
def test_the_command_line(weir: Door, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    from api.cli import app

    monkeypatch.setenv("WEIR_URL", weir.url)
    monkeypatch.setenv("WEIR_TOKEN", weir.token("ana"))
    done = CliRunner().invoke(app, ["query", "SELECT region FROM orders", "-o", output])
    assert done.exit_code == 0, done.output
    follows(" ".join((done.output + done.stderr).split()))


def test_nothing_is_there_where_all_fits(weir: Door) -> None:
    weir.engine.unreadable, kept = {}, weir.engine.unreadable
    try:
        answer = ask(weir).json()
        assert (answer["unreadable"], answer["unreadableText"]) == ({}, None)
        assert "X-Weir-Unreadable" not in ask(weir, "csv").headers
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            from weir_client import Weir

            assert Weir(weir.url, weir.token("ana")).query("SELECT region FROM orders").rows()
    finally:
        weir.engine.unreadable = kept
