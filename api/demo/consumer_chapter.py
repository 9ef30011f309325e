"""The chapter of the ordinary consumer, on a secured stack: it loses the topic, and reads a masked copy from then on."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, TypedDict

from rich.markup import escape

from api.demo.client import ApiRefusal, Person, awaited
from api.demo.errors import DemoFailed
from api.demo.expect import known_addresses
from api.demo.produce import client
from api.demo.story import CLUSTER

TOPIC, PURPOSE = "users", "order-support"
"""Of orders nobody may see all: a map in it has keys that no scan has looked at."""
DECLARED = """
apiVersion: weir/v1
kind: ServiceAccount
metadata: {{name: {user}}}
spec: {{owner: ana, roles: [analyst], description: A service of the shop that reads accounts with a Kafka client of its own.}}
---
apiVersion: weir/v1
kind: Principal
metadata: {{name: {user}}}
spec:
  principals: ["User:{user}"]
  subject: {{serviceAccount: {user}}}
  consumerGroups: ["{user}-*"]
---
apiVersion: weir/v1
kind: User
metadata: {{name: otto}}
spec: {{groups: [team-orders, team-accounts], roles: [data-owner]}}
"""
"""otto decides for the team of the topic, too, which has nobody else here."""
_WAIT_S, _COPY_S, _READ_S = 60.0, 300.0, 60.0


class _Request(TypedDict):
    """An access request; approved, it has its grant."""

    id: str
    state: str
    grant: str


class _Right(TypedDict):
    """From which topic the consumer reads, and what it sees there."""

    state: str
    text: str
    topic: str


class ConsumerChapter:
    """What a consumer with confluent-kafka sees, beside what Weir decides."""

    def __init__(
        self,
        say: Callable[[str], None],
        people: tuple[Person, Person, Person, Person],
        kafka: str,
        login: tuple[str, str],
    ) -> None:
        """`people`: the admin, ana, otto and petra; `login`: user and password of the consumer."""
        self._say = say
        self._admin, self._ana, self._otto, self._petra = people
        self._user = login[0]
        self._settings = {
            "bootstrap.servers": kafka,
            **client(login),
            "auto.offset.reset": "earliest",
            "fetch.wait.max.ms": 100,
            "log_level": 0,
        }

    def tell(self) -> None:
        """Raises DemoFailed where the consumer reads what it should not, or not what it should."""
        from confluent_kafka import Consumer

        self._admin.apply(DECLARED.format(user=self._user))
        self._start_afresh()
        whole = self._approved(None)
        self._until("unmasked", _WAIT_S)
        raw = Consumer({**self._settings, "group.id": f"{self._user}-raw"})
        try:
            raw.subscribe([TOPIC])
            if not self._addresses(raw, 50):
                raise DemoFailed(f"The consumer has a grant for all of {TOPIC} and read no e-mail address of it.")
            self._say(f"{self._user} reads {TOPIC} unmasked, with its own Kafka client and an ACL that Weir made.")
            self._ana.delete(f"/api/v1/grants/{whole['grant']}", reason="the case is closed")
            self._say(f"ana gives the grant back; the broker refuses the next fetch {self._refused(raw):.1f} s later.")
        finally:
            raw.close()
        self._approved([])
        right = self._until("masked", _COPY_S)
        copy = Consumer({**self._settings, "group.id": f"{self._user}-copy"})
        try:
            copy.subscribe([right["topic"]])
            if seen := self._addresses(copy, 50):
                raise DemoFailed(f"The consumer read {len(seen)} e-mail addresses in the masked copy.")
        finally:
            copy.close()
        self._say(f"A request with all masks: {escape(right['text'])}")
        self._say(
            f"[dim]weir rights client {CLUSTER}/{TOPIC} --for-consumer {self._user} --as ana    prints its configuration[/]"
        )

    def _start_afresh(self) -> None:
        """Revoke what an earlier run granted."""
        for grant in self._admin.get("/api/v1/grants")["grants"]:
            if grant["status"] == "approved" and grant["consumer"] == f"User:{self._user}":
                self._admin.delete(f"/api/v1/grants/{grant['name']}", reason="the demo runs again")

    def _approved(self, unmask: list[str] | None) -> _Request:
        now = datetime.now(UTC)
        body = {
            "dataset": f"{CLUSTER}/{TOPIC}",
            "fields": ["*"],
            "unmask": unmask,
            "purpose": PURPOSE,
            "consumer": self._user,
            "from": now.isoformat(),
            "until": (now + timedelta(days=1)).isoformat(),
        }
        request: _Request = self._ana.post("/api/v1/access-requests", body)
        for person in (self._otto, self._petra, self._admin, self._petra):
            if request["state"] == "pending":
                with suppress(ApiRefusal):  # the stage that waits is another's
                    request = person.post(f"/api/v1/access-requests/{request['id']}/approve", {})
        if request["state"] != "approved":
            raise DemoFailed(f"The request for {self._user} is {request['state']}, and both stages approved it.")
        return request

    def _until(self, state: str, seconds: float) -> _Right:
        def look() -> _Right | None:
            right: _Right = self._ana.get("/api/v1/rights/consumer", dataset=f"{CLUSTER}/{TOPIC}", consumer=self._user)
            if right["state"] == "blocked":
                raise DemoFailed(f"{self._user} cannot read {TOPIC}: {right['text']}")
            return right if right["state"] == state else None

        return awaited(f"The right of {self._user} to read {TOPIC} {state}", look, seconds)

    def _addresses(self, consumer: Any, most: int) -> set[str]:
        """E-mail addresses that the demo planted, in the first records."""
        known, seen, records = known_addresses(), set[str](), 0
        deadline = time.monotonic() + _READ_S
        while records < most and time.monotonic() < deadline:
            message = consumer.poll(0.5)
            if message is None or message.error() is not None or message.value() is None:
                continue
            records += 1
            text = message.value().decode("utf-8", "replace")
            seen |= {address for address in known if address in text}
        if not records:
            raise DemoFailed(f"{self._user} read no record within {_READ_S:.0f} s.")
        return seen

    def _refused(self, consumer: Any) -> float:
        """Seconds until the broker refuses the topic."""
        from confluent_kafka import KafkaError

        began = time.monotonic()
        while time.monotonic() - began < _READ_S:
            message = consumer.poll(0.1)
            error = message.error() if message is not None else None
            if error is not None and error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                return time.monotonic() - began
        raise DemoFailed(f"{self._user} still reads {TOPIC} {_READ_S:.0f} s after its grant was revoked.")
