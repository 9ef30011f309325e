"""Masks at the source on a real Kafka Connect: Debezium copies a PostgreSQL's table, leaks, and is masked by Weir's settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from stack import Instance, StackSettings
from tests import waiting
from tests.catalog_stores import postgres
from tests.view_world import ViewWorld, view_world

pytestmark = [pytest.mark.integration, pytest.mark.own_servers, pytest.mark.timeout(900)]
PASSWORD, SALT = "canary-password-4712", "salt-of-the-shop-4713"
NAME = "shop-customers"
SMALL = StackSettings(
    kafka_port=0, registry_port=0, connect_port=0, spark_port=0, query_port=0, neo4j_port=0, elasticsearch_port=0,
    kafka_memory="192m", connect_memory="256m", spark_memory="768m", start_timeout=170,
)  # fmt: skip
TABLE = """
CREATE TABLE customers (id int PRIMARY KEY, email text, phone text, iban text, points int, town text);
ALTER TABLE customers REPLICA IDENTITY FULL;
"""
MASKED = ("email", "phone", "iban", "points")
DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {{name: prod}}
spec: {{bootstrapServers: "{kafka}", connect: {{url: "{connect}"}}}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: mails}}
spec: {{type: mask, match: {{tags: [EMAIL_ADDRESS]}}, mask: {{type: MASK_HASH}}}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: phones}}
spec: {{type: mask, match: {{tags: [PHONE_NUMBER]}}, mask: {{type: DROP}}}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: accounts}}
spec: {{type: mask, match: {{tags: [IBAN_CODE]}}, mask: {{type: MASK}}}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: scores}}
spec: {{type: mask, match: {{tags: [CREDIT_SCORE]}}, mask: {{type: MASK}}}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {{cluster: prod, name: {topic}}}
spec:
  fields:
    - {{path: value.after.phone, tags: [PHONE_NUMBER]}}
    - {{path: value.after.points, tags: [CREDIT_SCORE]}}
"""


def row(number: int) -> dict[str, Any]:
    """No two rows have a masked value in common, and no masked value is a part of another column's."""
    return {
        "id": number,
        "email": f"person{number:03}@example.org",
        "phone": f"+49 151 2345{number:04}",
        "iban": f"DE{(98 - int(f'5001051753240310{number:02}131400') % 97):02}5001051753240310{number:02}",
        "points": 700_000 + number,
        "town": ("Ulm", "Bonn")[number % 2],
    }


@dataclass
class Shop:
    """A table, the connector that copies it, and the Weir that looks at both."""

    weir: ViewWorld
    port: int

    @property
    def topic(self) -> str:
        return f"{self.weir.prefix}.public.customers"

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        where = f"host=127.0.0.1 port={self.port} user=weir dbname=postgres password={PASSWORD}"
        with psycopg.connect(where, autocommit=True) as connection:
            done = connection.execute(statement, values or None)
            return done.fetchall() if done.description else []

    def insert(self, *numbers: int) -> None:
        for number in numbers:
            self.sql("INSERT INTO customers VALUES (%s, %s, %s, %s, %s, %s)", *row(number).values())

    def deploy(self, **more: str) -> None:
        config: dict[str, Any] = {
            "database.hostname": "127.0.0.1",
            "database.port": self.port,
            "database.user": "weir",
            "database.dbname": "postgres",
            "database.password": {"env": "WEIR_SECRET_PG"},
            "topic.prefix": self.weir.prefix,
            "plugin.name": "pgoutput",
            "slot.name": f"weir_{self.weir.prefix}",
            "publication.name": f"weir_{self.weir.prefix}",
            "publication.autocreate.mode": "filtered",
            "table.include.list": "public.customers",
            "topic.creation.default.partitions": 1,
            "topic.creation.default.replication.factor": 1,
        }
        spec = {"cluster": "prod", "plugin": "PostgresConnector", "config": config | more}
        document = {"apiVersion": "weir/v1", "kind": "Connector", "metadata": {"name": NAME}, "spec": spec}
        self.weir.apply(yaml.safe_dump(document))
        waiting.until(self._runs, "the connector runs", 120, every=0.2)

    def _runs(self) -> bool:
        shown = self.weir.admin.get(f"/api/v1/connectors/{NAME}").json()
        return shown["state"] == "running" and not shown["drift"] and any(shown["tasks"])

    def records(self) -> list[dict[str, Any]]:
        """The envelopes of the topic, in order. A tombstone has none."""
        return [json.loads(value) for _, value, _ in self.weir.records(self.topic) if value is not None]

    def after(self, count: int) -> list[dict[str, Any]]:
        """The records, once there are so many of them."""
        waiting.until(lambda: len(self.records()) >= count, f"{count} records", 120, every=0.3)
        return self.records()

    def masks(self) -> dict[str, Any]:
        answer = self.weir.admin.get("/api/v1/connector-masks", params={"connector": NAME})
        assert answer.status_code == 200, answer.text
        assert PASSWORD not in answer.text and SALT not in answer.text
        (one,) = answer.json()["connectors"]
        return dict(one)

    def findings(self) -> list[dict[str, Any]]:
        answer = self.weir.admin.get("/api/v1/rights/findings", params={"kind": "unmaskedAtSource"})
        assert answer.status_code == 200 and PASSWORD not in answer.text and SALT not in answer.text, answer.text
        findings: list[dict[str, Any]] = answer.json()["findings"]
        return findings


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    instance = Instance(tmp_path_factory.mktemp("servers") / "home", SMALL)
    with pytest.MonkeyPatch.context() as patch, postgres(PASSWORD, "-c wal_level=logical") as port:
        patch.setenv("WEIR_SECRET_PG", PASSWORD)
        patch.setenv("WEIR_SECRET_MASK_SALT", SALT)
        try:
            addresses = instance.up(detach=True, only=["kafka", "connect", "spark"])
            with view_world(tmp_path_factory.mktemp("weir"), addresses) as weir:
                shop = Shop(weir, port)
                shop.sql(TABLE)
                shop.insert(*range(1, 31))
                weir.apply(DECLARED.format(kafka=addresses.kafka, connect=addresses.connect, topic=shop.topic))
                yield shop
        finally:
            instance.down(wipe=True)


