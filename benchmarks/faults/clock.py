"""Clocks an hour off: those of producers, by the times in their events, and Weir's own, where libfaketime is at hand."""

from __future__ import annotations

import importlib.util
import os
import time
import uuid
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from benchmarks.faults.ledger import Ledger
from benchmarks.faults.load import Load, World, event
from benchmarks.faults.present import Reader, compared
from benchmarks.faults.report import Outcome
from benchmarks.faults.weir import Weir

HOUR = timedelta(hours=1)
LIBRARIES = ("/usr/lib/*/faketime/libfaketime.so.1", "/usr/local/lib/faketime/libfaketime.so.1")


def events_off(weir: Weir, kafka: str, count: int) -> Outcome:
    """Runs dated an hour back and an hour ahead: each must be in the graph as it is now, once, dated no later than now."""
    world, ledger = World(weir, kafka), Ledger()
    headers = {"Authorization": f"Bearer {weir.token()}"}
    with httpx.Client(base_url=weir.url, headers=headers, timeout=60) as client:
        for n in range(count):
            at = datetime.now(UTC) + (HOUR if n % 2 else -HOUR)
            for kind in ("START", "COMPLETE"):
                body = event(kind, str(uuid.uuid4()), f"job-{n}", world.namespace, "source-0", f"sink-{n}", at)
                client.post("/api/v1/lineage", json=body).raise_for_status()
            ledger.acknowledged(f"sink-{n}", "now")
        reader, deadline = Reader(world), time.monotonic() + 120
        while True:
            tally = ledger.compare(_edges(reader, world))
            if not tally.lost or time.monotonic() > deadline:
                break
            time.sleep(1)
    notes = [f"{count} runs, half dated an hour back and half an hour ahead"]
    return Outcome("events dated an hour off", count, {"edges": tally}, notes=notes)


def _edges(reader: Reader, world: World) -> dict[str, list[str]]:
    copies: dict[str, list[str]] = defaultdict(list)
    try:
        answer = reader.get("lineage", nodeId=f"dataset:{world.namespace}:source-0", direction="downstream", depth=1)
    except httpx.HTTPStatusError as error:
        if error.response.status_code == 404:
            return copies
        raise
    now = datetime.now(UTC) + timedelta(minutes=6)
    for edge in answer["edges"]:
        begun = datetime.fromisoformat(edge["from"])
        copies[edge["target"].rsplit(":", 1)[1]].append("now" if begun <= now else f"begins at {edge['from']}")
    return copies


def process_off(weir: Weir, kafka: str, hours: int, seconds: float, seed: int) -> Outcome:
    """Weir's own processes run `hours` off under load, then right again; everything acknowledged must be there."""
    fault, library = f"Weir's clock {hours:+d} h", _library()
    if library is None:
        note = "left out: no libfaketime here (pip install libfaketime, or name its file in FAKETIME_LIBRARY)"
        return Outcome(fault, 0, notes=[note])
    world = World(weir, kafka)
    world.prepare()
    problems: list[str] = []
    off = {"LD_PRELOAD": str(library), "FAKETIME": f"{hours:+d}h", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    own = [name for name in ("weir", "weir-worker") if name in weir.processes()]
    with Load(world, seed) as load:
        time.sleep(2)
        for variables in (off, dict.fromkeys(off, "")):
            problems += [
                f"{name} did not start with {variables}" for name in own if not weir.restart_alone(name, variables)
            ]
            time.sleep(seconds)
        right = time.monotonic()
        if not weir.await_ready(60):
            problems.append("not ready a minute after the clock was right again")
        took = time.monotonic() - right
    tallies, wrong = compared(load)
    return Outcome(fault, 1, tallies, [took], 1, load.journal, [*problems, *wrong], [], True)


def _library() -> Path | None:
    if named := os.environ.get("FAKETIME_LIBRARY"):
        return Path(named)
    for pattern in LIBRARIES:
        for path in Path("/").glob(pattern.lstrip("/")):
            return path
    spec = importlib.util.find_spec("libfaketime")
    if spec is not None and spec.origin:
        return next(iter(sorted(Path(spec.origin).parent.rglob("libfaketime.so.1"))), None)
    return None
