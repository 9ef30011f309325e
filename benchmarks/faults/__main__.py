"""What Weir keeps when things break, as figures.

    weir test --bench faults                       every fault: two to three hours
    weir test --bench faults --quick               each a few times: some twenty minutes
    weir test --bench faults --only kill --process neo4j --times 20
    weir test --bench faults --only soak --soak 30

Starts an instance of its own, breaks it under load, and compares everything that was acknowledged with what is there
afterwards. `--home DIR` breaks the instance of that folder instead, and leaves it running: never name one that is in
use. The exit code is 1 when anything was lost, doubled, answered wrongly, or took longer than ten seconds.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.faults import clock, deliveries, disk, freeze, kill, soak
from benchmarks.faults.report import Outcome, keep, show
from benchmarks.faults.weir import Weir, instance

FAULTS = ("kill", "broker", "freeze", "down", "disk", "deliveries", "clock", "soak")


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    outcomes: list[Outcome] = []
    with instance(options.home) as weir:
        for run in _faults(options, weir):
            try:
                done = run()
            except Exception as error:  # the next fault is still worth its figures
                done = Outcome("a fault's trial", 0, problems=[f"{type(error).__name__}: {error}"])
                weir.up()
            for outcome in done if isinstance(done, list) else [done]:
                outcome.notes = [*outcome.notes, f"load average of the machine at the end: {os.getloadavg()[0]:.0f}"]
                outcomes.append(outcome)
                show([outcome])
                if options.json:
                    keep(options.json, outcome)
    if len(outcomes) > 1:
        show(outcomes)
    return 1 if any(outcome.faults() for outcome in outcomes) else 0


def _faults(options: argparse.Namespace, weir: Weir) -> Iterator[Callable[[], Outcome | list[Outcome]]]:
    kafka, quick, seed = weir.addresses()["kafka"], options.quick, options.seed
    only = options.only or FAULTS
    if "kill" in only:
        times = options.times or (2 if quick else 20)
        for name in options.process or list(weir.processes()):
            yield lambda name=name: kill.kill(weir, kafka, name, times, seed, quick)  # type: ignore[misc]
    if "broker" in only:
        yield lambda: kill.restart_broker(weir, kafka, options.times or (2 if quick else 10), seed, quick)
    for name, fault in (("freeze", freeze.freeze), ("down", freeze.down)):
        if name in only:
            yield lambda fault=fault: fault(weir, kafka, 20 if quick else 300, seed)  # type: ignore[misc]
    if "deliveries" in only:
        count, seeds, real = (500, 3, 1) if quick else (10_000, 20, 2)
        yield lambda: deliveries.deliveries(count, seeds, real, weir.addresses(), seed)
    if "disk" in only:
        yield lambda: disk.disk(weir.addresses(), 8 if quick else 60, seed)
    if "clock" in only:
        yield lambda: clock.events_off(weir, kafka, 20 if quick else 200)
        for hours in (1, -1):
            yield lambda hours=hours: clock.process_off(weir, kafka, hours, 10 if quick else 60, seed)  # type: ignore[misc]
    if "soak" in only:
        yield lambda: soak.soak(weir, kafka, options.soak or (2 if quick else 30), seed)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few blows, short stops")
    parser.add_argument("--only", nargs="+", choices=FAULTS, help="these faults")
    parser.add_argument("--process", nargs="+", help="kill only these processes")
    parser.add_argument("--times", type=int, help="blows of each kind")
    parser.add_argument("--seed", type=int, default=1, help="decides moments and inputs")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="length of the soak; 30, with --quick 2")
    parser.add_argument("--home", type=Path, help="break the instance of this folder and leave it running")
    parser.add_argument("--json", type=Path, help="add each outcome to this file, a JSON line each")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
