"""`weir inbox`: the rows of the API as a table, and the whole answer as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.api.cli.test_cli import CLUSTER, Weir, home, served, weir  # noqa: F401

PEOPLE = """
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {}
"""


def test_the_rows_are_printed_with_the_command_for_each(weir: Weir, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "weir.yaml"
    file.write_text(CLUSTER.replace("localhost:9092", "localhost:1") + PEOPLE)
    assert weir("apply", "-f", str(file)).code == 0
    shown = weir("inbox")
    assert shown.code == 0, shown.err
    answer = json.loads(weir("inbox", "-o", "json").out)
    assert {"rows", "uncounted", "next"} <= set(answer)
    for each in answer["rows"]:
        assert each["subject"] in shown.out


def test_an_empty_inbox_says_what_to_do(weir: Weir) -> None:  # noqa: F811
    assert weir("token", "create", "--user", "ana", "--save").code == 0
    shown = weir("inbox", "--as", "ana")
    assert shown.code == 0, shown.err
    assert "no dataset that you may know of" in " ".join((shown.out + shown.err).split())
