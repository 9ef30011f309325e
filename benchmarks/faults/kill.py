"""Each process killed by SIGKILL at random moments under load; and the broker restarted gently."""

from __future__ import annotations

import random
import signal
import sys
import time
from collections.abc import Callable

from benchmarks.faults.load import Load, World
from benchmarks.faults.present import compared
from benchmarks.faults.report import Outcome
from benchmarks.faults.weir import Weir

FIRST_WAIT_S = 35.0
"""How long the first killed process of a kind may take to come back by itself; one that does not is brought back
by `weir up`, the first time and, without that wait, each time after."""
QUICK_WAIT_S = 12.0
STEADY_S = (1.0, 5.0)
"""The load runs for a random time between these before the next blow."""


def kill(weir: Weir, kafka: str, name: str, times: int, seed: int, quick: bool) -> Outcome:
    """One process, `times` times."""
    outcome = _struck(weir, kafka, f"kill -9 {name}", times, seed, quick, name, lambda: weir.kill(name) is not None)
    outcome.connection_expected = name == "weir"
    return outcome


def restart_broker(weir: Weir, kafka: str, times: int, seed: int, quick: bool) -> Outcome:
    """Kafka asked to end, as its operators restart it, and started again."""

    def ended() -> bool:
        identity = weir.processes()["kafka"].identity
        weir.signal("kafka", signal.SIGTERM)
        deadline = time.monotonic() + 60
        while identity.alive() and time.monotonic() < deadline:
            time.sleep(0.1)
        return not identity.alive()

    return _struck(weir, kafka, "kafka restarted", times, seed, quick, "kafka", ended, wait=False)


def _struck(
    weir: Weir,
    kafka: str,
    fault: str,
    times: int,
    seed: int,
    quick: bool,
    name: str,
    blow: Callable[[], bool],
    wait: bool = True,
) -> Outcome:
    world, dice = World(weir, kafka), random.Random(f"{seed} {fault}")
    world.prepare()
    seconds: list[float] = []
    problems: list[str] = []
    notes: list[str] = []
    by_itself, itself = 0, wait
    with Load(world, seed) as load:
        for turn in range(times):
            time.sleep(dice.uniform(*STEADY_S))
            if not blow():
                problems.append(f"{name} did not live, or did not end, in turn {turn + 1}")
            struck = time.monotonic()
            if itself and weir.await_ready(QUICK_WAIT_S if quick else FIRST_WAIT_S):
                by_itself += 1
            else:
                if itself:
                    notes.append(f"{name} does not come back by itself; `weir up` starts it again")
                itself = False
                if wait:
                    time.sleep(dice.uniform(0.0, 2.0))
                struck = time.monotonic()
                weir.up()
                if not weir.await_ready():
                    problems.append(f"not ready five minutes after turn {turn + 1}")
                    break
            seconds.append(time.monotonic() - struck)
            print(f"{fault}: {turn + 1} of {times}, ready after {seconds[-1]:.1f} s", file=sys.stderr)
    tallies, wrong = compared(load)
    return Outcome(fault, len(seconds), tallies, seconds, by_itself, load.journal, [*problems, *wrong], notes)
