"""Stream views against jobs written by hand, and against their limits.

    weir test --bench streams                     1,000,000 records and keys: about twenty minutes
    weir test --bench streams --records 100000    a few minutes
    weir test --bench streams --only reads delay
    weir test --bench streams --only many         a hundred small views (--many sets how many): not run by default
    weir test --bench streams --only killed       seven views while processes are killed: not run by default

Starts an instance of its own; `--home DIR` uses the one of that folder, and leaves it running. Clients, servers and engine
share the machine. A ratio compares two runs of the same minute.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.faults.weir import instance
from benchmarks.streams import killed, many, reads, replaced, throughput
from benchmarks.streams.world import World

PARTS = ("throughput", "ten", "reads", "delay", "restart", "replaced")
KILLED, MANY = "killed", "many"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="weir test --bench streams")
    parser.add_argument("--records", type=int, default=1_000_000, help="records of the topic, and keys that are read")
    parser.add_argument("--rounds", type=int, default=3, help="times each view and job by hand run, in turns")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long keys are read")
    parser.add_argument("--only", nargs="+", choices=(*PARTS, KILLED, MANY), default=list(PARTS))
    parser.add_argument("--times", type=int, default=3, help="kills of each process")
    parser.add_argument(
        "--spread", type=float, default=600.0, help="seconds over which records come while processes are killed"
    )
    parser.add_argument(
        "--views", nargs="+", choices=tuple(killed.VIEWS), default=list(killed.VIEWS), help="those that run meanwhile"
    )
    parser.add_argument("--many", type=int, default=100, help="views of the part `many`")
    parser.add_argument("--home", type=Path, help="an instance that is there")
    options = parser.parse_args(arguments)
    # Clients read faster than the default rate lets one token.
    with instance(options.home, WEIR_API__RATE_ROWS="1000000") as weir:
        world = World(weir)
        if KILLED in options.only:
            _show(killed.measure(world, options.records, options.times, options.spread, options.views))
        if MANY in options.only:
            _show(many.many(world, options.many))
        if "throughput" in options.only:
            _show(throughput.measure(world, options.records, options.rounds))
        topic = f"bench.keys-{int(time.time())}"
        if set(options.only) - {"throughput", KILLED, MANY}:
            world.orders(topic, options.records)
        if "ten" in options.only:
            _show(reads.ten(world, topic))
        if {"reads", "delay"} & set(options.only):
            name = "measured.keys"
            world.view(name, f"SELECT id, region, amount, email FROM bench.`{topic}`", "id")
            world.current(name)
            if "reads" in options.only:
                _show(reads.by_key(world, name, options.records, 8, options.seconds))
            if "delay" in options.only:
                _show(reads.delay(world, topic, name, options.records, 60))
            world.delete(name)
        if "replaced" in options.only:
            _show(replaced.measure(world, topic, options.records))
        if "restart" in options.only:
            _show(reads.restart(world, topic, options.records))
    return 0


def _show(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"{line}   [load {os.getloadavg()[0]:.1f}]", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
