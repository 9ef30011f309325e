"""A worker that ended does not count as one that works, whatever its number names by now."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from api.config.home import Home, write_private
from api.config.worker_marker import worker_lives


def _noted(tmp_path: Path, text: str) -> Home:
    write_private(tmp_path / "run" / "worker.pid", text)
    return Home(tmp_path)


def test_one_that_works(tmp_path: Path) -> None:
    assert worker_lives(_noted(tmp_path, str(os.getpid()))) is True


def test_none_that_ever_worked(tmp_path: Path) -> None:
    assert worker_lives(Home(tmp_path)) is None
    assert worker_lives(_noted(tmp_path, "a word")) is None


def test_one_that_ended_and_was_not_collected(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays a zombie
    assert worker_lives(_noted(tmp_path, str(child.pid))) is False
    child.wait()
    assert worker_lives(Home(tmp_path)) is False
