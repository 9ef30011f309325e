"""Queries that need little of a large topic: counts, positions, a few rows, a search; with Spark alone, and with Weir's own reader.

    weir test --bench few_records            200,000 records
    weir test --bench few_records --full     1,000,000 records

Beside them how long a plain Kafka client needs to count the same records. The ways are taken in turns; each gives the same
rows. With WEIR_TEST_STACK the servers of that file are used.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from confluent_kafka import Consumer, TopicPartition
from rich.console import Console

from benchmarks._query_servers import servers_of_this_run
from benchmarks._query_world import READER, Figure, Topics, World, show
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.kafka.positions import KafkaPositions
from policies.adapters.kafka.text_scan import KafkaTextScan
from policies.adapters.kafka.topic_identity import TopicIdentity
from policies.adapters.kafka.windows import KafkaWindows
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.browse.conditions import Filters
from policies.browse.service import Browser, RecordsQuery
from policies.masks.keys import MaskKeys
from policies.plan.ports import QueryTable
from policies.plan.settings import QuerySettings
from policies.query.service import GovernedQuery

STATEMENTS = {
    "count(*)": "SELECT count(*) AS n FROM {}",
    "min and max of _offset and _timestamp": "SELECT min(_offset), max(_offset), min(_timestamp), max(_timestamp) FROM {}",
    "LIMIT 3": "SELECT id, customer.email FROM {} LIMIT 3",
    "SELECT *, 1,000 rows": "SELECT * FROM {}",
}


class Named(World):
    """Topics may be named with their cluster, too."""

    def find(self, name: str) -> QueryTable:
        return super().find(name.removeprefix("bench."))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="1,000,000 records")
    records = 1_000_000 if parser.parse_args().full else 200_000
    console = Console(highlight=False)
    with servers_of_this_run() as servers:
        topics = Topics(servers["kafka"])
        try:
            topic = topics.fill("few", records)
            show(
                console, [*statements(servers, topics, topic, records), *plain_count(servers["kafka"], topic, records)]
            )
        finally:
            topics.drop()
    return 0


def statements(servers: dict[str, Any], topics: Topics, topic: str, records: int) -> list[Figure]:
    """Each statement on a service that leaves all to Spark, and on one as users have it; medians after a first round."""
    sessions, windows = Sessions(servers.get("query") or servers["spark"], 2), KafkaWindows()
    settings = QuerySettings(window_records=records, seconds=600)

    def service(engine: SparkEngine) -> GovernedQuery:
        world = Named(topics.servers, True)
        return GovernedQuery(
            world, world, engine, KafkaOffsets(), world, MaskKeys(b"a secret of the benchmark"), settings
        )

    by_spark = service(SparkEngine(sessions))
    figures = []
    try:
        for name, text in STATEMENTS.items():
            # Counts are remembered, so each round has a reader that knows nothing, and one that was asked before.
            counting = KafkaPositions(windows, TopicIdentity())
            ours = service(SparkEngine(sessions, windows=windows, positions=counting))
            sql = text.format(f"`{topic}`")
            answers = {
                "Spark alone": timed(partial(by_spark.run, READER, sql)),
                "first": timed(partial(ours.run, READER, sql), 1),
                "again": timed(partial(ours.run, READER, sql)),
            }
            if len({str(answer.rows) for _, answer in answers.values()}) != 1:
                raise RuntimeError(f"{name}: the ways give different rows")
            figures += [
                Figure(f"{name}, {records:,} records, {way}", took, None, "s") for way, (took, _) in answers.items()
            ]
        figures += records_page(topics, sessions, windows, topic, records)
        search = Browser(service(SparkEngine(sessions, windows=windows)), KafkaOffsets(), windows.largest)
        asked = RecordsQuery(filters=Filters(text="example7"), limit=50)
        took, page = timed(lambda: search.page(READER, f"bench/{topic}", asked))
        figures.append(
            Figure(f"search of a frequent text, {page['searched']['records']:,} records read", took, None, "s")
        )
    finally:
        sessions.close()
        windows.close()
    return figures


def records_page(topics: Topics, sessions: Sessions, windows: KafkaWindows, topic: str, records: int) -> list[Figure]:
    """What the page of records asks for, for a reader who sees everything: the newest records, and a text that few hold."""
    world = Named(topics.servers, False)
    engine = SparkEngine(sessions, windows=windows)
    query = GovernedQuery(
        world, world, engine, KafkaOffsets(), world, MaskKeys(b"a secret of the benchmark"), QuerySettings(seconds=600)
    )
    scanning = Browser(query, KafkaOffsets(), windows.largest, KafkaTextScan(windows))
    by_spark = Browser(query, KafkaOffsets(), windows.largest)
    reference = f"bench/{topic}"
    first = partial(scanning.page, READER, reference, RecordsQuery(limit=50))
    figures = [Figure("the newest 50 records", timed(first)[0], None, "s")]
    rare = f"anna{records * 3 // 4}@"
    for way, browser in (("Spark alone", by_spark), ("as users have it", scanning)):
        hit, whole, hits = searched(browser, reference, rare)
        if hits != 1:
            raise RuntimeError(f"{hits} records hold {rare}, not 1")
        figures.append(Figure(f"one of {records:,} records by its text, {way}: the record", hit, None, "s"))
        figures.append(Figure(f"one of {records:,} records by its text, {way}: all read", whole, None, "s"))
    return figures


def searched(browser: Browser, reference: str, text: str) -> tuple[float, float, int]:
    """Seconds to the first record that holds a text, and to the end of the topic; how many hold it."""
    begun, hit, hits, cursor = time.perf_counter(), 0.0, 0, None
    while True:
        asked = RecordsQuery(filters=Filters(text=text), limit=50, cursor=cursor)
        page = browser.page(READER, reference, asked)
        hits += len(page["records"])
        hit = hit or (time.perf_counter() - begun if hits else 0.0)
        cursor = page["older"]
        if cursor is None:
            return hit, time.perf_counter() - begun, hits


def timed(run: Callable[[], Any], rounds: int = 4) -> tuple[float, Any]:
    """Seconds, the median of all rounds but the first where there are several, and the last answer."""
    took, answer = [], None
    for _ in range(rounds):
        begun = time.perf_counter()
        answer = run()
        took.append(time.perf_counter() - begun)
    return statistics.median(took[1:] or took), answer


def plain_count(kafka: str, topic: str, records: int) -> list[Figure]:
    """A Kafka client that counts the records by hand."""
    consumer = Consumer(
        {
            "bootstrap.servers": kafka,
            "group.id": "bench-count",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        }
    )
    partitions = consumer.list_topics(topic, 10).topics[topic].partitions
    consumer.assign([TopicPartition(topic, partition, 0) for partition in partitions])
    begun, count = time.perf_counter(), 0
    while count < records and time.perf_counter() - begun < 300:
        count += sum(message.error() is None for message in consumer.consume(10_000, 0.5))
    took = time.perf_counter() - begun
    consumer.close()
    if count != records:
        raise RuntimeError(f"{count:,} of {records:,} records were counted")
    return [Figure(f"a Kafka client that counts {records:,} records", took, None, "s")]


if __name__ == "__main__":
    sys.exit(main())
