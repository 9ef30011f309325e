"""An instance with one topic of orders, and views over it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from benchmarks.faults.weir import Weir

WAIT_S = 3600.0
DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: bench}
spec: {bootstrapServers: "%s"}
---
apiVersion: weir/v1
kind: Role
metadata: {name: bench-reader}
spec: {read: [{dataset: "bench/*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: bench-reader}
spec: {roles: [bench-reader]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: bench-mail}
spec:
  type: mask
  match: {fields: [{dataset: "bench/*", path: value.email}]}
  subjects: {roles: [bench-reader]}
  mask: {type: MASK_HASH}
"""
SCHEMA = "id BIGINT, region STRING, amount DOUBLE, email STRING, note STRING"


class World:
    """Talks to the instance over HTTP as its administrator, and to its Kafka."""

    def __init__(self, weir: Weir) -> None:
        self.weir, addresses = weir, weir.addresses()
        self.kafka, self.spark = str(addresses["kafka"]), str(addresses["spark"])
        headers = {"Authorization": f"Bearer {weir.token()}"}
        self.http = httpx.Client(base_url=f"{weir.url}/api/v1", headers=headers, timeout=120)
        self._reader: httpx.Client | None = None
        self.post("/apply", content=(DECLARED % self.kafka).encode())

    def post(self, path: str, **body: Any) -> Any:
        answer = self.http.post(path, **body)
        if answer.is_error:
            raise RuntimeError(f"POST {path}: {answer.status_code} {answer.text}")
        return answer.json()

    def orders(self, topic: str, records: int, partitions: int = 2) -> None:
        """A topic of orders with the ids 0..records-1, scanned."""
        self.topic(topic, partitions)
        self.produce(topic, range(records))
        scan = self.post("/scans", json={"cluster": "bench", "topics": [topic]})
        self.until(lambda: self.http.get(f"/scans/{scan['id']}").json()["state"] in ("done", "failed"))

    def topic(self, name: str, partitions: int = 2) -> None:
        admin = AdminClient({"bootstrap.servers": self.kafka})
        for future in admin.create_topics([NewTopic(name, partitions, 1)]).values():
            future.result(30)

    def produce(self, topic: str, ids: Any) -> None:
        producer = Producer({"bootstrap.servers": self.kafka, "linger.ms": 50, "queue.buffering.max.messages": 200_000})
        for number in ids:
            while True:
                try:
                    producer.produce(topic, order(number), str(number).encode())
                    break
                except BufferError:
                    producer.poll(0.1)
        producer.flush(120)

    def view(self, name: str, sql: str, key: str | None = None, more: str = "") -> None:
        """Declare a view."""
        keyed = f"  key: [{key}]\n" if key else ""
        text = f"apiVersion: weir/v1\nkind: View\nmetadata: {{name: {name}}}\nspec:\n  sql: {json.dumps(sql)}\n"
        self.post("/apply", content=f"{text}  runAs: {{user: bench-reader}}\n{keyed}{more}".encode())

    def shown(self, name: str) -> dict[str, Any]:
        try:
            shown: dict[str, Any] = self.http.get(f"/views/{name}").json()
        except (httpx.HTTPError, ValueError):  # while the API is started again
            return {"state": "unknown", "counts": None}
        if shown.get("state") == "failed":
            raise RuntimeError(f"{name} failed: {shown['error']}")
        return shown

    def current(self, name: str) -> dict[str, Any]:
        """Wait until the rows contain what the sources have."""
        shown: dict[str, Any] = {}

        def there() -> bool:
            shown.update(self.shown(name))
            return bool(shown["state"] == "running" and shown["lag"]["records"] == 0)

        self.until(there)
        return shown

    def row(self, name: str, key: int) -> bool:
        """Whether the view has a row of the key, for the one it runs as."""
        answer = self.reader().get(f"/views/{name}/rows", params={"key": key})
        if answer.is_error:
            raise RuntimeError(f"rows of {name}: {answer.status_code} {answer.text}")
        return bool(answer.json()["rows"])

    def reader(self) -> httpx.Client:
        """HTTP as the one that the views run as."""
        if self._reader is None:
            headers = {"Authorization": f"Bearer {self.weir.token('bench-reader')}"}
            self._reader = httpx.Client(base_url=self.http.base_url, headers=headers, timeout=60)
        return self._reader

    def delete(self, name: str) -> None:
        """Delete a view and wait until nothing of it runs."""
        self.http.delete(f"/declared/View/{name}").raise_for_status()
        time.sleep(2)

    def until(self, done: Callable[[], bool], seconds: float = WAIT_S) -> None:
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                raise TimeoutError(f"not done after {seconds:.0f} s")
            time.sleep(0.1)


def order(number: int) -> bytes:
    """About 150 bytes."""
    return json.dumps(
        {
            "id": number,
            "region": f"r{number % 100}",
            "amount": number % 1000 / 4,
            "email": f"p{number}@example.org",
            "note": "a word or two about the order",
        }
    ).encode()
