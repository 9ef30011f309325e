"""A start while another one is under way."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stack.home import Home

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.tail
def test_five_of_five_starts_beside_another_end_with_one_sentence_and_touch_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path / "weir")
    home.create()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")} | {
        "WEIR_HOME": str(home.root),
        "PYTHONPATH": str(ROOT),
    }
    with home.locked():
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "api", "up", "--detach"],
                env=environment,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for _ in range(5)
        ]
        answers = [(*process.communicate(timeout=120), process.returncode) for process in started]
    for output, errors, code in answers:
        assert code == 1 and "Another start or stop of the instance" in errors, (output, errors)
        assert "Traceback" not in errors
    assert not home.ports_file.exists() and not home.state_file.exists()


def test_starts_at_once_do_not_trip_over_each_others_folders(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as starts:
        list(starts.map(lambda _: Home(tmp_path / "weir").create(), range(400)))
    assert list((tmp_path / "weir" / "run").iterdir()) == []
