"""`weir sql` in a terminal, over a real server: statements, completion, history, the pager, Ctrl-C; and from a pipe."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from tests.pseudo_terminal import Screen, terminal
from tests.query_door import Door, door, until


def rows(count: int) -> pa.Table:
    return pa.table({"order_id": [f"o-{n}" for n in range(count)], "region": ["EU"] * count})


WORDS = [sys.executable, "-m", "api", "sql"]
PROMPT = "weir>"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    with door(tmp_path_factory.mktemp("home"), rows(2)) as opened:
        yield opened


@pytest.fixture
def variables(weir: Door, tmp_path: Path) -> dict[str, str]:
    home = {"WEIR_URL": weir.url, "WEIR_TOKEN": weir.token("ana"), "WEIR_HOME": str(tmp_path / "client")}
    return {**os.environ, **home, "PAGER": "cat", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}


@pytest.fixture
def screen(variables: dict[str, str]) -> Iterator[Screen]:
    with terminal(WORDS, variables) as opened:
        opened.until(PROMPT)
        yield opened


def test_a_statement_continues_until_its_semicolon(screen: Screen) -> None:
    screen.type("select order_id,\r")
    screen.type("region from orders; \r")
    shown = screen.until("records of prod/orders")
    assert "order_id  region" in shown and "o-0" in shown and "o-1" in shown
    screen.until(PROMPT)
    screen.type("\\x\r")
    screen.until("One value a line.")
    screen.type("select order_id, region from orders;\r")
    assert "1 of 2" in screen.until("2 of 2")


def test_a_refused_statement_is_a_sentence_and_the_prompt_returns(screen: Screen) -> None:
    screen.type("select * from nope;\r")
    assert "Traceback" not in screen.until("✗ There is no dataset 'nope'")
    screen.until(PROMPT)
    screen.type("\\zz\r")
    screen.until("There is no \\zz;")
    screen.type("select * from orders where region = :region;\r")
    screen.until("write \\set region=VALUE.")
    screen.type("\\set region=EU\rselect * from orders where region = :region;\r")
    screen.until("o-0")
    screen.type("\\q\r")
    assert screen.ended() == 0


def test_tab_completes_datasets_columns_and_commands(screen: Screen) -> None:
    for keys, completed in (("select * from ord", "orders"), ("\\d ord", "orders"), ("\\pur", "\\purpose")):
        screen.type(keys)
        screen.until(keys)
        screen.type("\t")
        screen.until(completed[len(keys.split()[-1]) :])
        screen.type("\x03")
        screen.until(PROMPT)
    screen.type("\\d orders\r")
    assert "order_id" in screen.until("region")


def test_ctrl_c_stops_the_query_at_the_server_and_leads_back(weir: Door, screen: Screen) -> None:
    weir.engine.hold = threading.Event()
    try:
        screen.type("select * from orders;\r")
        until(lambda: weir.engine.running)
        screen.type("\x03")
        screen.until("Stopped.")
        until(lambda: weir.engine.running == 0)
    finally:
        weir.engine.hold.set()
        weir.engine.hold = None
    screen.until(PROMPT)
    screen.type("\x04")
    assert screen.ended() == 0


def test_a_long_answer_goes_through_the_pager(
    weir: Door, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with terminal(WORDS, {**variables, "PAGER": "sed s/^o-/paged-/"}) as screen:
        screen.until(PROMPT)
        screen.type("select order_id from orders;\r")
        assert "paged-" not in screen.until("records of prod/orders")
        monkeypatch.setattr(weir.engine, "table", rows(40))
        screen.until(PROMPT)
        screen.type("select order_id from orders;\r")
        assert "paged-39" in screen.until("records of prod/orders")


def test_history_is_kept_for_its_user_alone(variables: dict[str, str]) -> None:
    kept = Path(variables["WEIR_HOME"]) / "sql_history"
    with terminal(WORDS, variables) as screen:
        screen.until(PROMPT)
        screen.type("show tables;\r")
        screen.until("isTemporary")
        screen.type("\\q\r")
        assert screen.ended() == 0
    with terminal(WORDS, variables) as screen:
        screen.until(PROMPT)

        def recalled() -> bool:
            screen.type("\x1b[A")  # the history is read beside the prompt
            return screen.shows("show tables;")

        until(recalled)
        screen.type("\r")
        screen.until("isTemporary")
    assert "show tables;" in kept.read_text() and stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_pipe_runs_statements_one_by_one_up_to_a_failure(variables: dict[str, str]) -> None:
    def run(text: str, *more: str) -> subprocess.CompletedProcess[str]:
        words = [*WORDS, *more]
        return subprocess.run(words, env=variables, input=text, capture_output=True, text=True, timeout=120)

    done = run("show tables; -- ; a comment\nselect order_id from orders where region <> ';'")
    assert done.returncode == 0 and done.stderr == "" and "isTemporary" in done.stdout and "o-0" in done.stdout
    failed = run("select * from nope; show tables; show tables")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("✗ There is no dataset 'nope'")
    assert "Statement 1 of 3 failed; 2 behind it did not run." in failed.stderr
    assert '"o-0"' in run("select order_id from orders", "-o", "json").stdout
    assert not (Path(variables["WEIR_HOME"]) / "sql_history").exists()
