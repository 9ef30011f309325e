"""The zip of our code that Spark's workers import: one a process, gone with it, made anew when it was cleaned away."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from scanners.adapters.spark_sampler import code_archive


def test_the_archive_holds_what_workers_import_and_comes_back_when_cleaned_away() -> None:
    first = code_archive()
    assert code_archive() == first
    body = first.read_bytes()
    assert {"catalog/__init__.py", "scanners/adapters/worker.py"} <= set(zipfile.ZipFile(first).namelist())
    shutil.rmtree(first.parent)
    assert code_archive() == first and first.read_bytes() == body
    assert [path.name for path in first.parent.iterdir()] == [first.name]


def test_nothing_is_left_when_the_process_ends(tmp_path) -> None:
    said = "from scanners.adapters.spark_sampler import code_archive; print(code_archive().exists())"
    done = subprocess.run(
        [sys.executable, "-c", said],
        env={"TMPDIR": str(tmp_path), "PATH": ""},
        cwd=Path(__file__).resolve().parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True"
    assert list(tmp_path.iterdir()) == []
