"""A full disk: Weir's folder and Kafka's folder on mounts of a fixed size, each filled under load and freed again.

The mounts need a mount namespace (`unshare`), so this runs as a program of its own there. Kafka, the API and the worker
are its own; the other servers are those of the instance, whose addresses it gets.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.faults.calls import Caller, Journal
from benchmarks.faults.load import Load, World
from benchmarks.faults.present import compared
from benchmarks.faults.report import Outcome
from benchmarks.faults.weir import ROOT, Weir, environment

HOME_MB, KAFKA_MB = 96, 160
LOAD = {"events": 3, "catalog": 1, "requests": 1, "queries": 1, "reads": 1}


def disk(addresses: Mapping[str, Any], seconds: float, seed: int) -> list[Outcome]:
    """Both mounts filled for `seconds`. Where nothing may be mounted: one outcome with the reason."""
    way = _namespace()
    if isinstance(way, Outcome):
        return [way]
    with tempfile.TemporaryDirectory(prefix="weir-disk-") as folder:
        asked = Path(folder) / "asked.json"
        asked.write_text(json.dumps({"addresses": dict(addresses), "seconds": seconds, "seed": seed, "folder": folder}))
        command = [*way, sys.executable, "-m", "benchmarks.faults.disk", str(asked)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        answer = Path(folder) / "answer.json"
        if done.returncode or not answer.exists():
            return [Outcome("disk full", 0, problems=[f"the trial ended early: {done.stderr[-1500:]}"])]
        return [Outcome.from_json(row) for row in json.loads(answer.read_text())]


def _namespace() -> list[str] | Outcome:
    """The words that start a program where it may mount, or the outcome of a trial that is left out."""
    why = "there is no unshare"
    for way in (["unshare", "-m"], ["unshare", "-rm"]):
        if shutil.which("unshare") is None:
            break
        trial = "d=$(mktemp -d) && mount -t tmpfs -o size=1m none $d && umount $d && rmdir $d"
        done = subprocess.run([*way, "sh", "-c", trial], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return way
        why = done.stderr.strip()[-200:]
    return Outcome("disk full", 0, notes=[f"left out, for nothing may be mounted here: {why}"])


def _inside(asked: Mapping[str, Any]) -> list[Outcome]:
    home, seconds, seed = Path(asked["folder"]) / "home", float(asked["seconds"]), int(asked["seed"])
    there = asked["addresses"]
    user, password = there["neo4j_auth"]
    weir = Weir(
        home,
        environment(
            home,
            WEIR_NEO4J__URI=there["neo4j"],
            WEIR_NEO4J__USER=user,
            WEIR_NEO4J__PASSWORD=password,
            WEIR_ELASTICSEARCH__URL=there["elasticsearch"],
            WEIR_SPARK__REMOTE=there["spark"],
            WEIR_SCHEMA_REGISTRY__URL=there["registry"],
            WEIR_CATALOG__SEARCH_INDEX=f"disk-{os.getpid()}",
            WEIR_LINEAGE__GRAPH_NAME=f"disk-{os.getpid()}",
            **({"WEIR_QUERY__REMOTE": there["query"]} if "query" in there else {}),
        ),
    )
    with _mounted(home, HOME_MB), _mounted(home / "data" / "kafka", KAFKA_MB):
        try:
            weir.up()
            kafka = weir.addresses()["kafka"]
            return [
                _filled(weir, kafka, home, "Weir's disk full", seconds, seed, _store_takes),
                _filled(
                    weir, kafka, home / "data" / "kafka", "Kafka's disk full", seconds, seed, lambda _: weir.ready()
                ),
            ]
        finally:
            weir.down()


def _filled(
    weir: Weir, kafka: str, mount: Path, fault: str, seconds: float, seed: int, back: Callable[[Weir], bool]
) -> Outcome:
    world = World(weir, kafka)
    world.prepare()
    problems: list[str] = []
    notes: list[str] = []
    by_itself = 1
    with Load(world, seed, LOAD) as load:
        time.sleep(5)
        before = _acknowledged(load)
        full_at = _fill(mount)
        time.sleep(1)
        early = _acknowledged(load)
        time.sleep(seconds)
        while_full = {kind: count - early[kind] for kind, count in _acknowledged(load).items()}
        notes.append(
            f"acknowledged in {seconds:.0f} s without a byte left: {_words(while_full)}"
            f" (in 5 s before: {_words(before)}); refused with 503 by then: {load.journal.unavailable}"
        )
        full_at.unlink()
        freed = time.monotonic()
        while not back(weir) and time.monotonic() < freed + 40:
            time.sleep(0.2)
        if not back(weir):
            by_itself = 0
            gone = [name for name, entry in weir.processes().items() if not entry.identity.alive()]
            notes.append(f"`weir up` was needed: {', '.join(gone) or 'no process'} had ended")
            weir.up()
            if not weir.await_ready(120) or not back(weir):
                problems.append("not back two minutes after space was freed and `weir up` was called")
        took = time.monotonic() - freed
        time.sleep(5)
    tallies, wrong = compared(load)
    return Outcome(fault, 1, tallies, [took], by_itself, load.journal, [*problems, *wrong], notes, bool(1 - by_itself))


def _store_takes(weir: Weir) -> bool:
    """Whether a declared document is acknowledged."""
    import threading

    caller = Caller(lambda: weir.url, weir.token(), Journal(), threading.Event())
    term = "{apiVersion: weir/v1, kind: GlossaryTerm, metadata: {name: space}, spec: {definition: A word.}}"
    return caller.call("apply", "POST", "/api/v1/apply", content=term) is not None and weir.ready()


def _acknowledged(load: Load) -> dict[str, int]:
    return {kind: len(ledger.all_acknowledged()) for kind, ledger in load.ledgers.items() if kind != "tags"}


def _words(counts: Mapping[str, int]) -> str:
    return ", ".join(
        f"{kind} {count}" for kind, count in counts.items() if kind in ("runs", "terms", "requests", "queries")
    )


def _fill(mount: Path) -> Path:
    """A file that takes all that is left, to the last byte."""
    ballast = mount / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while True:
                    if not file.write(b"\0" * size):
                        break
            except OSError:
                continue
    return ballast


@contextmanager
def _mounted(folder: Path, megabytes: int) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "none", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


if __name__ == "__main__":
    _asked = json.loads(Path(sys.argv[1]).read_text())
    _outcomes = _inside(_asked)
    (Path(_asked["folder"]) / "answer.json").write_text(json.dumps([outcome.to_file() for outcome in _outcomes]))
