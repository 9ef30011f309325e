"""Where applied files are from, as the command reads it of git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from catalog.document_origins import Checkout

_SECONDS = 10.0


def read_checkout(files: Sequence[Path]) -> Checkout | None:
    """Of files and folders that are in one git checkout; None where they are not, or git does not answer."""
    if not files or any(str(each) == "-" for each in files):
        return None
    places = [each.resolve() for each in files]
    first = places[0] if places[0].is_dir() else places[0].parent
    root = _git(first, "rev-parse", "--show-toplevel")
    commit = _git(first, "rev-parse", "HEAD") if root is not None else None
    if root is None or commit is None:
        return None
    top = Path(root).resolve()
    if not all(each.is_relative_to(top) for each in places):
        return None
    changed = _git(top, "status", "--porcelain", "--", *map(str, places))
    common = Path(os.path.commonpath(places)).relative_to(top).as_posix()
    origin = _git(top, "remote", "get-url", "origin")
    return Checkout(without_credentials(origin or "") or top.name, commit, common, dirty=changed != "")


def _git(folder: Path, *words: str) -> str | None:
    """What git prints in a folder; None where it fails."""
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *words]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"},
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def without_credentials(address: str) -> str:
    """The address of a repository without user, password and parameters; of a folder of a machine only its name."""
    address = address.strip()
    if "://" in address:
        parts = urlsplit(address)
        if parts.scheme == "file":
            return Path(parts.path).name
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    if address.startswith(("/", ".", "~")):
        return Path(address).name
    host, colon, rest = address.partition(":")
    return f"{host.rpartition('@')[2]}{colon}{rest}" if colon else address
