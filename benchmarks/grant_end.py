"""From the end of a grant to the broker that refuses the next fetch of an ordinary consumer: seconds, 50 tries.

    weir test --bench grant_end             25 grants that are revoked, 25 that end by their time
    weir test --bench grant_end --tries 10

Starts a Kafka of its own with TLS, passwords and an authorizer. Weir's other servers are twins in memory; its duty that keeps
rights runs every second, as in the worker. Seconds are by the clock, from the request that revokes, or the moment that the grant
ends, to the first TOPIC_AUTHORIZATION_FAILED of a confluent-kafka consumer that reads all the time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from catalog.broker_acls import BrokerAcl, Operation, Pattern, Resource
from policies.broker_rights.watch import RightsWatch
from tests.api_world import ApiWorld, orders, world
from tests.e2e.test_rights_kept_at_real_brokers import DECLARED, SignedIn
from tests.secured_kafka import APP, SecuredKafka, secured_kafka

MOST_S = 5.0
RAW = BrokerAcl(Resource.TOPIC, Pattern.LITERAL, "orders", f"User:{APP}", "*", Operation.READ, True)
_OPEN_S = 15.0
"""How long a grant that ends by its time is open: the ACL has to be made and the consumer has to read before."""
_WAIT_S = 60.0


@contextmanager
def _worker(weir: ApiWorld) -> Iterator[None]:
    watch, stop = weir.services[RightsWatch], threading.Event()

    def repeat() -> None:
        while not stop.wait(1.0):
            watch.step()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(30)


def _grant(weir: ApiWorld, name: str, end: datetime) -> None:
    spec = {
        "subject": {"user": "shop"},
        "dataset": "prod/orders",
        "purpose": "audit",
        "unmask": ["*"],
        "status": "approved",
        "validFrom": "2026-01-01T00:00:00Z",
        "validTo": end.isoformat(),
        "consumer": "User:app",
    }
    document = {"apiVersion": "weir/v1", "kind": "Grant", "metadata": {"name": name}, "spec": spec}
    weir.apply(json.dumps(document))


def _until(consumer: Any, fits: Callable[[Any], bool]) -> float:
    """The moment, by `time.time`, at which a message or an error fits."""
    deadline = time.monotonic() + _WAIT_S
    while time.monotonic() < deadline:
        message = consumer.poll(0.05)
        if message is not None and fits(message):
            return time.time()
    raise TimeoutError(f"nothing came within {_WAIT_S:.0f} s")


def one_try(kafka: SecuredKafka, weir: ApiWorld, number: int, revoked: bool) -> float:
    """Seconds from the end of a grant to the refusal."""
    from confluent_kafka import Consumer, KafkaError

    name, end = f"g-{number}", datetime.now(UTC) + timedelta(seconds=3600 if revoked else _OPEN_S)
    _grant(weir, name, end)
    deadline = time.monotonic() + _WAIT_S
    while RAW not in SignedIn(kafka).read({}, []).acls:
        assert time.monotonic() < deadline, "the ACL of the grant was not made"
        time.sleep(0.1)
    consumer = Consumer(
        {
            **kafka.client(APP),
            "group.id": f"shop-{number}",
            "auto.offset.reset": "earliest",
            "fetch.wait.max.ms": 100,
            "log_level": 0,
        }
    )
    try:
        consumer.subscribe(["orders"])
        _until(consumer, lambda m: m.error() is None)
        began = end.timestamp()
        if revoked:
            began = time.time()
            answer = weir.admin.delete(f"/api/v1/declared/Grant/{name}")
            assert answer.status_code == 200, answer.text
        refused = _until(
            consumer, lambda m: m.error() is not None and m.error().code() == KafkaError.TOPIC_AUTHORIZATION_FAILED
        )
    finally:
        consumer.close()
        if not revoked:
            weir.admin.delete(f"/api/v1/declared/Grant/{name}")
    return refused - began


def measured(folder: Path, tries: int) -> tuple[list[float], list[float]]:
    """Seconds of the tries that are revoked, and of those that end by their time."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    (folder / "kafka").mkdir()
    with secured_kafka(folder / "kafka", authorizer=True) as kafka:
        admin = AdminClient({**kafka.client(), "log_level": 0})
        admin.create_topics([NewTopic("orders", 1)])["orders"].result(30)
        producer = Producer({**kafka.client(), "log_level": 0})
        producer.produce("orders", b"{}")
        producer.flush(30)
        acls = SignedIn(kafka)
        with world(folder / "weir", {"orders": orders(50)}, acl_reader=acls, acl_writer=acls) as weir:
            weir.apply(DECLARED)
            weir.scan(cluster="prod", topics=["orders"])
            with _worker(weir):
                seconds = [one_try(kafka, weir, number, number % 2 == 0) for number in range(tries)]
    return seconds[::2], seconds[1::2]


def _words(seconds: Sequence[float]) -> str:
    return f"median {statistics.median(seconds):.2f} s, most {max(seconds):.2f} s of {len(seconds)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 when the limit was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=50)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="weir-grant-end-") as folder:
        revoked, timed = measured(Path(folder), given.tries)
    every = sorted([*revoked, *timed])
    p99 = every[min(len(every) - 1, int(0.99 * len(every)))]
    print(f"revoked: {_words(revoked)}")
    print(f"ended by time: {_words(timed)}")
    print(
        f"the broker refused after {statistics.median(every):.2f} s (median), {p99:.2f} s (p99); limit {MOST_S:.0f} s"
    )
    return int(p99 > MOST_S)


if __name__ == "__main__":
    sys.exit(main())
