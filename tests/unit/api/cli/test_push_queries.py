"""Push queries on the command line: how they are recognised, what they refuse, and how they end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from api.features.queries.commands import QueryFormat, run_query
from api.features.queries.following import is_push
from api.terminal.http import Api
from catalog.errors import InvalidInput, WeirError

PUSH = "SELECT id FROM orders EMIT CHANGES"
ENDED = {"type": "end", "code": "not_allowed", "message": "Your grant has ended.", "reasons": []}
EVENTS = ({"type": "columns", "columns": [], "decision": {}}, {"type": "idle"}, ENDED)


class Pushing:
    """An API whose push queries have a few events."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    @contextmanager
    def stream(self, path: str, **asked: object) -> Iterator[list[str]]:
        self.asked.append(path)
        yield [line for each in EVENTS for line in (f"event: {each['type']}", f"data: {json.dumps(each)}", "")]


def ask(client: Pushing, sql: str = PUSH, **options: Any) -> None:
    given: Mapping[str, Any] = {"limit": None, "output": QueryFormat.TABLE, "out": None} | options
    run_query(cast(Api, client), sql, [], None, given["limit"], given["output"], given["out"], False)


@pytest.mark.parametrize(
    "end",
    ["EMIT CHANGES", "emit  changes", "EMIT\nCHANGES;", "EMIT CHANGES ;", "EMIT CHANGES -- all", "EMIT/**/CHANGES\n"],
)
def test_a_push_query_is_recognised_however_it_is_written(end: str) -> None:
    assert is_push(f"SELECT id FROM orders {end}")


@pytest.mark.parametrize("sql", ["SELECT 'EMIT CHANGES'", "SELECT id FROM orders", "SELECT emit_changes FROM t"])
def test_others_are_not(sql: str) -> None:
    assert not is_push(sql)


def test_its_end_is_an_error_and_no_line_of_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(WeirError, match="Your grant has ended"):
        ask(Pushing())
    assert [json.loads(line)["type"] for line in capsys.readouterr().out.splitlines()] == ["columns", "idle"]


@pytest.mark.parametrize(
    ("options", "named"),
    [({"limit": 5}, "--limit"), ({"out": Path("a.json")}, "--out"), ({"output": QueryFormat.CSV}, "-o csv")],
)
def test_options_that_it_cannot_follow_are_refused(options: dict[str, Any], named: str) -> None:
    client = Pushing()
    with pytest.raises(InvalidInput, match=f"has no end; leave out {named}"):
        ask(client, **options)
    assert client.asked == []
