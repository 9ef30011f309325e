"""Rules that governed queries decide, on a real broker and a real engine: references between topics, and statements."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from api.config.settings import Settings
from api.wiring.given import REAL
from catalog.contracts.queried import QueriedRules
from catalog.incident_store import IncidentFilter
from catalog.ports import CatalogStore
from scanners.model import RawRecord
from tests.api_world import ApiWorld, world

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "%s"}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: checks}
spec: {owner: olga, roles: [reader]}
---
apiVersion: weir/v1
kind: User
metadata: {name: olga}
spec: {}
"""
START = 1_772_366_400_000


def records(values: list[Any], keys: list[Any] | None = None) -> list[RawRecord]:
    rows = []
    for offset, value in enumerate(values):
        key = json.dumps(keys[offset]).encode() if keys else None
        rows.append(RawRecord(key, json.dumps(value).encode(), [], 0, offset, START + offset))
    return rows


@pytest.fixture(scope="module")
def topics(stack: Any) -> Iterator[dict[str, list[RawRecord]]]:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    tag = uuid.uuid4().hex[:8]
    customers = records([{"id": n, "name": f"n{n}"} for n in range(100)], [{"ref": f"c{n}"} for n in range(100)])
    orders = records([{"customer_id": n % 100, "amount": n} for n in range(300)])
    orders += [r._replace(offset=300 + r.offset) for r in records([{"customer_id": 5000 + n} for n in range(4)])]
    keyed = records([{"who": f"c{n}"} for n in range(20)])
    by_topic = {f"customers-{tag}": customers, f"orders-{tag}": orders, f"keyed-{tag}": keyed}
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    producer = Producer({"bootstrap.servers": stack.kafka})
    for name, rows in by_topic.items():
        admin.create_topics([NewTopic(name, 1, 1)])[name].result(30)
        for row in rows:
            producer.produce(name, row.value, row.key, 0, timestamp=row.timestamp)
    assert producer.flush(30) == 0
    yield by_topic
    for name in by_topic:
        admin.delete_topics([name])[name].result(30)


@pytest.fixture(scope="module")
def weir(stack: Any, topics: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    settings = Settings()
    settings.query.remote = SecretStr(stack.engine)
    with world(tmp_path_factory.mktemp("home"), topics, settings=settings, window=REAL) as created:
        created.apply(DECLARED % stack.kafka)
        created.scan(cluster="prod", topics=list(topics))
        yield created


def rules(weir: ApiWorld, topics: Any, topic: str, element: dict[str, Any], run_as: str = "checks") -> dict[str, Any]:
    """Rule -> how it was decided, of a contract on one topic."""
    name = {each.partition("-")[0]: each for each in topics}
    text = json.dumps(element)
    for short, whole in name.items():
        text = text.replace(f"@{short}", whole)
    customs = [
        {"property": "dataset", "value": f"prod/{name[topic]}"},
        {"property": "runAs", "value": {"serviceAccount": run_as, "seconds": 60}},
    ]
    spec = {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": topic,
        "version": "1",
        "status": "active",
        "schema": [{"name": topic, "customProperties": customs, **json.loads(text)}],
    }
    document = {"apiVersion": "weir/v1", "kind": "Contract", "metadata": {"name": topic}, "spec": spec}
    weir.apply(yaml.safe_dump(document))
    queried = weir.services[QueriedRules]
    while queried.step():
        pass
    shown = weir.admin.get(f"/api/v1/contracts/{topic}").json()
    return {rule["id"]: rule for promise in shown["promises"] for rule in promise["rules"]}


def foreign(to: str, /, **customs: Any) -> dict[str, Any]:
    return {"to": to, "customProperties": [{"property": name, "value": value} for name, value in customs.items()]}


def test_a_reference_to_nothing_is_broken_at_its_offsets_until_a_scan_sees_it_whole(
    weir: ApiWorld, topics: Any
) -> None:
    relation = foreign("customers.id", dataset="prod/@customers")
    element = {"properties": [{"name": "customer_id", "logicalType": "integer", "relationships": [relation]}]}
    rule = rules(weir, topics, "orders", element)["value.customer_id:reference"]
    assert (rule["state"], rule["count"], rule["share"]) == ("broken", 4, round(4 / 304, 6)), rule
    assert (rule["first"]["offset"], rule["last"]["offset"]) == (300, 303)
    (incident,) = weir.services[CatalogStore].incidents(IncidentFilter(sources=("orders",)), 10)
    assert incident.reads
    assert "customers" not in incident.title


def test_a_reference_to_a_field_of_the_key_holds(weir: ApiWorld, topics: Any) -> None:
    relation = foreign("customers.ref", dataset="prod/@customers", to="key.ref")
    rule = rules(weir, topics, "keyed", {"properties": [{"name": "who", "relationships": [relation]}]})
    assert rule["value.who:reference"]["state"] == "holds", rule


def test_statements_are_compared_and_refused_ones_are_one_sentence(weir: ApiWorld, topics: Any) -> None:
    def sql(id: str, query: str, **more: Any) -> dict[str, Any]:
        return {"id": id, "type": "sql", "query": query, **(more or {"mustBe": 0})}

    element = {
        "quality": [
            sql("many", "SELECT count(*) FROM ${object}", mustBeGreaterOrEqualTo=304),
            sql("large", "SELECT count(*) FROM {table} WHERE amount > 290"),
            sql("mean", "SELECT avg(amount) FROM ${object}", mustBeBetween=[100, 200]),
            sql("changes", "DROP TABLE orders"),
            sql("shows", "SHOW TABLES"),
            sql("reads", "SELECT count(*) FROM nowhere.nothing"),
            sql("two", "SELECT 1, 2"),
            sql("text", "SELECT 'a'"),
        ]
    }
    seen = rules(weir, topics, "orders", element)
    assert {id: rule["state"] for id, rule in seen.items()} == {
        "many": "holds",
        "large": "broken",
        "mean": "holds",
        "changes": "undecided",
        "shows": "undecided",
        "reads": "undecided",
        "two": "undecided",
        "text": "undecided",
    }, seen
    assert "is refused" in seen["changes"]["reason"]
    assert seen["two"]["reason"] == "the statement gives 1 rows of 2 columns, where one number is compared"


def test_an_account_that_is_none_decides_nothing(weir: ApiWorld, topics: Any) -> None:
    element = {"quality": [{"id": "q", "type": "sql", "query": "SELECT count(*) FROM ${object}", "mustBe": 1}]}
    rule = rules(weir, topics, "orders", element, run_as="olga")["q"]
    assert (rule["state"], rule["reason"]) == ("undecided", "olga is not a service account that is declared")


def test_a_check_is_run_again_on_request_and_counted_once(weir: ApiWorld, topics: Any) -> None:
    element = {"quality": [{"id": "q", "type": "sql", "query": "SELECT count(*) FROM ${object}", "mustBe": 304}]}
    rules(weir, topics, "orders", element)
    queried = weir.services[QueriedRules]
    assert not list(queried.due())
    assert weir.admin.post("/api/v1/contracts/orders/check").status_code == 200
    (due,) = queried.due()
    result = queried._queries.decide(due.promise, due.rule, due.record)
    assert queried.keep(due, result)
    assert not queried.keep(due, result)
    assert not list(queried.due())
