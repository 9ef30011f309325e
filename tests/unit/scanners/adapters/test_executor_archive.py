"""The archive of Python packages for executors: what is in it, and which Python it takes."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import distribution
from pathlib import Path

import pytest

from catalog.errors import InvalidInput, Unavailable
from scanners.adapters.spark.executor_archive import pack, refused_python, send, write
from scanners.adapters.spark.executors import python_problem
from scanners.adapters.spark.worker_packages import worker_packages

HERE = EXTENSION_SUFFIXES[0]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """An archive of two packages, as an executor unpacks it."""
    file, folder = tmp_path / "small.tar.gz", tmp_path / "work" / "environment"
    with tarfile.open(file, "w:gz") as archive:
        write(archive, [distribution("orjson"), distribution("msgpack")])
    with tarfile.open(file) as archive:
        assert {(entry.uid, entry.uname) for entry in archive} == {(0, "")}
        archive.extractall(folder, filter="data")
    return folder


def run(unpacked: Path, python: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """As Spark starts it: by a relative name, in a folder and with a home of the executor."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(unpacked), "WEIR_EXECUTOR_PYTHON": python, **environment}
    session = unpacked.parent / "session"
    session.mkdir(exist_ok=True)
    return subprocess.run(
        ["../environment/bin/python", *words],
        env=env,
        cwd=session,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def other_python(folder: Path, suffix: str) -> str:
    """A Python of another kind, as far as `bin/python` looks at it."""
    file = folder / "other"
    file.write_text(f"#!/bin/sh\necho {suffix}\n")
    file.chmod(0o755)
    return str(file)


def test_the_packages_are_imported_wherever_it_is_unpacked(unpacked: Path) -> None:
    base = os.path.realpath(sys.executable)
    program = "import msgpack, orjson, sys; print(orjson.__file__); print(msgpack.__file__); print(sys.path[1])"
    done = run(unpacked, base, "-S", "-c", program, PYTHONPATH="/spark/python")
    assert done.returncode == 0, done.stderr
    first, second, spark = done.stdout.splitlines()
    assert {Path(first).parents[1], Path(second).parents[1]} == {unpacked / "lib"}
    assert spark == "/spark/python"  # PySpark is the executor's own


@pytest.mark.parametrize(
    ("suffix", "words"),
    [
        (HERE.replace("311", "312"), "another minor version of Python (cpython-312"),
        (HERE.replace("x86_64", "aarch64").replace("gnu", "musl"), "for another platform"),
    ],
)
def test_another_python_is_refused_with_a_sentence(unpacked: Path, tmp_path: Path, suffix: str, words: str) -> None:
    done = run(unpacked, other_python(tmp_path, suffix), "-m", "pyspark.daemon")
    assert done.returncode == 91 and done.stdout == ""
    problem = python_problem(RuntimeError(f"Error from python worker:\n  {done.stderr}\nPYTHONPATH was: /x"))
    assert problem is not None and words in problem.message


def test_an_executor_without_python_is_named(unpacked: Path) -> None:
    done = run(unpacked, "/nowhere/python")
    assert done.returncode == 91
    assert "have no Python for the archive" in (refused_python(done.stderr) or "")


def test_other_errors_are_none_of_the_archive() -> None:
    assert refused_python("ModuleNotFoundError: No module named 'orjson'") is None


def test_it_has_every_package_of_a_scan_and_of_a_shared_name() -> None:
    packages = worker_packages()
    assert set(packages.modules.values()) <= set(packages.packages)
    assert "protobuf" in packages.packages  # `google` is the module of several
    assert not {"numba", "hyperscan", "pyspark"} & set(packages.packages)


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "there.tar.gz"
    file.write_text("mine")
    with pytest.raises(InvalidInput, match="is there already"):
        pack(file)
    assert file.read_text() == "mine"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be written: No such file or directory"):
        pack(tmp_path / "none" / "x.tar.gz")


def test_an_archive_that_is_not_there_is_not_sent(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="weir cluster pack"):
        send(None, tmp_path / "none.tar.gz")