def test_a_connector_that_leaks_is_found_and_masks_by_the_settings_of_weir(shop: Shop) -> None:
    leaks_before_and_after(shop)
    rows_are_masked_in_kafka(shop)


def leaks_before_and_after(shop: Shop) -> None:
    # Whoever wrote this believed that it masks: the transform reaches top-level fields alone, and these are in an envelope.
    wrong = {
        "transforms": "mask",
        "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
        "transforms.mask.fields": "email,phone,iban,points",
    }
    shop.deploy(**wrong)
    snapshot = shop.after(30)
    assert {each["after"]["email"] for each in snapshot} == {row(n)["email"] for n in range(1, 31)}  # raw, indeed
    assert all(each["before"] is None for each in snapshot)
    shop.weir.scan(shop.topic)

    (finding,) = shop.findings()
    assert (finding["severity"], finding["dataset"]) == ("high", f"prod/{shop.topic}") and NAME in finding["text"]
    # No update came yet, so no record has shown `before`; the next one would bring it.
    paths = {each["path"] for each in shop.masks()["leaks"]}
    assert paths == {f"value.{side}.{column}" for side in ("before", "after") for column in MASKED}
    assert all(path in finding["text"] for path in ("value.before.email", "value.after.email"))
    assert "reaches top-level fields alone" in finding["text"] and "weir connector mask" in finding["fix"]
    assert row(1)["email"] not in json.dumps(finding)

    shop.sql("UPDATE customers SET town = 'Trier' WHERE id = 1")
    changed = shop.after(31)[-1]
    assert changed["before"]["email"] == changed["after"]["email"] == row(1)["email"]  # as the finding had it


def rows_are_masked_in_kafka(shop: Shop) -> None:
    masks = shop.masks()
    settings = dict(masks["properties"])
    assert settings.keys() == {
        "column.exclude.list",
        "column.mask.hash.v2.SHA-256.with.salt.${WEIR_SECRET_MASK_SALT}",
        "column.mask.with.10.chars",
    }
    begin = len(shop.records())
    shop.deploy(**settings)
    assert shop.masks()["leaks"] == [] and shop.findings() == []

    shop.insert(*range(31, 41))
    shop.sql("UPDATE customers SET town = 'Trier', email = 'moved' || id || '@example.org' WHERE id <= 10")
    shop.sql("DELETE FROM customers WHERE id = 30")
    records = shop.after(begin + 21)[begin:]
    assert [each["op"] for each in records] == ["c"] * 10 + ["u"] * 10 + ["d"]
    values = {column: {str(value) for (value,) in shop.sql(f"SELECT {column} FROM customers")} for column in MASKED}  # noqa: S608
    old = {str(row(n)[column]) for n in range(1, 41) for column in MASKED}
    text = json.dumps(records)
    assert [each for each in {*old, *(value for of in values.values() for value in of)} if each in text] == []
    sides = [each[side] for each in records for side in ("before", "after") if each[side] is not None]
    assert len(sides) == 31
    for side in sides:
        assert side.keys() == {"id", "email", "iban", "town"}  # phone and points are dropped
        assert side["iban"] == "*" * 10
    # An independent hash: the same value has the same hash before and after, and whoever has no salt cannot make it.
    emails = {str(number): email for number, email in shop.sql("SELECT id, email FROM customers")}
    for each in (each["after"] for each in records if each["after"] is not None):
        assert each["email"] == hashed(emails[str(each["id"])])
        assert each["town"] in ("Ulm", "Bonn", "Trier")
    for each in (each["before"] for each in records if each["before"] is not None):
        assert each["email"] == hashed(row(each["id"])["email"])
    kept = [file for file in Path(shop.weir.folder).rglob("*") if file.is_file() and SALT.encode() in file.read_bytes()]
    assert kept == []


def hashed(value: str) -> str:
    return hashlib.sha256(SALT.encode() + value.encode()).hexdigest()
