"""The servers that `weir test --keep` leaves running, and that later runs of the same checkout take.

They are started again where what starts them has changed, where one of them has ended, and after some runs, since topics
and indices of earlier tests stay in them. `weir test --end` ends them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".weir-test"
RUNS = 20
"""After so many runs the servers start empty."""
_PORTS = ("KAFKA", "REGISTRY", "NEO4J", "ELASTICSEARCH", "SPARK", "QUERY", "CONNECT")


def environment(home: Path) -> dict[str, str]:
    """That of servers for tests: a home of their own, every port free, nothing of the caller's settings but the cache."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_") or name == "WEIR_CACHE"}
    ports = {f"WEIR_STACK__{name}_PORT": "0" for name in _PORTS}
    # What lives for some minutes is compiled quickly instead of thoroughly.
    return {**kept, **ports, "WEIR_STACK__JAVA_OPTIONS": "-XX:TieredStopAtLevel=1", "WEIR_HOME": str(home)}


def fingerprint(root: Path) -> str:
    """A digest of what the servers consist of: the code that starts them and the locked packages."""
    files = [*sorted((root / "stack").rglob("*.py")), root / "requirements/base.txt", root / "requirements/java.txt"]
    digest = hashlib.sha256()
    for file in files:
        digest.update(str(file.relative_to(root)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def running(home: Path = HOME) -> bool:
    """Whether a run left servers behind that nobody has ended."""
    return (home / "kept.json").exists()


def use(root: Path, say: Callable[[str], None], home: Path = HOME) -> None:
    """Let the tests of this process use kept servers (WEIR_TEST_STACK), starting them where needed."""
    if "WEIR_TEST_STACK" in os.environ:
        return
    made_of, runs = fingerprint(root), _read(home).get("runs", 0)
    reason = _why_again(home, made_of)
    if reason:
        if running(home):
            say(f"The kept servers are started again: {reason}.")
            end(say, home)
        _start(home)
        runs = 0
    (home / "kept.json").write_text(json.dumps({"fingerprint": made_of, "runs": int(str(runs)) + 1}))
    os.environ["WEIR_TEST_STACK"] = str(home / "stack.json")
    say("The tests use kept servers; `weir test --end` ends them.")


def end(say: Callable[[str], None], home: Path = HOME) -> int:
    """Stop kept servers and delete what they stored. Returns the exit code of a command."""
    if home.exists():
        _stack(home, "down", "--wipe")
        shutil.rmtree(home, ignore_errors=True)
        say("The kept servers are stopped.")
    else:
        say("No servers were kept.")
    return 0


def _why_again(home: Path, made_of: str) -> str | None:
    """Why kept servers cannot be used; None where they can."""
    kept = _read(home)
    if not kept:
        return "there are none"
    if kept["fingerprint"] != made_of:
        return "what starts them has changed"
    if int(str(kept["runs"])) >= RUNS:
        return f"{RUNS} runs have used them"
    states = json.loads(_stack(home, "status", "-o", "json").stdout or "[]")
    # Kafka Connect is optional and is started by the tests that need it.
    ended = [row["name"] for row in states if row["state"] != "ready" and row["name"] != "connect"]
    return f"{', '.join(ended) or 'all of them'} ended" if ended or not states else None


def _read(home: Path) -> dict[str, object]:
    try:
        kept: dict[str, object] = json.loads((home / "kept.json").read_text())
    except (OSError, ValueError):
        return {}
    return kept


def _start(home: Path) -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    done = _stack(home, "up", "--detach")
    if done.returncode:
        sys.exit(f"The servers did not start: {done.stdout}{done.stderr}")
    # It starts an engine again that ends, and goes when the servers are stopped.
    subprocess.Popen(
        [sys.executable, "-m", "stack", "up"],
        env=environment(home),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    (home / "stack.json").write_text(_stack(home, "env", "-o", "json").stdout)


def _stack(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stack", *words]
    return subprocess.run(command, env=environment(home), cwd=ROOT, capture_output=True, text=True, check=False)
