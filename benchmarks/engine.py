"""Honest clients beside twenty statements that each could stop the service for everybody.

    weir test --bench engine            some five minutes: ten clients for a minute alone, then beside the statements
    weir test --bench engine --seconds 60    the limit of seconds of a query that Weir itself ships with

Starts an instance of its own: Kafka, the engine of queries, and Weir's API. "Failed" counts every answer of an honest
client that is not its rows: what was running when the engine ended, and what came while it was starting again.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from stack import Instance, ProcessSpec, StackSettings

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent
HONEST = 10
TOPIC = "orders"
_TOWER = "WITH c0 AS (SELECT n FROM orders), " + ", ".join(
    f"c{i} AS (SELECT a.n FROM c{i - 1} a JOIN c{i - 1} b ON a.n = b.n)" for i in range(1, 22)
)
_SUMS = " + ".join(f"length(repeat(id, {i + 2}))" for i in range(40))
STATEMENTS = {
    "sequence of all hours": "SELECT size(sequence(timestamp'0001-01-01', timestamp'9999-12-31', INTERVAL 1 HOUR))",
    "list of a cross join": "SELECT size(collect_list(concat(a.id, b.id, c.id))) FROM orders a CROSS JOIN orders b CROSS JOIN"
    " orders c",
    "product of ranges": "SELECT sum(sqrt(a.id * 1.0 + b.id)) FROM range(10000000) a CROSS JOIN range(10000000) b",
    "tower of 21 joins": _TOWER + " SELECT count(*) FROM c21",
    "exact percentile": "SELECT percentile(a.n * 4000000 + b.n * 2000 + c.n, 0.5) FROM orders a CROSS JOIN orders b CROSS JOIN"
    " orders c",
    "set of a cross join": "SELECT size(collect_set(a.n * 4000000 + b.n * 2000 + c.n)) FROM orders a CROSS JOIN orders b"
    " CROSS JOIN orders c",
    "groups of a cross join": "SELECT count(*) FROM (SELECT a.id, b.id, c.id, count(*) FROM orders a CROSS JOIN orders b CROSS"
    " JOIN orders c GROUP BY 1, 2, 3)",
    "window over all rows": "SELECT max(x) FROM (SELECT row_number() OVER (ORDER BY a.n, b.n, c.n) AS x FROM orders a CROSS JOIN"
    " orders b CROSS JOIN orders c)",
    "distinct of a cross join": "SELECT count(DISTINCT a.id || b.id || c.id) FROM orders a CROSS JOIN orders b CROSS JOIN"
    " orders c",
    "order of a cross join": "SELECT a.id FROM orders a CROSS JOIN orders b CROSS JOIN orders c ORDER BY a.amount * b.amount"
    " LIMIT 9",
    "exploded sequences": "SELECT sum(x * y * z) FROM (SELECT explode(sequence(1, 10000)) AS x) CROSS JOIN (SELECT"
    " explode(sequence(1, 10000)) AS y) CROSS JOIN (SELECT explode(sequence(1, 10000)) AS z)",
    "text of a cross join": "SELECT length(array_join(collect_list(a.id || b.id), ',')) FROM orders a CROSS JOIN orders b CROSS"
    " JOIN range(1000)",
    "map of a cross join": "SELECT size(map_from_entries(collect_list(struct(a.n * 2000 + b.n, a.id)))) FROM orders a CROSS JOIN"
    " orders b CROSS JOIN range(100)",
    "long texts": f"SELECT sum({_SUMS}) FROM orders a CROSS JOIN range(100000)",
    "patterns": "SELECT count(*) FROM orders a CROSS JOIN orders b WHERE regexp_replace(repeat(a.id || b.id, 50), '[0-9]*o[0-9]*x',"
    " '') = 'y'",
    "nine self joins": "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e, orders f, orders g, orders h,"
    " orders i WHERE a.n + b.n + c.n + d.n + e.n + f.n + g.n + h.n = i.n",
    "cube": "SELECT count(*) FROM (SELECT id, n, amount, region, count(*) FROM orders CROSS JOIN (SELECT id AS i FROM"
    " range(10000)) GROUP BY CUBE (id, n, amount, region, id || region, n + amount, amount * 2, n * 3, n * 5, n * 7))",
    "correlated counts": "SELECT sum((SELECT count(*) FROM orders b JOIN orders c ON b.n < c.n WHERE b.n + c.n > a.n)) FROM"
    " orders a",
    "running list": "SELECT sum(size(l)) FROM (SELECT collect_list(a.id) OVER (ORDER BY a.n, b.n) AS l FROM orders a CROSS JOIN"
    " orders b)",
    "wide rows": "SELECT max(s) FROM (SELECT array_repeat(a.id || b.id, 10000) AS s FROM orders a CROSS JOIN orders b) ORDER BY 1",
}
QUESTIONS = (
    "SELECT id, amount FROM orders WHERE n > 1900 ORDER BY n LIMIT 50",
    "SELECT region, count(*), sum(amount) FROM orders GROUP BY region",
    "SELECT * FROM orders LIMIT 20",
)


@dataclass
class Honest:
    """What honest clients met. `seconds` of those that were answered, `longest` of all."""

    seconds: list[float] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    longest: float = 0.0

    @property
    def asked(self) -> int:
        return len(self.seconds) + sum(self.failed.values())

    def note(self, status: int, body: dict[str, Any], took: float) -> None:
        """An answer that came after so many seconds. Callers take turns."""
        self.longest = max(self.longest, took)
        if status == 200:
            self.seconds.append(took)
        else:
            self.failed[f"{status} {body.get('error', {}).get('code', 'no answer')}"] += 1

    def percentile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")

    def line(self) -> str:
        failed = ", ".join(f"{count} x {what}" for what, count in sorted(self.failed.items())) or "none"
        return (
            f"{self.asked} asked, p50 {self.percentile(0.5):.2f} s, p95 {self.percentile(0.95):.2f} s, longest"
            f" {self.longest:.1f} s, failed: {failed}"
        )


@dataclass(frozen=True)
class Door:
    """A Weir with ten honest users, `honest0`..., and `mallory` and `malik`."""

    url: str
    tokens: dict[str, str]
    instance: Instance

    def ask(self, user: str, sql: str, timeout: float) -> tuple[int, dict[str, Any], dict[str, str]]:
        """Status, body and headers; status 0 where nothing came in time."""
        try:
            answer = httpx.post(
                f"{self.url}/api/v1/query",
                json={"sql": sql},
                headers={"Authorization": f"Bearer {self.tokens[user]}"},
                timeout=timeout,
            )
        except httpx.TimeoutException:
            return 0, {}, {}
        return answer.status_code, answer.json(), dict(answer.headers)

    def engine_pid(self) -> int | None:
        return next((row["pid"] for row in self.instance.status() if row["name"] == "query"), None)


@contextlib.contextmanager
def door(settings: dict[str, str]) -> Iterator[Door]:
    """An instance of its own, ended behind the block."""
    with tempfile.TemporaryDirectory(prefix="weir-engine-") as folder:
        free = {f"{name}_port": 0 for name in ("kafka", "registry", "neo4j", "elasticsearch", "spark", "query")}
        instance = Instance(Path(folder) / "home", StackSettings(**free))
        port = instance.port("weir", 0)
        url = f"http://127.0.0.1:{port}"

        def answers() -> bool:
            with contextlib.suppress(httpx.HTTPError):
                return httpx.get(f"{url}/healthz", timeout=2).is_success
            return False

        env = {"WEIR_HOME": str(instance.home.root), "WEIR_API__PORT": str(port), "PYTHONPATH": str(ROOT), **settings}
        serve = ProcessSpec("weir", (sys.executable, "-m", "api", "server", "api"), env, answers, port, url)
        strange = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("WEIR_")}
        try:
            addresses = instance.up(detach=True, only=["kafka", "query"], extra=[serve])
            yield Door(url, _people(url, instance.home.root, addresses.kafka), instance)
        finally:
            os.environ.update(strange)
            instance.down()


def _people(url: str, home: Path, kafka: str) -> dict[str, str]:
    """Records in the topic, its declaration, and the users' tokens."""
    admin_client = AdminClient({"bootstrap.servers": kafka})
    admin_client.create_topics([NewTopic(TOPIC, 2, 1)])[TOPIC].result(60)
    producer = Producer({"bootstrap.servers": kafka})
    for n in range(2000):
        producer.produce(
            TOPIC, f'{{"id": "o{n}", "amount": {n / 4}, "region": "{["EU", "US"][n % 2]}", "n": {n}}}', f"k{n}"
        )
    assert producer.flush(30) == 0
    users = [*(f"honest{i}" for i in range(HONEST)), "mallory", "malik"]
    fields = "".join(
        f"    - {{path: {path}, tags: []}}\n" for path in ("key", "value.id", "value.amount", "value.region", "value.n")
    )
    documents = [
        f"kind: Cluster\nmetadata: {{name: bench}}\nspec: {{type: kafka, bootstrapServers: '{kafka}'}}",
        f"kind: Dataset\nmetadata: {{name: {TOPIC}, cluster: bench}}\nspec:\n  format: {{key: text, value: json}}\n"
        f"  schema: {{spark: 'id STRING, amount DOUBLE, region STRING, n BIGINT'}}\n  fields:\n{fields}",
        "kind: Role\nmetadata: {name: reader}\nspec: {read: [{dataset: 'bench/*'}]}",
        *(f"kind: User\nmetadata: {{name: {user}}}\nspec: {{roles: [reader]}}" for user in users),
    ]
    admin = {"Authorization": f"Bearer {(home / 'admin.token').read_text().strip()}"}
    text = "\n---\n".join(f"apiVersion: weir/v1\n{document}" for document in documents)
    headers = admin | {"Content-Type": "application/yaml"}
    applied = httpx.post(f"{url}/api/v1/apply", content=text.encode(), headers=headers, timeout=60)
    assert applied.is_success, applied.text[:600]
    answers = {
        user: httpx.post(f"{url}/api/v1/tokens", json={"user": user}, headers=admin, timeout=60) for user in users
    }
    return {user: str(answer.json()["token"]) for user, answer in answers.items()}


