"""Environments with clients of others, whose packages cannot be installed beside Weir, and clients run in them."""

from __future__ import annotations

import os
import subprocess
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def programs(folder: Path, lock: str = "clients", seconds: float = 300) -> Path:
    """The folder of the programs of an environment with the packages of `requirements/LOCK.txt`.

    Skips the test where they cannot be installed within so many seconds.
    """
    venv.create(folder, with_pip=True)
    binaries = folder / "bin"
    file = ROOT / "requirements" / f"{lock}.txt"
    # The file names all that is needed; pip itself would refuse a package with an extra (mashumaro[msgpack]) beside hashes.
    pip = (binaries / "python", "-m", "pip", "install", "-q", "--no-deps", "--require-hashes", "-r", file)
    try:
        done = subprocess.run(pip, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        pytest.skip(f"the packages of requirements/{lock}.txt were not installed within {seconds:g} seconds")
    if done.returncode:
        pytest.skip(f"the packages of requirements/{lock}.txt cannot be installed: {_last(done.stderr)}")
    return binaries


def run(
    command: Sequence[str | Path], folder: Path, variables: Mapping[str, str] | None = None, seconds: float = 300
) -> str:
    """What a client prints that runs in a folder, with nothing of the caller's settings but its PATH; it must not fail."""
    path = f"{Path(command[0]).parent}:{os.environ.get('PATH', '/usr/bin:/bin')}"
    environment = {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", **(variables or {})}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def _last(text: str) -> str:
    return next(iter(reversed(text.strip().splitlines())), "pip gave no reason")
