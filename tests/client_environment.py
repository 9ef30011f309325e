"""An environment with the clients of `requirements/clients.txt`, which cannot be installed beside Weir."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def programs(folder: Path) -> Path:
    """The folder of its programs. Skips the test where they cannot be installed."""
    venv.create(folder, with_pip=True)
    binaries = folder / "bin"
    lock = ROOT / "requirements" / "clients.txt"
    command: list[str | Path] = [binaries / "python", "-m", "pip", "install", "-q", "--require-hashes", "-r", lock]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the clients cannot be installed: {done.stderr.strip().splitlines()[-1]}")
    return binaries
