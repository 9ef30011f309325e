"""Rows of every kind of view while the runner, Spark, Kafka and Weir are killed with SIGKILL, against known answers.

A producer sends orders, payments and customers all the while. Their times are set, one order each 10 ms, so that the answers do not
depend on when a record was sent. At the end the rows of each view are read over HTTP and compared with those that Python computed.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import psutil
from confluent_kafka import Producer

from benchmarks.streams.world import World

STEP_MS = 10
CUSTOMERS = 2_000
GAP_S, WINDOW_S, PAY_S = 15, 300, 300
KILLED = ("runner", "spark", "kafka", "weir")
PAGE = 1_000
SETTLED_S = 20

VIEWS = {
    "filter": "SELECT id, amount FROM {orders} WHERE amount >= 900",
    "tumbling": "SELECT region, window.start AS ws, count(*) AS n, sum(amount) AS s FROM {orders}"
    " GROUP BY region, window(_timestamp, '5 minutes')",
    "hopping": "SELECT region, window.start AS ws, count(*) AS n, sum(amount) AS s FROM {orders}"
    " GROUP BY region, window(_timestamp, '10 minutes', '5 minutes')",
    "sessions": "SELECT customer, session_window.start AS ws, count(*) AS n, sum(amount) AS s FROM {orders}"
    " GROUP BY customer, session_window(_timestamp, '15 seconds')",
    "distinct": "SELECT DISTINCT ref FROM {orders}",
    "streams": "SELECT o.id, p.paid FROM {orders} o JOIN {payments} p ON p.order_id = o.id"
    " AND p._timestamp BETWEEN o._timestamp AND o._timestamp + INTERVAL 5 MINUTES",
    "table": "SELECT o.id, c.town FROM {orders} o JOIN {customers} c ON c.customer = o.customer WHERE o.amount < 100",
}
"""Of each view its SQL over the three topics."""


@dataclass
class Source:
    """Sends the records, and knows what each view must have. `records`: orders in all."""

    world: World
    records: int
    stamp: int = field(default_factory=lambda: int(time.time()))
    sent: int = 0
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.topics = {name: f"bench.{name}-{self.stamp}" for name in ("orders", "payments", "customers")}
        self.start_ms = int(time.time() // 3600 * 3600 - 2 * 86_400) * 1000
        for topic in self.topics.values():
            self.world.topic(topic)
        self._producer = Producer(
            {
                "bootstrap.servers": self.world.kafka,
                "enable.idempotence": True,
                "message.timeout.ms": 600_000,
                "linger.ms": 20,
                "queue.buffering.max.messages": 200_000,
                "log_level": 0,
            }
        )

    def order(self, number: int) -> dict[str, Any]:
        dice = number * 2_654_435_761 % 2**32
        return {
            "id": number,
            "region": f"r{dice % 100}",
            "amount": dice // 100 % 1000,
            "customer": f"c{dice // 7 % CUSTOMERS}",
            "ref": number % (self.records // 2),
        }

    def payment(self, number: int) -> tuple[int, dict[str, Any]] | None:
        """Of every tenth order, after 0 to 599 s; the second half of them comes too late for the join."""
        if number % 10:
            return None
        return number // 10 * 7 % 600, {"order_id": number, "paid": number % 977}

    def begin(self) -> None:
        for number in range(CUSTOMERS):
            value = {"customer": f"c{number}", "town": f"t{number % 50}"}
            self._send("customers", value, f"c{number}", self.start_ms)
        self._orders(range(1000))

    def run(self, seconds: float) -> threading.Thread:
        """Send the rest, spread over that time, from a thread; then records that close what is open."""

        def work() -> None:
            begun, first = time.monotonic(), self.sent
            try:
                while self.sent < self.records:
                    due = first + (self.records - first) * min(1.0, (time.monotonic() - begun) / seconds)
                    upto = min(self.records, int(due) + 1)
                    self._orders(range(self.sent, upto))
                    time.sleep(0.05)
                late = self.start_ms + self.records * STEP_MS + 86_400_000
                for topic in ("orders", "payments"):
                    for partition in (0, 1):
                        value = {"id": -1, "region": "end", "amount": 500, "customer": "end", "ref": 0}
                        value = value if topic == "orders" else {"order_id": -2, "paid": 0}
                        self._send(topic, value, "end", late, partition)
                if left := self._producer.flush(600):
                    self.wrong.append(f"{left} records were not acknowledged")
            except Exception as error:
                self.wrong.append(f"the producer failed: {error}")

        thread = threading.Thread(target=work)
        thread.start()
        return thread

    def _orders(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            at = self.start_ms + number * STEP_MS
            self._send("orders", self.order(number), str(number), at)
            paid = self.payment(number)
            if paid is not None:
                self._send("payments", paid[1], str(number), at + paid[0] * 1000)
            self.sent = number + 1

    def _send(self, topic: str, value: Any, key: str, at: int, partition: int = -1) -> None:
        while True:
            try:
                self._producer.produce(
                    self.topics[topic],
                    json.dumps(value).encode(),
                    key,
                    partition,
                    timestamp=at,
                    on_delivery=self._noted,
                )
                self._producer.poll(0)
                return
            except BufferError:
                self._producer.poll(0.1)

    def _noted(self, error: Any, _: Any) -> None:
        if error is not None:
            self.wrong.append(str(error))

    def flush(self) -> None:
        self._producer.flush(120)

    def answers(self) -> dict[str, Counter[tuple[Any, ...]]]:
        """The rows that each view must have, and how often."""
        expected: dict[str, Counter[tuple[Any, ...]]] = {name: Counter() for name in VIEWS}
        tumbling: defaultdict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
        hopping: defaultdict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
        open_sessions: dict[str, list[int]] = {}
        for number in range(self.records):
            order, at = self.order(number), self.start_ms + number * STEP_MS
            region, amount = order["region"], order["amount"]
            begin = at // (WINDOW_S * 1000) * WINDOW_S * 1000
            windows = ((tumbling, begin), (hopping, begin), (hopping, begin - WINDOW_S * 1000))
            for sums, start in windows:
                one = sums[region, start]
                one[0], one[1] = one[0] + 1, one[1] + amount
            session = open_sessions.get(order["customer"])
            if session is not None and at < session[3] + GAP_S * 1000:
                session[1], session[2], session[3] = session[1] + 1, session[2] + amount, at
            else:
                if session is not None:
                    expected["sessions"][order["customer"], moment(session[0]), session[1], session[2]] += 1
                open_sessions[order["customer"]] = [at, 1, amount, at]
            if amount >= 900:
                expected["filter"][number, amount] += 1
            if amount < 100:
                expected["table"][number, f"t{int(order['customer'][1:]) % 50}"] += 1
            expected["distinct"][(order["ref"],)] = 1
            paid = self.payment(number)
            if paid is not None and paid[0] <= PAY_S:
                expected["streams"][number, paid[1]["paid"]] += 1
        for customer, session in open_sessions.items():
            expected["sessions"][customer, moment(session[0]), session[1], session[2]] += 1
        for name, sums in (("tumbling", tumbling), ("hopping", hopping)):
            for (region, start), (count, total) in sums.items():
                expected[name][region, moment(start), count, total] += 1
        return expected


def moment(millis: int) -> str:
    return datetime.fromtimestamp(millis / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def measure(world: World, records: int, times: int, seconds: float, views: Collection[str] = tuple(VIEWS)) -> list[str]:
    """A line for each view and for the kills. `times`: kills of each process; `seconds`: over which records are sent."""
    source = Source(world, records)
    source.begin()
    source.flush()
    scan = world.post("/scans", json={"cluster": "bench", "topics": list(source.topics.values())})
    world.until(lambda: world.http.get(f"/scans/{scan['id']}").json()["state"] in ("done", "failed"))
    topics = {name: f"bench.`{topic}`" for name, topic in source.topics.items()}
    for name in views:
        world.view(f"killed.{name}", VIEWS[name].format(**topics), None, "  watermark: 20 minutes\n")
    for name in views:
        world.current(f"killed.{name}")
    thread = source.run(seconds)
    lines = _killed(world, times, seconds)
    thread.join()
    begun = time.monotonic()
    expected = source.answers()
    for name in views:
        world.current(f"killed.{name}")
    lines.append(
        f"all views current {time.monotonic() - begun:.0f} s after the last record was sent; {source.wrong or 'no record lost'}"
    )
    reader = world.reader()
    for name in views:
        rows = _settled(reader, f"killed.{name}")
        missing, more = expected[name] - rows, rows - expected[name]
        lines.append(
            f"{name}: {sum(expected[name].values()):,} rows expected, {sum(rows.values()):,} found,"
            f" {sum(missing.values())} missing, {sum(more.values())} too many or wrong"
        )
        for one in (*list(missing)[:3], *list(more)[:3]):
            lines.append(f"  {'missing' if one in missing else 'not expected'}: {one}")
    for name in views:
        world.delete(f"killed.{name}")
    return lines


def _killed(world: World, times: int, seconds: float) -> list[str]:
    dice = random.Random(17)
    blows = [name for name in KILLED for _ in range(times)]
    dice.shuffle(blows)
    pause = seconds / (len(blows) + 1)
    lines = []
    for name in blows:
        time.sleep(dice.uniform(0.3, 1.0) * pause)
        begun = time.monotonic()
        if name == "runner":
            _runner(world)
        else:
            world.weir.kill(name)
        if not world.weir.await_ready(35.0):
            world.weir.up()
            world.weir.await_ready()
        lines.append(f"kill -9 {name}: ready after {time.monotonic() - begun:.1f} s")
        print(lines[-1], flush=True)
    return lines


def _runner(world: World) -> None:
    process = world.weir.processes()["weir-worker"].identity.process()
    assert process is not None
    for each in process.children():
        if "view-runner" in each.cmdline():
            each.kill()
            psutil.wait_procs([each], timeout=10)


def _settled(reader: Any, name: str) -> Counter[tuple[Any, ...]]:
    """The rows, read until two readings agree: sessions are closed by a batch of their own, after the last record was read."""
    before: Counter[tuple[Any, ...]] | None = None
    while True:
        rows = Counter(row for row in map(_row, _rows(reader, name)) if not set(row) & {"end", -1})
        if rows == before:
            return rows
        before = rows
        time.sleep(SETTLED_S)


def _rows(reader: Any, name: str) -> Iterable[list[Any]]:
    cursor: str | None = None
    while True:
        more = {"cursor": cursor} if cursor else {}
        answer = reader.get(f"/views/{name}/rows", params={"limit": PAGE, **more})
        answer.raise_for_status()
        body = answer.json()
        yield from body["rows"]
        cursor = body["next"]
        if cursor is None:
            return


def _row(row: list[Any]) -> tuple[Any, ...]:
    """Times with three digits, as `moment` has them."""
    return tuple(_time(each) if isinstance(each, str) and each.endswith("Z") else each for each in row)


def _time(text: str) -> str:
    return moment(int(datetime.fromisoformat(text).timestamp() * 1000 + 0.5))
