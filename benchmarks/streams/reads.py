"""Reads by key over HTTP, the time from a record to its row, the memory of ten views, and a restart with much state."""

from __future__ import annotations

import random
import time
from functools import partial

import psutil

from benchmarks.streams.key_clients import read_by_key
from benchmarks.streams.world import World


def by_key(world: World, view: str, keys: int, clients: int, seconds: float) -> list[str]:
    """Reads of random keys, while records come in."""
    server = world.weir.processes()["weir"].identity.process()
    assert server is not None
    token, before = world.weir.token("bench-reader"), _seconds(server)
    reads = read_by_key(world.weir.url, token, view, keys, clients, seconds)
    count, every = len(reads.times), sorted(reads.times)
    p50, p99 = every[count // 2] * 1000, every[count * 99 // 100] * 1000
    lines = [
        f"reads by key, {keys:,} keys, {clients} clients: p50 {p50:.1f} ms (limit 8), p99 {p99:.1f} ms (limit 30),"
        f" {count / seconds:,.0f} reads/s (limit 500), {len(reads.wrong)} wrong; processor time of a read:"
        f" {(_seconds(server) - before) / count * 1000:.2f} ms of the API, {reads.processor / count * 1000:.2f} ms of the clients"
    ]
    return lines + reads.wrong[:5]


def _seconds(process: psutil.Process) -> float:
    used = process.cpu_times()
    return float(used.user + used.system)


def delay(world: World, topic: str, view: str, first: int, samples: int) -> list[str]:
    """From a record that Kafka has acknowledged to its row in an answer."""
    times = []
    rng = random.Random(1)
    for number in range(first, first + samples):
        world.produce(topic, [number])
        begun = time.monotonic()
        world.until(partial(world.row, view, number))
        times.append(time.monotonic() - begun)
        time.sleep(rng.random())
    times.sort()
    return [
        f"record to readable row, {samples} records: p50 {times[len(times) // 2]:.2f} s (limit 2),"
        f" p95 {times[int(len(times) * 0.95)]:.2f} s (limit 4), longest {times[-1]:.2f} s"
    ]


def ten(world: World, topic: str) -> list[str]:
    """What ten views take of memory in all processes together, against none."""
    before = sum(world.weir.memory().values())
    sql = f"SELECT region, count(*) AS n, sum(amount) AS s FROM bench.`{topic}` WHERE id % 10 = {{}} GROUP BY region"
    for number in range(10):
        world.view(f"measured.ten{number}", sql.format(number))
    for number in range(10):
        world.current(f"measured.ten{number}")
    after = sum(world.weir.memory().values())
    for number in range(10):
        world.delete(f"measured.ten{number}")
    return [f"ten views in one engine: {(after - before) / 2**30:.2f} GiB more than none (limit 1.5)"]


def restart(world: World, topic: str, keys: int) -> list[str]:
    """A view with a state of as many groups as there are keys, started again from its checkpoint."""
    name = "measured.state"
    world.view(name, f"SELECT id, count(*) AS n FROM bench.`{topic}` GROUP BY id")
    world.current(name)
    begun = time.monotonic()
    world.post(f"/views/{name}/restart")
    world.produce(topic, [keys + 1_000_000])
    world.until(partial(world.row, name, keys + 1_000_000))
    took = time.monotonic() - begun
    world.delete(name)
    return [f"state of {keys:,} keys: restart to the next new row {took:.1f} s (limit 30)"]
