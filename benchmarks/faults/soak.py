"""Events, queries, scans and all else together for a while: no error, and the memory of each process flat."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

from benchmarks.faults.load import CLIENTS, Load, World
from benchmarks.faults.present import compared
from benchmarks.faults.report import Outcome
from benchmarks.faults.weir import Weir

EVERY_S = 10.0
GROWTH = 0.10
"""The last third after the warm-up may be so much above the first."""
PACE = 1.5
"""So that the index, which is compared page by page, stays below the 10,000 rows a search gives."""
WARM = 1 / 3
"""Share of the time in which caches and code may still grow."""


def soak(weir: Weir, kafka: str, minutes: float, seed: int) -> Outcome:
    """The usual load for so many minutes. Memory is what a process and its children have for themselves (USS)."""
    world = World(weir, kafka)
    world.prepare()
    samples: dict[str, list[tuple[float, int]]] = {}
    problems: list[str] = []
    begun = time.monotonic()
    before = {name: entry.pid for name, entry in weir.processes().items()}
    with Load(world, seed, {**CLIENTS, "events": 1}, PACE) as load:
        while (now := time.monotonic() - begun) < 60 * minutes:
            for name, size in weir.memory().items():
                samples.setdefault(name, []).append((now, size))
            time.sleep(EVERY_S)
    after = {name: entry.pid for name, entry in weir.processes().items()}
    problems += [f"{name} ended or was replaced meanwhile" for name in before if before[name] != after.get(name)]
    tallies, wrong = compared(load)
    notes = [f"memory in MB over {minutes:g} minutes, the first {minutes * WARM:.0f} of them warm-up:"]
    for name, series in sorted(samples.items()):
        first, last, slope = flat(series, 60 * minutes * WARM)
        notes.append(
            f"  {name}: {first / 1e6:.0f} -> {last / 1e6:.0f} ({last / first - 1:+.1%}), {slope * 3600 / 1e6:+.0f} MB/h"
        )
        if last > first * (1 + GROWTH):
            problems.append(f"{name} grew by {last / first - 1:.0%}: {first / 1e6:.0f} to {last / 1e6:.0f} MB")
    fault = f"soak of {minutes:g} minutes"
    return Outcome(fault, 1, tallies, journal=load.journal, problems=[*problems, *wrong], notes=notes)


def flat(series: Sequence[tuple[float, int]], warm_s: float) -> tuple[float, float, float]:
    """(mean of the first third after the warm-up, mean of the last third, slope in bytes a second between)."""
    kept = [sample for sample in series if sample[0] >= warm_s] or list(series)
    third = max(1, len(kept) // 3)
    first, last = (statistics.fmean(size for _, size in part) for part in (kept[:third], kept[-third:]))
    if len(kept) < 2:
        return first, last, 0.0
    slope, _ = statistics.linear_regression([at for at, _ in kept], [size for _, size in kept])
    return first, last, slope
