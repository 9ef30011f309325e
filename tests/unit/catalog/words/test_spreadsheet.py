"""Texts that a spreadsheet would run, in each of the files that Weir writes for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.formats.csv_text import CsvText, csv_line
from api.terminal.output import Format, show
from catalog.spreadsheet import defused
from lineage.questions.exports import safe_cell

ROOT = Path(__file__).resolve().parents[4]
FORMULAS = (
    "=1+1",
    "+1",
    "-1+2",
    "@SUM(A1)",
    " =1+1",
    "\u00a0=1+1",
    "\t1",
    "\r1",
    "\n1",
    "＝1+1",
    "  ＠x",
    "\ufeff=1",
    "\u200b=1",
    "\x00=1",
    "\u2060@x",
)
PLAIN = ("", "a=b", "1+1", "x@y.eu", " a", "1-2")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_an_apostrophe_everywhere(text: str) -> None:
    assert defused(text) == safe_cell(text) == "'" + text
    assert csv_line([text], ["string"], CsvText.SAFE).strip('"\r\n').startswith("'")


@pytest.mark.parametrize("text", PLAIN)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert defused(text) == safe_cell(text) == text
    assert csv_line([text], ["string"], CsvText.SAFE) == csv_line([text], ["string"], CsvText.PLAIN)


def test_a_column_of_a_table_is_a_text_too(capsys: pytest.CaptureFixture[str]) -> None:
    show([{"=cmd()": 1}], ["=cmd()"], Format.CSV)
    assert capsys.readouterr().out.startswith("'=cmd()")


def test_every_writer_of_such_files_defuses() -> None:
    """By the source: who writes CSV also asks for texts without formulas."""
    rooms = ("api", "catalog", "policies", "lineage", "views", "connectors", "client")
    writers = [
        (file, text)
        for room in rooms
        for file in (ROOT / room).rglob("*.py")
        if "csv.writer(" in (text := file.read_text()) or "csv.DictWriter(" in text or "write_csv(" in text
    ]
    assert len(writers) > 4
    assert [str(file) for file, text in writers if "defused" not in text and "safe_cell" not in text] == []