def side_by_side(client: Callable[[T], None], callers: Iterable[T]) -> None:
    """Run a client for each caller, all at a time, until every one has ended."""
    threads = [threading.Thread(target=client, args=(caller,)) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def honest(door: Door, over: threading.Event, limit: float) -> Honest:
    """Ten clients that ask one after another until it is over; one that is put off asks again after the time in the answer."""
    met, lock = Honest(), threading.Lock()

    def client(number: int) -> None:
        for sql in itertools.cycle(QUESTIONS):
            if over.is_set():
                return
            begun = time.monotonic()
            status, body, headers = door.ask(f"honest{number}", sql, limit)
            took = time.monotonic() - begun
            with lock:
                met.note(status, body, took)
            over.wait(min(5.0, float(headers.get("retry-after", 0.5))) if status != 200 else 0.1)

    side_by_side(client, range(HONEST))
    return met


def hostile(door: Door, statements: Sequence[str], limit: float) -> dict[str, tuple[int, float, str]]:
    """Each statement once, two at a time by two users: its status, seconds and message."""
    left, answers, lock = list(statements), {}, threading.Lock()

    def client(user: str) -> None:
        while True:
            with lock:
                if not left:
                    return
                name = left.pop(0)
            begun = time.monotonic()
            status, body, _ = door.ask(user, STATEMENTS[name], limit)
            message = str(body.get("error", {}).get("message", ""))
            with lock:
                answers[name] = (status, time.monotonic() - begun, message)

    side_by_side(client, ("mallory", "malik"))
    return answers


def beside(door: Door, statements: Sequence[str], limit: float) -> tuple[Honest, dict[str, tuple[int, float, str]]]:
    """Honest clients for as long as the statements take."""
    over, results = threading.Event(), []
    clients = threading.Thread(target=lambda: results.append(honest(door, over, limit)))
    clients.start()
    try:
        answers = hostile(door, statements, limit)
    finally:
        over.set()
        clients.join()
    return results[0], answers


def alone(door: Door, seconds: float, limit: float) -> Honest:
    """Honest clients with nobody beside them."""
    over = threading.Event()
    threading.Timer(seconds, over.set).start()
    return honest(door, over, limit)


def ready_again(door: Door, before: int | None, seconds: float = 90) -> float:
    """Seconds until another engine answers a query; raises TimeoutError."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        if door.engine_pid() != before and door.ask("honest0", QUESTIONS[1], 60)[0] == 200:
            return time.monotonic() - begun
        time.sleep(0.2)
    raise TimeoutError("the engine did not come back")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20, help="how long a query may run")
    chosen = parser.parse_args()
    write, limit = sys.stdout.write, chosen.seconds + 30
    with door({"WEIR_QUERY__SECONDS": str(chosen.seconds)}) as opened:
        alone(opened, 20, limit)  # warm
        write(f"alone:  {alone(opened, 60, limit).line()}\n")
        met, answers = beside(opened, list(STATEMENTS), limit)
        write(f"beside: {met.line()}\n")
        for name, (status, seconds, message) in answers.items():
            write(f"  {name:<26}{status:>4}{seconds:>7.1f} s  {message[:110]}\n")
        write(f"  longest of the twenty {max(s for _, s, _ in answers.values()):.1f} s\n")
        back = []
        for _ in range(3):
            before = opened.engine_pid()
            if before is None:
                break
            os.kill(before, 9)
            back.append(ready_again(opened, before))
        write(
            f"killed and ready again: {', '.join(f'{each:.1f} s' for each in back)}"
            f" (median {statistics.median(back):.1f} s)\n"
        )
        for row in opened.instance.status():
            if row["name"] == "query":
                write(f"memory of the engine: {row['memory'] / 1e6:.0f} MB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
