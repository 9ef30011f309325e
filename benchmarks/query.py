"""How fast a governed query is, and what governing costs: over HTTP, and side by side with data masked beforehand.

    weir test --bench query             a few minutes: 200,000 records, clients for 30 seconds
    weir test --bench query --full      1,000,000 records, 20 clients for 5 minutes
    weir test --bench query --only small    windows of 1,000 records, read by Weir and by Spark in turns

Starts an instance of its own; with WEIR_TEST_STACK (a JSON file of servers' addresses) only Weir's API, over those
servers. Figures that are compared are taken in turns in one run. A ratio above 1 is over the limit.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import httpx
import psutil
from rich.console import Console

from benchmarks._query_servers import Api, api, declare, servers_of_this_run
from benchmarks._query_world import READER, Figure, Topics, World, p95, show
from catalog.model import DatasetId
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.decision.decide import decide
from policies.decision.policy_index import Compiled
from policies.masks.keys import MaskKeys
from policies.model import (
    DatasetFacts,
    FieldFacts,
    Grant,
    Mask,
    MaskPolicy,
    MaskType,
    Policy,
    Role,
    Subject,
    SubjectMatch,
    Target,
)
from policies.plan.settings import QuerySettings
from policies.query.service import GovernedQuery

SQL = "SELECT region, count(*), sum(amount), count(DISTINCT customer.email), max(card), min(customer.name) FROM {} GROUP BY region"


def decisions() -> list[Figure]:
    """1,000 policies over 10,000 fields, each decision for a combination of grants never seen before."""
    tags = [f"domain.t{n}" for n in range(40)]
    fields = tuple(
        FieldFacts(f"value.s{n // 100}.f{n}", {tags[n % 40]: ""} if n % 3 == 0 else {}) for n in range(10_000)
    )
    facts = DatasetFacts(DatasetId("kafka://bench", "wide"), "bench/wide", fields)
    policies: list[Policy] = [
        MaskPolicy(
            f"p{n}",
            (Target(tag=tags[n % 40]) if n % 2 else Target(dataset="bench/wide", path=f"value.s{n % 100}"),),
            SubjectMatch(roles=frozenset({f"r{n % 25}"})),
            Mask(MaskType.MASK),
        )
        for n in range(1000)
    ]
    compiled = Compiled(policies)
    roles = {f"r{n}": Role(f"r{n}", (Target(dataset="bench/*"),)) for n in range(25)}
    now, took = datetime.now(UTC), []
    for n in range(1000):
        subject = Subject(f"u{n}", roles=frozenset({f"r{n % 25}", f"r{n * 7 % 25}"}))
        grants = [
            Grant(
                f"g{n}-{i}",
                SubjectMatch(users=frozenset({subject.user})),
                "bench/*",
                now - timedelta(1),
                now + timedelta(1),
                "fraud",
                (tags[n % 40], f"value.s{n % 100}"),
                (tags[(n + i) % 40],),
            )
            for i in range(2)
        ]
        begun = time.perf_counter()
        decide(subject, facts, roles=roles, policies=compiled, grants=grants, now=now)
        took.append(time.perf_counter() - begun)
    return [Figure("decision, 1,000 policies, 10,000 fields, p99", sorted(took[1:])[-10] * 1000, 2, "ms")]


def cost(spark: str, topics: Topics, records: int, rounds: int) -> list[Figure]:
    """The same text over data that Weir masks and over data that was masked beforehand, in turns; and what is read."""
    governed, before = topics.fill("raw", records), topics.fill("masked", records, masked=True)
    sessions = Sessions(spark, 2)
    engine, settings = SparkEngine(sessions), QuerySettings(window_records=records, seconds=600)
    offsets, keys = KafkaOffsets(), MaskKeys(b"a secret of the benchmark")

    def service(masked: bool) -> GovernedQuery:
        world = World(topics.servers, masked)
        return GovernedQuery(world, world, engine, offsets, world, keys, settings)

    masking, plain = service(True), service(False)
    took: dict[str, list[float]] = {governed: [], before: []}
    rows = {}
    try:
        for number in range(rounds + 1):
            for which, topic in ((masking, governed), (plain, before)):
                asked = SQL.format(f"`{topic}`")
                begun = time.perf_counter()
                rows[topic] = sorted(which.run(READER, asked).rows, key=str)
                if number:  # the first round warms
                    took[topic].append(time.perf_counter() - begun)
        if rows[governed] != rows[before]:
            raise RuntimeError("masked on the way and masked beforehand give different rows")
        ratio = statistics.median(took[governed]) / statistics.median(took[before])
        figures = [
            Figure(f"masked on the way, {records:,} records", statistics.median(took[governed]), None, "s"),
            Figure(f"masked beforehand, {records:,} records", statistics.median(took[before]), None, "s"),
            Figure("governed / masked beforehand", ratio, 1.15, ""),
        ]
        for words, most in (("OFFSETS '0:0-100'", 100), ("'2026-01-01' TO '2026-01-01T00:00:01Z'", 1000)):
            begun = time.perf_counter()
            answer = masking.run(READER, f"SELECT count(*) FROM `{governed}` AS OF {words}").to_json()
            read = answer["window"]["tables"][0]["records"]
            if answer["rows"] != [[read]]:
                raise RuntimeError("the window does not report what was read")
            figures.append(Figure(f"records read, AS OF {words}", read, most, ""))
            figures.append(Figure("  in", time.perf_counter() - begun, None, "s"))
        return figures
    finally:
        sessions.close()


ASKED = {"two columns": ("id, customer.email", 250), "SELECT *": ("*", 400)}
"""Name -> columns, and the limit of the median in ms."""


def over_http(ways: dict[str, Api], topic: str, rounds: int) -> list[Figure]:
    """Queries of 1,000 records by one client, the ways in turns; refusals by the first way."""
    clients = {way: api.client() for way, api in ways.items()}
    took: dict[tuple[str, str], list[float]] = {(way, name): [] for name in ASKED for way in ways}
    refused = []
    for number in range(rounds + 5):
        for (way, name), times in took.items():
            asked = {"sql": f"SELECT {ASKED[name][0]} FROM `{topic}`", "limit": 1000}
            begun = time.perf_counter()
            answer = clients[way].post("/api/v1/query", json=asked)
            if len(answer.json().get("rows", ())) != 1000:
                raise RuntimeError(f"the query was answered with {answer.text[:300]}")
            if number >= 5:
                times.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        answer = next(iter(clients.values())).post(
            "/api/v1/query", json={"sql": f"SELECT reflect('a', 'b') FROM `{topic}`"}
        )
        if answer.status_code != 400:
            raise RuntimeError(f"the refusal was answered with {answer.text[:300]}")
        refused.append(time.perf_counter() - begun)
    figures = []
    for (way, name), times in took.items():
        figures.append(
            Figure(f"{name}, 1,000 records, {way}, p50", statistics.median(times) * 1000, ASKED[name][1], "ms")
        )
        figures.append(Figure(f"{name}, 1,000 records, {way}, p95", p95(times) * 1000, 600, "ms"))
    return [*figures, Figure("refusal over HTTP, p95", p95(refused) * 1000, 50, "ms")]


def together(ways: dict[str, Api], topic: str, count: int, duration: float) -> list[Figure]:
    """Queries of 1,000 records by several clients at once, each way for `duration` seconds, in two turns."""
    took: dict[str, list[float]] = {way: [] for way in ways}
    spent = dict.fromkeys(ways, 0.0)

    def client(way: str, until: float) -> None:
        http = ways[way].client()
        while time.monotonic() < until:
            begun = time.perf_counter()
            answer = http.post(
                "/api/v1/query", json={"sql": f"SELECT id, customer.email FROM `{topic}`", "limit": 1000}
            )
            if len(answer.json().get("rows", ())) != 1000:
                raise RuntimeError(f"the query was answered with {answer.text[:300]}")
            took[way].append(time.perf_counter() - begun)

    for turn in range(4):
        way = list(ways)[turn % len(ways)]
        begun = time.monotonic()
        threads = [threading.Thread(target=client, args=(way, begun + duration / 2)) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        spent[way] += time.monotonic() - begun
    figures = []
    for way, times in took.items():
        rate = len(times) / spent[way]
        figures.append(Figure(f"{count} clients, {way}: queries/s", rate, None, ""))
        figures.append(Figure("  one query every", 1000 / rate if rate else float("inf"), 1000 / 12, "ms"))
        figures.append(Figure("  p95", p95(times) * 1000, 1500, "ms"))
    return figures


def clients(url: str, token: str, topic: str, count: int, duration: float) -> list[Figure]:
    """Many at once, each asking for rows that it can check."""
    done, wrong = [0] * count, []
    until = time.monotonic() + duration
    memory = [_memory()]

    def client(number: int) -> None:
        http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=120)
        while time.monotonic() < until:
            n = (number * 37 + done[number] * 11) % 1000
            answer = http.post("/api/v1/query", json={"sql": f"SELECT id, customer.email FROM `{topic}` WHERE n = {n}"})
            if answer.status_code in (429, 503):
                continue
            if answer.json().get("rows") != [[f"o{n}", f"xxxx@example{n % 50}.eu"]]:
                wrong.append(answer.text[:300])
            done[number] += 1

    threads = [threading.Thread(target=client, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(5)
        memory.append(_memory())
    if wrong:
        raise RuntimeError(f"{len(wrong)} wrong answers, such as {wrong[0]}")
    third = max(1, len(memory) // 3)
    return [
        Figure(f"{count} clients for {duration:g} s: queries", sum(done), None, ""),
        Figure("  wrong answers", len(wrong), 1, ""),
        Figure("  least served / most served", min(done) / max(1, max(done)), None, ""),
        Figure(
            "  memory of API and engine, last third / second",
            statistics.mean(memory[-third:]) / statistics.mean(memory[third : 2 * third] or memory),
            1.1,
            "",
        ),
    ]


def _memory() -> float:
    """Bytes of this benchmark's API and of every JVM that is its child or a neighbour's engine."""
    wanted = ("spark", "api serve")
    total = 0
    for process in psutil.process_iter(["cmdline", "memory_info"]):
        with contextlib.suppress(psutil.Error):
            if any(word in " ".join(process.info["cmdline"] or ()) for word in wanted):
                total += process.info["memory_info"].rss
    return float(total)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="1,000,000 records, 20 clients for 5 minutes")
    parser.add_argument("--records", type=int, help="records of the comparison with data masked beforehand")
    parser.add_argument("--clients-seconds", type=float, help="how long the clients ask")
    parser.add_argument("--only", choices=["small"], help="small windows over HTTP, read by Weir and by Spark")
    chosen = parser.parse_args()
    records = chosen.records or (1_000_000 if chosen.full else 200_000)
    duration = chosen.clients_seconds or (300 if chosen.full else 30)
    console = Console(highlight=False)
    console.print(f"{'figure':<60}{'measured':>14}{'limit':>12}{'ratio':>8}")
    show(console, decisions())
    # The same program, with and without the way of small windows.
    switched_off = {"WEIR_QUERY__SMALL_WINDOW_RECORDS": "0"}
    with servers_of_this_run() as servers, api(servers, {}) as now, api(servers, switched_off) as before:
        topics = Topics(servers["kafka"])
        ways = {"read by Weir": now, "read by Spark": before}
        try:
            topic = topics.fill("small", 1000)
            for each in ways.values():
                declare(each.url, each.token, topic, servers["kafka"])
            show(console, over_http(ways, topic, 40 if chosen.full else 20))
            show(console, together(ways, topic, 8, 60 if chosen.full else 20))
            if chosen.only != "small":
                show(console, cost(servers.get("query") or servers["spark"], topics, records, 5 if chosen.full else 3))
                show(console, clients(now.url, now.token, topic, 20, duration))
        finally:
            topics.drop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
