"""A small world for tests of governed queries: two stores that differ only in what one subject may not see.

`orders` holds a masked or denied value of every kind and rows that a filter hides; `people` joins with it. Store "b"
has other hidden values and other hidden rows, more of them. For the subject of the tests both must be the same.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from catalog.datatypes import STRING, Primitive, StructType, leaves, parse_ddl
from catalog.errors import DatasetNotFound
from catalog.model import DatasetId
from catalog.paths import KEY, VALUE
from policies.masks.keys import MaskKeys
from policies.model import (
    ColumnDecision,
    DatasetFacts,
    Decision,
    Effect,
    FieldFacts,
    Mask,
    MaskType,
    Reason,
    RowFilter,
    Subject,
)
from policies.plan.model import PartRead
from policies.plan.ports import QueryRecord, QueryTable

KEYS = MaskKeys(b"a secret for tests, sixteen or more")
ANA = Subject("ana", roles=frozenset({"analyst"}))

ORDERS = parse_ddl(
    "order_id STRING, customer STRUCT<name: STRING, email: STRING, phone: STRING, born: STRING>, amount DECIMAL(12,2),"
    " card BIGINT, salary DOUBLE, items ARRAY<STRUCT<sku: STRING, qty: INT, gift_email: STRING>>,"
    " attributes MAP<STRING, STRING>, contacts MAP<STRING, INT>, created_at TIMESTAMP, ip STRING, note STRING,"
    " vip BOOLEAN, region STRING, secret STRUCT<pin: INT, hint: STRING>"
)
PEOPLE = parse_ddl("id STRING, email STRING, city STRING, level INT")
ORDER_MASKS = {
    "value.customer.name": MaskType.MASK,
    "value.customer.email": "EMAIL_DOMAIN",
    "value.customer.phone": "MASK_SHOW_LAST_4",
    "value.customer.born": "MASK_DATE_SHOW_YEAR",
    "value.card": MaskType.MASK,
    "value.salary": MaskType.MASK_NULL,
    "value.items[].gift_email": "EMAIL_DOMAIN",
    "value.attributes{contact}": MaskType.MASK,
    "value.contacts@keys": MaskType.MASK,
    "value.ip": "TRUNCATE_IP",
    "value.vip": MaskType.MASK,
    "key": MaskType.MASK,
    "headers.actor": "EMAIL_DOMAIN",
}
PEOPLE_MASKS = {"value.email": "EMAIL_DOMAIN"}
DENIED = ("value.note", "value.secret.pin", "value.secret.hint")
FILTER = "region = 'EU'"

# Hidden values, of one length and kind per place so that the masks give the same for both stores.
HIDDEN: dict[str, dict[str, Any]] = {
    "a": {
        "name": "Anna",
        "local": "anna",
        "phone": "+49301112",
        "day": "03-14",
        "card": 4111111111111111,
        "salary": 91234.5,
        "contact": "0171 555",
        "friend": "bert",
        "ip": "77",
        "vip": True,
        "note": "owes 900",
        "pin": 1234,
        "key": "k",
        "actor": "otto",
    },
    "b": {
        "name": "Zora",
        "local": "zoraz",
        "phone": "+33102223",
        "day": "11-30",
        "card": 5500000000000004,
        "salary": -3.25,
        "contact": "0199 000",
        "friend": "zeno",
        "ip": "201",
        "vip": False,
        "note": "has 10 euros",
        "pin": 98,
        "key": "q",
        "actor": "mona",
    },
}
CANARIES = (
    "4111111111111111",
    "5500000000000004",
    "91234.5",
    "+49301112",
    "+33102223",
    "owes 900",
    "has 10 euros",
    "anna0@",
    "zoraz0@",
    "0171 555",
    "0199 000",
)


def order(i: int, store: str, region: str, amount: float) -> dict[str, Any]:
    h = HIDDEN[store]
    return {
        "order_id": f"o{i}",
        "customer": {
            "name": f"{h['name']} K",
            "email": f"{h['local']}{i}@example{i % 3}.eu",
            "phone": f"{h['phone']}{1000 + i}",
            "born": f"{1960 + i}-{h['day']}",
        },
        "amount": amount,
        "card": h["card"] + i,
        "salary": h["salary"] * (i + 1),
        "items": [{"sku": f"s{j}", "qty": j + i, "gift_email": f"{h['local']}@gift.de"} for j in range(i % 3)],
        "attributes": {"contact": h["contact"], "color": ["red", "green"][i % 2]},
        "contacts": {h["friend"]: i},
        "created_at": f"2026-01-{i % 27 + 1:02d}T10:00:00Z",
        "ip": f"10.1.{i}.{h['ip']}",
        "note": h["note"],
        "vip": h["vip"],
        "region": region,
        "secret": {"pin": h["pin"], "hint": h["note"]},
    }


def visible(store: str) -> list[dict[str, Any]]:
    records = [order(i, store, "EU", 10.0 + i) for i in range(12)]
    records[5]["customer"] = None
    records[6]["items"] = None
    records[7]["amount"] = None
    return records


def hidden(store: str) -> list[dict[str, Any]]:
    """Rows the filter hides: values that make a division, a cast or an index fail if they are ever looked at."""
    count, amount = (7, 5.0) if store == "a" else (11, 6.0)
    rows = [order(100 + i, store, "US", amount) for i in range(count)]
    for row in rows:
        row["order_id"] = "not a number" if store == "a" else "12"
    return rows


def people(store: str) -> list[dict[str, Any]]:
    h = HIDDEN[store]
    return [
        {"id": f"o{i}", "email": f"{h['local']}{i}@example{i % 3}.eu", "city": ["Bonn", "Köln"][i % 2], "level": i}
        for i in range(8)
    ]


def _decide(facts: DatasetFacts) -> Decision:
    masks = ORDER_MASKS if facts.reference.endswith("orders") else PEOPLE_MASKS
    columns = []
    for each in facts.fields:
        mask = masks.get(each.path)
        if each.path in DENIED:
            reasons: tuple[Reason, ...] = (Reason("policy", "deny-notes", "notes are for the owner"),)
            columns.append(ColumnDecision(each.path, Effect.DENY, reasons=reasons))
            continue
        if mask is None:
            columns.append(ColumnDecision(each.path, Effect.ALLOW))
            continue
        reasons = (Reason("policy", f"mask-{mask.lower()}", f"{mask} holds"), Reason("tag", "PII", "98% of 1,000"))
        columns.append(ColumnDecision(each.path, Effect.ALLOW, Mask(mask), reasons=reasons))
    filters = (RowFilter(facts.reference, FILTER),) if facts.reference.endswith("orders") else ()
    return Decision(facts.id, facts.reference, Effect.ALLOW, tuple(columns), filters)


def facts(reference: str, kind: StructType, more: tuple[str, ...] = ()) -> DatasetFacts:
    paths = [str(path) for path, _ in leaves(kind, VALUE)] + [str(KEY), *more]
    return DatasetFacts(
        DatasetId("kafka://tests", reference.split("/")[1]), reference, tuple(FieldFacts(p) for p in paths)
    )


@dataclass
class World:
    """One store: implements TableSource, Decider and QueryAudit."""

    store: str
    kafka: str
    topics: dict[str, str]
    entries: list[QueryRecord] = field(default_factory=list)
    denied: bool = False
    looked: float = 0.0
    """When a denial was first given; monotonic."""

    def find(self, name: str) -> QueryTable:
        short = name.removeprefix("prod.")
        if short not in self.topics:
            raise DatasetNotFound(f"There is no dataset {name!r}; did you mean orders?", details={"nearest": "orders"})
        kind = ORDERS if short == "orders" else PEOPLE
        more = ("headers.actor", "headers.trace", "value.attributes{contact}") if short == "orders" else ()
        return QueryTable(
            f"prod/{short}",
            self.topics[short],
            facts(f"prod/{short}", kind, more),
            {"kafka.bootstrap.servers": self.kafka},
            PartRead("text", STRING),
            PartRead("json", kind),
        )

    def facts(self, reference: str) -> DatasetFacts:
        return self.find(reference.replace("/", ".")).facts

    def __call__(self, subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
        if self.denied:
            self.looked = self.looked or time.monotonic()
            reasons = (Reason("default", "deny", "no role or grant opens this dataset"),)
            return Decision(facts.id, facts.reference, Effect.DENY, reasons=reasons)
        return _decide(facts)

    def record(self, entry: QueryRecord) -> None:
        self.entries.append(entry)


# The records carry an old time, and a broker forgets what is older than a week.
KEEP = {"retention.ms": "-1"}


def premasked(store: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What the asker may see of (orders, people), masked by the Python reference: the stored data as if it were so."""
    from policies.masks import reference

    def mask(kind: Any, value: Any, type_: str) -> Any:
        return reference.apply(Mask(type_), value, kind, KEYS)

    text, big, double = STRING, Primitive("BIGINT"), Primitive("DOUBLE")
    h = HIDDEN[store]
    orders = []
    for i, row in enumerate(visible(store)):
        shown = {k: v for k, v in row.items() if k not in ("note", "secret")}
        if shown["customer"] is not None:
            shown["customer"] = {
                k: mask(text, v, ORDER_MASKS[f"value.customer.{k}"]) for k, v in row["customer"].items()
            }
        shown["card"], shown["salary"], shown["vip"] = mask(big, row["card"], MaskType.MASK), None, None
        assert mask(double, row["salary"], MaskType.MASK_NULL) is None
        if shown["items"] is not None:
            shown["items"] = [{**x, "gift_email": mask(text, x["gift_email"], "EMAIL_DOMAIN")} for x in row["items"]]
        shown["attributes"] = {
            k: mask(text, v, MaskType.MASK) if k == "contact" else v for k, v in row["attributes"].items()
        }
        shown["contacts"] = {mask(text, k, MaskType.MASK): v for k, v in row["contacts"].items()}
        shown["ip"] = mask(text, row["ip"], "TRUNCATE_IP")
        shown["_key"] = mask(text, f"{h['key']}{i}", MaskType.MASK)
        shown["_headers"] = {"actor": mask(text, f"{h['actor']}@shop.de", "EMAIL_DOMAIN"), "trace": f"t{i}"}
        shown["_timestamp"] = "2026-01-01T00:00:00Z"
        orders.append(shown)
    humans = []
    for i, row in enumerate(people(store)):
        more = {"_key": f"{i}", "_headers": {}, "_partition": 0, "_offset": i, "_timestamp": "2026-01-01T00:00:00Z"}
        humans.append({**row, "email": mask(text, row["email"], "EMAIL_DOMAIN"), **more})
    return orders, humans


