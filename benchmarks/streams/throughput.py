"""Records a second through a view, and through the same job of Structured Streaming written by hand.

Both write to a topic, with the same trigger, the same records a batch, the same checkpoint and state store. The rate is over the
batches after the first one, whose time is that of compiling.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.streams.world import SCHEMA, World
from catalog.adapters.spark_connect import connect, release
from views.adapters.spark import STREAMING
from views.adapters.spark_progress import read_progress
from views.model import Progress
from views.settings import ViewSettings

FILTER = "SELECT id, region, amount, {mail} AS email FROM {table} WHERE amount > 10"
AGGREGATE = "SELECT region, count(*) AS n, sum(amount) AS total FROM {table} GROUP BY region"
HASH = "sha2(email, 256)"


def by_hand(world: World, topic: str, sql: str, mode: str, records: int) -> float:
    """Records a second of a job that somebody writes without Weir."""
    spark = connect(world.spark)
    folder = tempfile.mkdtemp(prefix="weir-bench-streams-")
    sink = f"{topic}.by-hand-{Path(folder).name}"
    world.topic(sink)
    try:
        for name, value in STREAMING.items():
            spark.conf.set(name, value)
        source = (
            spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", world.kafka)
            .option("subscribe", topic)
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", ViewSettings().batch_records)
            .load()
        )
        parsed = source.selectExpr(f"from_json(CAST(value AS STRING), '{SCHEMA}') AS v").select("v.*")
        parsed.createOrReplaceTempView("orders")
        keyed = "CAST(region AS BINARY) AS key" if mode == "update" else "CAST(NULL AS BINARY) AS key"
        rows = spark.sql(sql).selectExpr(keyed, "to_json(struct(*)) AS value")
        query = (
            rows.writeStream.format("kafka")
            .option("kafka.bootstrap.servers", world.kafka)
            .option("topic", sink)
            .option("checkpointLocation", folder)
            .outputMode(mode)
            .trigger(processingTime="1 second")
            .start()
        )
        seen: list[tuple[float, int]] = []

        def done() -> bool:
            status = query.lastProgress
            each = read_progress(status) if status is not None else Progress()
            end = sum(each.offsets.get(topic, {}).values())
            if end and (not seen or seen[-1][1] != end):
                seen.append((time.monotonic(), end))
            return bool(seen) and seen[-1][1] >= records

        world.until(done)
        query.stop()
        return _rate(seen)
    finally:
        release(spark)
        shutil.rmtree(folder, ignore_errors=True)


def by_view(world: World, topic: str, sql: str, records: int, name: str) -> tuple[float, float]:
    """Records a second of a view until they are in its topic, and until the rows can be read."""
    world.view(name, sql)
    begun = time.monotonic()
    seen: list[tuple[float, int]] = []

    def done() -> bool:
        counted = int((world.shown(name)["counts"] or {}).get("recordsIn") or 0)
        if counted and (not seen or seen[-1][1] != counted):
            seen.append((time.monotonic(), counted))
        return bool(seen) and seen[-1][1] >= records

    world.until(done)
    carried = _rate(seen)
    world.current(name)
    whole = records / (time.monotonic() - begun)
    world.delete(name)
    return carried, whole


def _rate(seen: list[tuple[float, int]]) -> float:
    (first, before), (last, end) = seen[0], seen[-1]
    return (end - before) / max(last - first, 1e-9)


def measure(world: World, records: int, rounds: int) -> list[str]:
    """A line for each kind of view, in turns."""
    topic = f"bench.orders-{int(time.time())}"
    world.orders(topic, records)
    lines = []
    for kind, sql, mode, limit in (
        ("filter and mask", FILTER, "append", 0.7),
        ("aggregate", AGGREGATE, "update", 0.85),
    ):
        ratios, rates = [], []
        for number in range(rounds):
            hand = by_hand(world, topic, sql.format(table="orders", mail=HASH), mode, records)
            view, readable = by_view(
                world,
                topic,
                sql.format(table=f"bench.`{topic}`", mail="email"),
                records,
                f"measured.{kind[:6].strip()}{number}",
            )
            rates.append((hand, view, readable))
            ratios.append(view / hand)
        for hand, view, readable in rates:
            lines.append(f"{kind}: by hand {hand:,.0f}/s, view {view:,.0f}/s, until readable {readable:,.0f}/s")
        lines.append(f"{kind}: view / by hand {median(ratios):.2f} (median of {rounds}; limit {limit})")
    return lines
