"""The zip of our code that Spark's workers import: one a process, gone with it, made again when it was cleaned away."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import sys
import zipfile
import zipimport
from pathlib import Path

from scanners.adapters.spark import code_archive as code_archive_module
from scanners.adapters.spark.code_archive import code_archive
from scanners.sketch import nodes


def test_the_archive_holds_what_workers_import_and_comes_back_when_cleaned_away() -> None:
    first = code_archive()
    assert code_archive() == first
    body = first.read_bytes()
    assert {"catalog/__init__.py", "scanners/adapters/spark/worker.py"} <= set(zipfile.ZipFile(first).namelist())
    shutil.rmtree(first.parent)
    assert code_archive() == first and first.read_bytes() == body
    assert [path.name for path in first.parent.iterdir()] == [first.name]


def test_nothing_is_left_when_the_process_ends(tmp_path) -> None:
    text = "from scanners.adapters.spark.code_archive import code_archive; print(code_archive().exists())"
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={"TMPDIR": str(tmp_path), "PATH": ""},
        cwd=Path(__file__).resolve().parents[4],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True"
    assert list(tmp_path.iterdir()) == []


def test_workers_need_not_compile_what_is_compiled_here(tmp_path: Path) -> None:
    """Bytecode of a module this process imported travels along, and is what a worker runs; the source is beside it."""
    py_compile.compile(nodes.__file__)
    code_archive_module._code.cache_clear()
    try:
        archive = tmp_path / "code.zip"
        archive.write_bytes(code_archive_module._code()[1])
    finally:
        code_archive_module._code.cache_clear()
    below = zipimport.zipimporter(f"{archive}/scanners/sketch")
    assert below.get_code("nodes").co_filename == nodes.__file__
    assert below.get_source("nodes") == Path(nodes.__file__).read_text()
    program = "import scanners.sketch.nodes, scanners.worker.profile; print(scanners.sketch.nodes.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(archive)},
    )
    assert done.stdout.strip().startswith(str(archive))
