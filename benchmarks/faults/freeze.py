"""Neo4j and Elasticsearch stopped for minutes, once frozen and once ended, with a restart of Weir meanwhile."""

from __future__ import annotations

import signal
import time

from benchmarks.faults.load import Load, World
from benchmarks.faults.present import compared
from benchmarks.faults.report import Outcome
from benchmarks.faults.weir import Weir

SERVERS = ("neo4j", "elasticsearch")


def freeze(weir: Weir, kafka: str, seconds: float, seed: int) -> Outcome:
    """SIGSTOP: connections stay open and nothing answers. Weir's own processes are restarted half way."""
    world = World(weir, kafka)
    world.prepare()
    problems: list[str] = []
    with Load(world, seed) as load:
        time.sleep(3)
        for name in SERVERS:
            weir.signal(name, signal.SIGSTOP)
        begun = time.monotonic()
        try:
            time.sleep(seconds / 2)
            problems += _restart(weir)
            time.sleep(max(0.0, seconds - (time.monotonic() - begun)))
        finally:
            for name in SERVERS:
                weir.signal(name, signal.SIGCONT)
        thawed = time.monotonic()
        took, notes = _ready(weir, thawed, problems)
    tallies, wrong = compared(load)
    fault = f"Neo4j and Elasticsearch frozen {seconds:.0f} s, Weir restarted"
    return Outcome(fault, 1, tallies, took, 1 - len(notes), load.journal, [*problems, *wrong], notes, True)


def down(weir: Weir, kafka: str, seconds: float, seed: int) -> Outcome:
    """Both ended; Weir's own processes are restarted half way, by signals, for `weir up` would start all."""
    world = World(weir, kafka)
    world.prepare()
    problems: list[str] = []
    with Load(world, seed) as load:
        time.sleep(3)
        for name in SERVERS:
            weir.kill(name)
        begun = time.monotonic()
        time.sleep(seconds / 2)
        problems += _restart(weir)
        time.sleep(max(0.0, seconds - (time.monotonic() - begun)))
        thawed = time.monotonic()
        weir.up()
        took, _ = _ready(weir, thawed, problems)
    tallies, wrong = compared(load)
    fault = f"Neo4j and Elasticsearch down {seconds:.0f} s, Weir restarted"
    return Outcome(fault, 1, tallies, took, 0, load.journal, [*problems, *wrong], (), True)


def _ready(weir: Weir, since: float, problems: list[str]) -> tuple[list[float], list[str]]:
    """Seconds to ready; a sentence when that took a `weir up`."""
    notes: list[str] = []
    if not weir.await_ready(60):
        notes.append("not ready a minute later; `weir up` was needed")
        weir.up()
        if not weir.await_ready():
            problems.append("not ready five minutes later")
            return [], notes
    return [time.monotonic() - since], notes


def _restart(weir: Weir) -> list[str]:
    """API and worker end and start again while servers are away; a sentence for each that cannot."""
    return [
        f"{name} did not start while servers were away"
        for name in ("weir", "weir-worker")
        if name in weir.processes() and not weir.restart_alone(name)
    ]
