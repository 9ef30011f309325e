"""Names that are data come to the terminal as they are: no underscore lost, no bracket read as a style."""

from __future__ import annotations

from typing import Any

import pytest

from api.features.lineage import reader_commands
from api.features.views import commands as views
from api.terminal.output import Format, show

VIEW = {
    "name": "shop.by_city",
    "state": "running",
    "since": "2026-11-23T10:00:00Z",
    "generation": 1,
    "building": None,
    "rows": 1,
    "lag": {"records": 0, "seconds": 0.0, "at": None},
    "sources": ["prod/by_[red]"],
    "sink": None,
    "key": ["order_id"],
    "columns": [{"name": "order_id", "type": "string"}],
    "runAs": {"user": "rep"},
    "sql": "SELECT order_id FROM t",
    "counts": {},
    "rates": {},
    "error": None,
}
ROWS = {
    "columns": [
        {"name": "order_id", "type": "string", "decision": {"effect": "clear", "text": "clear"}},
        {"name": "a[b]", "type": "string", "decision": {"effect": "masked", "text": "hashed [x]"}},
    ],
    "rows": [["o_1", "[/]"]],
    "freshness": {"records": 0, "seconds": 0.0, "at": None},
    "next": None,
}


class Api:
    def get(self, path: str, **_: Any) -> Any:
        return ROWS if path.endswith("/rows") else VIEW


class NoGroups:
    """No group of the cluster fits."""

    def get(self, path: str, **_: Any) -> dict[str, Any]:
        return {"groups": [], "total": 0, "truncated": False}


def test_a_view_is_described_by_its_own_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(views, "api", lambda user: Api())
    views.describe("shop.by_city")
    shown = capsys.readouterr().out
    assert "shop.by_city" in shown and "prod/by_[red]" in shown and "order_id string" in shown


def test_columns_of_rows_keep_their_names(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(views, "api", lambda user: Api())
    views.rows("shop.by_city")
    out, err = capsys.readouterr()
    assert "order_id" in out and "a[b]" in out and "o_1" in out and "[/]" in out
    assert "a[b]: hashed [x]" in err


def test_a_title_is_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    show([{"leftOut": 1}], ("leftOut",), Format.TABLE, title="2 of a[red]b[/] and [/]")
    assert "2 of a[red]b[/] and [/]" in capsys.readouterr().out
    show([], ("name",), Format.TABLE, empty="Nothing of kind [/] is declared.")
    assert "kind [/] is" in capsys.readouterr().out


def test_a_heading_has_each_word_of_the_name(capsys: pytest.CaptureFixture[str]) -> None:
    show([{"rowsADay": 1, "leftOut": "x"}], ("rowsADay", "leftOut"), Format.TABLE)
    heading = capsys.readouterr().out.splitlines()[0]
    assert "rows a day" in heading and "left out" in heading


def test_groups_of_a_topic_that_nobody_reads_are_not_those_of_the_cluster(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reader_commands, "api", lambda user: NoGroups())
    reader_commands.groups("prod", topic="ordres")
    assert capsys.readouterr().out == "No consumer group fits.\n"
    reader_commands.groups("prod")
    assert capsys.readouterr().out == "No consumer group reads from this cluster.\n"
