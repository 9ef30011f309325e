"""What many small views cost: until all are current, memory, processor time at rest, and the time from a record to its row."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping

import psutil

from benchmarks.streams.reads import delay
from benchmarks.streams.world import World

REST_S = 60.0
RECORDS = 1_000
_FILTER = "SELECT id, region, amount, email FROM bench.`{topic}` WHERE id % {count} <> {number}"
_AGGREGATE = "SELECT region, count(*) AS n FROM bench.`{topic}` WHERE id % {count} <> {number} GROUP BY region"


def many(world: World, count: int) -> Iterator[str]:
    """`count` views over one topic of 1,000 records: four of five filter and mask, one in five counts groups.

    A line as soon as it is known.
    """
    topic = f"bench.many-{int(time.time())}"
    world.orders(topic, RECORDS)
    yield _line("no view", world)
    names = [f"measured.many{number}" for number in range(count)]
    begun = time.monotonic()
    for number, name in enumerate(names):
        sql = (_AGGREGATE if number % 5 == 4 else _FILTER).format(topic=topic, count=count * 100, number=number + 1)
        world.view(name, sql, None if number % 5 == 4 else "id")
    declared = time.monotonic() - begun
    for name in names:
        world.current(name)
    yield f"{count} views: declared in {declared:.1f} s, all current after {time.monotonic() - begun:.1f} s"
    yield _line(f"{count} views", world)
    yield from (f"{count} views: {line}" for line in delay(world, topic, names[0], RECORDS * 100, 20))


def _line(name: str, world: World) -> str:
    """Memory and processor time of the instance at rest, process by process."""
    time.sleep(REST_S / 4)  # what a start leaves to do
    before, begun = _seconds(world), time.monotonic()
    time.sleep(REST_S)
    passed, after = time.monotonic() - begun, _seconds(world)
    sizes = world.weir.memory()
    each = (
        f"{process} {100 * (used - before.get(process, 0)) / passed:.1f} %" for process, used in sorted(after.items())
    )
    memory = (f"{process} {size / 2**20:.0f} MB" for process, size in sorted(sizes.items()))
    whole = sum(sizes.values()) / 2**30
    return f"{name} at rest, share of a core: {', '.join(each)}; memory: {', '.join(memory)}; {whole:.2f} GB together"


def _seconds(world: World) -> Mapping[str, float]:
    """Processor seconds by name of the process, its children included."""
    used: dict[str, float] = {}
    for name, process in world.weir.families():
        with contextlib.suppress(psutil.Error):
            label = "views" if "view-runner" in process.cmdline() else name
            used[label] = used.get(label, 0.0) + sum(process.cpu_times()[:2])
    return used
