"""The same records of JSON, Avro and Protobuf show the same values at every door, for five people; a right that ends, ends there.

Doors: SQL, exports, push queries, a view by REST, a masked copy for ordinary consumers, an agent's `run_query`. The ordinary run
has 50 records, and takes exports, push queries and agents by turns; `tail` has 1,000 records and asks every person at every door.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from confluent_kafka import Producer
from confluent_kafka.schema_registry import Schema
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from policies.access.identity import Identity
from policies.query.service import GovernedQuery
from tests.agent_client import Agent
from tests.effort import pace
from tests.view_world import ViewWorld, registry_client, view_world

pytestmark = [pytest.mark.integration, pytest.mark.slow]

Row = list[Any]
FORMATS = ("json", "avro", "protobuf")
EXPORTS = {
    "text/csv": "csv",
    "application/vnd.apache.arrow.stream": "arrow",
    "application/vnd.apache.parquet": "parquet",
}
PEOPLE = ("ana", "petra", "gita", "eva", "otto")
COLUMNS = ("id", "email", "phone", "town", "amount")
REVOKED_S = 5.0
PROTO = """
syntax = "proto3";
message Person { string id = 1; string email = 2; string phone = 3; string town = 4; int64 amount = 5; }
"""
AVRO = {
    "type": "record",
    "name": "Person",
    "fields": [{"name": name, "type": "long" if name == "amount" else "string"} for name in COLUMNS],
}
DECLARED = """
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "%s", schemaRegistry: {url: "%s"}}
---
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/*"}]}
---
kind: Role
metadata: {name: of-bonn}
spec: {inherits: [reader], rowFilters: [{dataset: "prod/*", where: "town = 'Bonn'"}]}
---
kind: User
metadata: {name: ana}
spec: {roles: [reader]}
---
kind: User
metadata: {name: petra}
spec: {roles: [reader], groups: [fraud]}
---
kind: User
metadata: {name: gita}
spec: {roles: [reader]}
---
kind: User
metadata: {name: eva}
spec: {roles: [of-bonn]}
---
kind: User
metadata: {name: otto}
spec: {}
---
kind: User
metadata: {name: keeper}
spec: {roles: [reader], groups: [keepers]}
---
kind: Policy
metadata: {name: mails}
spec:
  type: mask
  match: {tags: [EMAIL_ADDRESS]}
  mask: {type: MASK_HASH, params: {scope: shop}}
  except: {groups: [fraud, keepers]}
---
kind: Policy
metadata: {name: phones}
spec: {type: mask, match: {tags: [PHONE_NUMBER]}, mask: {type: MASK_SHOW_LAST_4}, except: {groups: [keepers]}}
"""
OF_TOPIC = """
kind: Dataset
metadata: {cluster: prod, name: "%(topic)s"}
spec:
  owners: [{user: otto}]
  fields:
  - {path: value.id, tags: []}
  - {path: value.email, tags: [EMAIL_ADDRESS]}
  - {path: value.phone, tags: [PHONE_NUMBER]}
  - {path: value.town, tags: []}
  - {path: value.amount, tags: []}
---
kind: Grant
metadata: {name: "g-%(topic)s"}
spec:
  subject: {user: gita}
  dataset: "prod/%(topic)s"
  purpose: support
  unmask: [value.email]
  validFrom: %(begin)s
  validTo: %(end)s
  status: approved
"""
VIEWS = """
kind: View
metadata: {name: "%(topic)s.rows"}
spec: {sql: "SELECT id, email, phone, town, amount FROM `%(topic)s`", key: [id], runAs: {user: keeper}}
---
kind: View
metadata: {name: "%(topic)s.masked"}
spec: {copyOf: "prod/%(topic)s", runAs: {user: ana}, sink: {cluster: prod, topic: "%(topic)s.masked"}}
"""


def people_of(count: int) -> list[dict[str, Any]]:
    towns = ("Bonn", "Köln", "Łódź", "")
    return [
        {
            "id": f"o{n:04}",
            "email": f"anna.keller{n}@example.org" if n % 7 else "ä b@ö.eu",
            "phone": f"+49 151 {n:08}" if n % 5 else "110",
            "town": towns[n % 4],
            "amount": (n - 3) * 10_000_000_019,
        }
        for n in range(count)
    ]


def canonical(rows: Sequence[Sequence[Any]]) -> bytes:
    """Rows as bytes, each once, by their first column."""
    unique = {json.dumps(list(row), ensure_ascii=False) for row in rows}
    return "\n".join(sorted(unique)).encode()


@dataclass
class Doors:
    """A topic of each format with the same records, a view and a masked copy of each."""

    world: ViewWorld
    topics: dict[str, str]
    bodies: dict[str, list[bytes]]
    records: list[dict[str, Any]]
    clients: dict[str, Any]
    agents: dict[str, Agent]

    def sql(self, form: str) -> str:
        return f"SELECT {', '.join(COLUMNS)} FROM prod.`{self.topics[form]}`"

    def ask(self, person: str, form: str, accept: str = "application/json") -> Any:
        body = {"sql": self.sql(form), "purpose": purpose_of(person), "limit": len(self.records)}
        return self.clients[person].post("/api/v1/query", json=body, headers={"Accept": accept})

    def by_sql(self, person: str, form: str) -> bytes:
        answer = self.ask(person, form)
        assert answer.status_code == 200, answer.text
        return canonical(answer.json()["rows"])

    def by_export(self, person: str, form: str, accept: str) -> bytes:
        answer = self.ask(person, form, accept)
        assert answer.status_code == 200, answer.text
        if accept == "text/csv":
            lines = list(csv.reader(io.StringIO(answer.text)))[1:]
            return canonical([[*map(unguarded, row[:4]), int(row[4])] for row in lines])
        data = io.BytesIO(answer.content)
        table = pq.read_table(data) if "parquet" in accept else pa.ipc.open_stream(data).read_all()
        return canonical([list(row.values()) for row in table.select(COLUMNS).to_pylist()])

    def by_view(self, person: str, form: str) -> bytes:
        rows: list[Row] = []
        cursor: str | None = None
        while True:
            answer = self.view_page(person, form, cursor)
            assert answer.status_code == 200, answer.text
            rows += answer.json()["rows"]
            cursor = answer.json().get("next")
            if not cursor:
                names = [each["name"] for each in answer.json()["columns"]]
                return canonical([[row[names.index(name)] for name in COLUMNS] for row in rows])

    def view_page(self, person: str, form: str, cursor: str | None = None) -> Any:
        asked = {"limit": 1000, "purpose": purpose_of(person), "cursor": cursor}
        params = {key: value for key, value in asked.items() if value is not None}
        return self.clients[person].get(f"/api/v1/views/{self.topics[form]}.rows/rows", params=params)

    def by_copy(self, form: str) -> bytes:
        """What an ordinary consumer reads of the copy for `ana`."""
        topic = f"{self.topics[form]}.masked"
        avro = AvroDeserializer(registry_client(self.world.registry))
        context = SerializationContext(topic, MessageField.VALUE)
        values = [value for _, value, _ in self.world.records(topic) if value]
        read = [avro(value, context) if value[:1] == b"\0" else json.loads(value) for value in values]
        return canonical([[row[name] for name in COLUMNS] for row in read])

    def by_agent(self, person: str, form: str) -> bytes:
        """By parts of a hundred records, as an answer for an agent has a size."""
        rows: list[Row] = []
        for first in range(0, len(self.records), 100):
            part = f"{self.sql(form)} WHERE id BETWEEN 'o{first:04}' AND 'o{first + 99:04}'"
            answer = self.agents[person].call("run_query", sql=part)
            assert not answer.failed, answer.text
            rows += answer.data["rows"]
        return canonical(rows)

    def live(self, person: str, form: str) -> Iterator[Any]:
        """A push query that has begun."""
        subject = self.world.services[Identity].current(person)
        events = self.world.services[GovernedQuery].stream(
            subject, f"{self.sql(form)} EMIT CHANGES", purpose_of(person)
        )
        assert next(e for e in events if e["type"] != "columns")["type"] == "idle"
        return events

    def produce(self, form: str) -> None:
        producer = Producer({"bootstrap.servers": self.world.kafka})
        for record, body in zip(self.records, self.bodies[form], strict=True):
            producer.produce(self.topics[form], body, record["id"], 0)
        assert producer.flush(30) == 0


def purpose_of(person: str) -> str | None:
    return "support" if person == "gita" else None


def unguarded(cell: str) -> str:
    """A cell of a CSV without the apostrophe that keeps spreadsheets from computing it."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in ("=", "+", "-", "@") else cell


def rows_of(events: Iterator[Any], count: int) -> bytes:
    rows: list[Row] = []
    while len(rows) < count:
        event = next(events)
        assert event["type"] != "end", event
        rows += event.get("rows", ())
    return canonical(rows)


def encoded(form: str, topic: str, registry: str, records: Sequence[dict[str, Any]]) -> list[bytes]:
    if form == "json":
        return [json.dumps(each, ensure_ascii=False).encode() for each in records]
    client = registry_client(registry)
    if form == "avro":
        serializer = AvroSerializer(client, json.dumps(AVRO))
        context = SerializationContext(topic, MessageField.VALUE)
        return [serializer(each, context) for each in records]
    number = client.register_schema(f"{topic}-value", Schema(PROTO, "PROTOBUF"))
    return [b"\0" + number.to_bytes(4, "big") + b"\0" + _message(each) for each in records]


def _message(record: dict[str, Any]) -> bytes:
    texts = [(number, str(record[name]).encode()) for number, name in enumerate(COLUMNS[:4], 1)]
    parts = [bytes([number << 3 | 2]) + _varint(len(text)) + text for number, text in texts if text]
    return b"".join(parts) + b"\x28" + _varint(record["amount"] % 2**64)


def _varint(number: int) -> bytes:
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


@pytest.fixture(
    scope="module", params=[50, pytest.param(1000, marks=pytest.mark.tail)], ids=lambda count: f"{count}-records"
)
def doors(request: pytest.FixtureRequest, stack: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    records = people_of(request.param)
    with view_world(tmp_path_factory.mktemp("doors"), stack) as world:
        settings = world.services[GovernedQuery]._settings
        settings.seconds = settings.export_seconds = 240
        world.apply(_documents(DECLARED % (world.kafka, world.registry)))
        topics = {form: world.topic(form, 1) for form in FORMATS}
        bodies = {form: encoded(form, topics[form], world.registry, records) for form in FORMATS}
        doors = Doors(world, topics, bodies, records, {name: world.user(name) for name in PEOPLE}, {})
        for form in FORMATS:
            doors.produce(form)
        world.scan(*topics.values())
        times = {"begin": "2026-01-01T00:00:00Z", "end": "2099-01-01T00:00:00Z"}
        for topic in topics.values():
            world.apply(_documents(OF_TOPIC % {"topic": topic, **times}))
        for form in FORMATS:
            world.apply(_documents(VIEWS % {"topic": topics[form]}))
        world.run()
        doors.agents = {name: _agent(doors, name) for name in PEOPLE}
        for topic in (topics[form] for form in FORMATS):
            world.until(f"{topic}.rows", lambda v: v["rows"] == len(records) and v["lag"]["records"] == 0)
            world.until(f"{topic}.masked", lambda v: v["state"] == "running" and v["lag"]["records"] == 0)
        try:
            yield doors
        finally:
            for topic in (topics[form] for form in FORMATS):
                for name in (f"{topic}.rows", f"{topic}.masked"):
                    world.admin.delete(f"/api/v1/declared/View/{name}")


def _documents(text: str) -> str:
    return "\n---\n".join(f"apiVersion: weir/v1\n{each.strip()}" for each in text.split("---\n"))


def _agent(doors: Doors, person: str) -> Agent:
    limits = {"name": f"of-{person}", "purpose": "support", "datasets": ["prod/*"], "rows": 1000, "rowsADay": 10_000}
    answer = doors.clients[person].post("/api/v1/agents", json=limits | {"expiresIn": "1d"})
    assert answer.status_code == 201, answer.text
    return Agent(doors.world.app, answer.json()["token"])


@pytest.mark.tail
def test_five_people_get_the_same_values_at_every_door(doors: Doors) -> None:
    whole = len(doors.records) == 1000
    begun = time.monotonic()
    wanted = {(person, form): doors.by_sql(person, form) for person in PEOPLE for form in FORMATS}
    for person in PEOPLE:
        assert len({wanted[person, form] for form in FORMATS}) == 1, f"{person}: formats differ"
    assert len(set(wanted.values())) == 3, "as ana: otto; as petra: gita; and eva, who has the rows of Bonn alone"
    assert b"anna.keller1@" not in wanted["ana", "json"] and b"anna.keller1@" in wanted["petra", "json"]
    for form, (person, why) in itertools.product(FORMATS, (("eva", "hidden from you"), ("otto", "No role, ownership"))):
        refused = doors.view_page(person, form)
        assert refused.status_code == 403 and why in refused.text
    seen: dict[tuple[str, str, str], bytes] = {}
    for form in FORMATS:
        seen["masked copy", "ana", form] = doors.by_copy(form)
    for at, (person, form) in enumerate(itertools.product(PEOPLE, FORMATS)):
        if person not in ("eva", "otto"):
            seen["view", person, form] = doors.by_view(person, form)
        mine = whole or form == FORMATS[PEOPLE.index(person) % len(FORMATS)]
        if mine:
            accept = list(EXPORTS)[at % len(EXPORTS)]
            seen[f"export {EXPORTS[accept]}", person, form] = doors.by_export(person, form, accept)
            seen["agent", person, form] = doors.by_agent(person, form)
    for form in FORMATS:
        streams = {
            person: doors.live(person, form)
            for person in PEOPLE
            if whole or form == FORMATS[PEOPLE.index(person) % len(FORMATS)]
        }
        doors.produce(form)
        for person, events in streams.items():
            count = wanted[person, form].count(b"\n") + 1
            seen["push query", person, form] = rows_of(events, count)
            events.close()  # type: ignore[attr-defined]
    differing = [" ".join(door) for door, rows in seen.items() if rows != expected(door[0], door[1], door[2], wanted)]
    print(
        f"{len(seen)} answers beside {len(wanted)} by SQL, {len(doors.records)} records, {time.monotonic() - begun:.0f} s"
    )
    assert not differing, differing


def expected(door: str, person: str, form: str, wanted: dict[tuple[str, str], bytes]) -> bytes:
    """As by SQL. A view needs a grant of its own: without one it shows `gita` what anybody with her roles sees."""
    return wanted["ana" if (door, person) == ("view", "gita") else person, form]


def test_a_grant_that_ends_is_over_at_every_door_within_five_seconds(doors: Doors) -> None:
    form, clear = "json", b"anna.keller1@"
    assert clear in doors.by_sql("gita", form)
    events = doors.live("gita", form)
    ended = doors.world.admin.delete(f"/api/v1/grants/g-{doors.topics[form]}")
    assert ended.status_code == 200, ended.text
    begun = time.monotonic()
    took: dict[str, float] = {}
    for door, ask in (
        ("SQL", lambda: doors.ask("gita", form)),
        ("export", lambda: doors.ask("gita", form, "text/csv")),
    ):
        answer = ask()
        assert clear not in answer.content, f"{door}: {answer.status_code}"
        took[door] = time.monotonic() - begun
    agent = doors.agents["gita"].call("run_query", sql=doors.sql(form))
    assert clear.decode() not in agent.text
    time.sleep(max(0.0, REVOKED_S * pace() - (time.monotonic() - begun)))
    doors.produce(form)
    rows: list[Row] = []
    for event in events:
        rows += event.get("rows", ())
        if event["type"] == "end" or len(rows) >= len(doors.records):
            break
    events.close()  # type: ignore[attr-defined]
    assert clear not in canonical(rows)
    print({door: round(seconds, 2) for door, seconds in took.items()})