def messages(store: str) -> Iterator[tuple[str, int, bytes, bytes, list[tuple[str, bytes]]]]:
    """(topic, partition, key, value, headers) of everything in a store."""
    h = HIDDEN[store]
    rows, unseen = visible(store), hidden(store)
    for i, row in enumerate(rows):
        headers = [
            ("actor", f"{h['actor']}@shop.de".encode()),
            ("trace", f"t{i}".encode()),
            ("new", h["note"].encode()),
        ]
        yield "orders", 0, f"{h['key']}{i}".encode(), json.dumps(row).encode(), headers
        if i < len(unseen):
            yield "orders", 0, f"{h['key']}{i}".encode(), json.dumps(unseen[i]).encode(), headers
    yield "orders", 0, b"k", b"{broken " + h["note"].encode(), []
    for i, row in enumerate(people(store)):
        yield "people", 0, f"{i}".encode(), json.dumps(row).encode(), []


def load(kafka: str, store: str) -> World:
    """Write a store to Kafka, under topic names of its own."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    mark = uuid.uuid4().hex[:8]
    topics = {name: f"policies-{name}-{store}-{mark}" for name in ("orders", "people")}
    admin = AdminClient({"bootstrap.servers": kafka})
    for future in admin.create_topics([NewTopic(t, 1, 1, config=KEEP) for t in topics.values()]).values():
        future.result(30)
    producer = Producer({"bootstrap.servers": kafka})
    for n, (name, partition, key, value, headers) in enumerate(messages(store)):
        # One time for all: hidden rows must not move the times of those that show.
        producer.produce(topics[name], value, key, partition, timestamp=1_767_225_600_000, headers=headers)
        assert n < 10_000
    assert producer.flush(30) == 0
    return World(store, kafka, topics)


def unload(world: World) -> None:
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": world.kafka})
    for future in admin.delete_topics(list(world.topics.values())).values():
        future.result(30)


def tells(sql: str, answers: list[Any]) -> str | None:
    """How the answers of two stores distinguish them, None when they do not."""
    if answers[0] != answers[1]:
        return f"{sql}\n   a: {str(answers[0])[:600]}\n   b: {str(answers[1])[:600]}"
    shown = [canary for canary in CANARIES if canary in repr(answers[0]) and canary not in sql]
    return f"{sql}\n   shows {shown}" if shown else None
