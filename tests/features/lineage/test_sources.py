"""What is seen without instrumentation, through the whole application: groups, connectors, engines, and SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import structlog

from api.joins.observing import Observing
from catalog.errors import Unavailable
from lineage.observed.connector_datasets import Connector
from lineage.observed.groups import ConsumerGroup, GroupName, GroupTopic
from lineage.observed.run_events import ObservedEvent
from tests.api_world import ApiWorld, world

NS = "kafka://localhost:9092"
SINK = Connector(
    "to-lake",
    "sink",
    "RUNNING",
    {
        "connector.class": "io.confluent.connect.s3.S3SinkConnector",
        "s3.bucket.name": "lake",
        "aws.secret.access.key": "secret-4711",
    },
    ("orders",),
)
CLUSTER = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092",
       connect: {url: "https://connect:8083", username: weir, password: {env: WEIR_SECRET_CONNECT}},
       ksqldb: {url: "http://ksqldb:8088"}}
"""


class Groups:
    def __init__(self, config: Mapping[str, Any]) -> None:
        assert config["bootstrap.servers"] == "localhost:9092"

    def names(self) -> list[GroupName]:
        return [GroupName(name, "STABLE") for name in ("billing", "connect-to-lake", "weir-lineage")]

    def describe(self, groups: list[GroupName], lag: bool = False) -> list[ConsumerGroup]:
        return [
            ConsumerGroup(g.name, g.state, 2, ("app-1",), (GroupTopic("orders", 3, 7 if lag else None),))
            for g in groups
        ]


class Connect:
    def connectors(self) -> list[Connector]:
        return [SINK]


class Engine:
    def events(self, namespace: str) -> list[ObservedEvent]:
        raise Unavailable("ksqlDB at http://ksqldb:8088 does not answer; check ksqldb.url of the cluster.")


@pytest.fixture
def weir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiWorld]:
    monkeypatch.setenv("WEIR_SECRET_CONNECT", "a password")
    with world(tmp_path) as weir:
        weir.apply(CLUSTER)
        weir.scan(cluster="prod", topics=["orders"])
        observing = weir.services[Observing]
        observing._groups_of = Groups  # type: ignore[assignment]
        observing._connect_of = lambda url, auth, ca: Connect()
        observing._engines_of = lambda kind, url, auth, ca: Engine()
        yield weir


def test_observed_readers_are_on_the_map(weir: ApiWorld) -> None:
    assert weir.services[Observing].step() == 2  # one server that does not answer keeps nobody else waiting
    assert weir.services[Observing].step() == 0
    weir.fold()
    answer = weir.admin.get("/api/v1/datasets/prod/orders/readers").json()
    assert "observed" in answer, answer
    assert {(r["name"], r["kind"], r["origin"]) for r in answer["observed"]} == {
        ("billing", "consumer_group", "observed"),
        ("to-lake", "job", "observed"),
    }
    assert answer["declared"] == [] and set(answer["totals"]) == {"observed", "declared", "permitted"}
    affected = weir.admin.get("/api/v1/impact", params={"nodeId": f"dataset:{NS}:orders"}).json()["affected"]
    assert {row["id"] for row in affected} == {
        f"job:{NS}:billing",
        "job:connect://connect:8083:to-lake",
        "dataset:s3://lake:topics/orders",
    }
    report = weir.admin.get("/api/v1/reports/where-is", params={"field": "email"}).json()
    assert {r["kind"] for place in report["places"] for r in place["readers"]} == {"consumer_group", "job"}


def test_who_may_read_is_told_to_owners_and_reporters_alone(weir: ApiWorld) -> None:
    """People and their grants are not public; `/access` holds the same."""
    weir.apply(
        "{apiVersion: weir/v1, kind: Dataset, metadata: {name: orders, cluster: prod}, spec: {owners: [{user: otto}]}}\n"
        "---\n{apiVersion: weir/v1, kind: Role, metadata: {name: privacy}, spec: {permissions: ['report:read']}}\n"
        "---\n{apiVersion: weir/v1, kind: User, metadata: {name: petra}, spec: {roles: [privacy]}}\n"
    )
    at = "/api/v1/datasets/prod/orders/readers"
    for name in ("otto", "petra"):
        answer = weir.user(name).get(at).json()
        assert "otto" in {row["subject"] for row in answer["permitted"]}, name
        assert answer["totals"]["permitted"] == len(answer["permitted"])
    answer = weir.user("ana").get(at).json()
    assert answer["permitted"] is None and "permitted" not in answer["totals"]
    assert "otto" not in str(answer)


def test_what_one_server_says_keeps_no_other_from_being_asked(weir: ApiWorld) -> None:
    """A second cluster that does not answer, and a server that answers nonsense: nothing is reported twice for it."""
    weir.apply(CLUSTER.replace("prod", "away").replace("localhost:9092", "away:9092"))
    observing, asked = weir.services[Observing], []

    def groups(config: Mapping[str, Any]) -> Any:
        if config["bootstrap.servers"] == "away:9092":
            raise Unavailable("Kafka at away:9092 does not list its consumer groups.")
        return Groups(config)

    class Nonsense:
        def events(self, namespace: str) -> list[ObservedEvent]:
            asked.append(namespace)
            raise KeyError("secret-4711")

    observing._groups_of = groups
    observing._engines_of = lambda kind, url, auth, ca: Nonsense()
    with structlog.testing.capture_logs() as logs:
        assert observing.step() == 2  # both clusters are one in this world, with one Connect
        assert observing.step() == 0
    assert asked == [NS] * 4
    warnings = [row for row in logs if row["event"] == "not_observed"]
    assert len(warnings) == 3 and "secret-4711" not in str(warnings)


def test_what_could_not_be_stored_is_said_again(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    observing = weir.services[Observing]

    def broken(events: Any) -> Any:
        raise Unavailable("Kafka does not answer.")

    with monkeypatch.context() as without:
        without.setattr(observing._ingest, "post_batch", broken)
        assert observing.step() == 0
    assert observing.step() == 2


def test_groups_and_connectors_as_they_are_now(weir: ApiWorld) -> None:
    answer = weir.admin.get("/api/v1/clusters/prod/consumer-groups", params={"topic": "orders", "limit": 1}).json()
    assert answer["total"] == 2 and len(answer["groups"]) == 1 and answer["truncated"] is False
    assert answer["groups"][0]["topics"] == [{"topic": "orders", "partitions": 3, "lag": 7}]
    notices = weir.admin.get("/api/v1/clusters/prod/connectors")
    assert notices.json()["connectors"][0]["outside"] == ["s3://lake/topics/orders"]
    assert "secret-4711" not in notices.text
    assert weir.admin.get("/api/v1/clusters/nope/consumer-groups").status_code == 404
    assert weir.anonymous().get("/api/v1/clusters/prod/consumer-groups").status_code == 401


def test_sql_over_learned_columns(weir: ApiWorld) -> None:
    sql = "CREATE TABLE mart AS SELECT order_id, md5(customer.email) AS h, nope FROM orders"
    answer = weir.admin.post("/api/v1/lineage/sql", json={"sql": sql, "dialect": "spark", "cluster": "prod"}).json()
    assert [(e["source"]["column"], e["target"]["column"], e["masking"]) for e in answer["edges"]] == [
        ("customer.email", "h", True),
        ("order_id", "order_id", False),
    ]
    assert answer["unknown"] == ["column nope cannot be determined"] and answer["datasets"] == {"orders": "prod/orders"}
    event = {
        "eventTime": "2026-01-01T00:00:00Z",
        "eventType": "COMPLETE",
        "producer": "p",
        "schemaURL": "s",
        "run": {"runId": "018d0000-0000-7000-8000-000000000001"},
        "job": {"namespace": "a", "name": "b", "facets": {"sql": {"query": sql, "dialect": "spark"}}},
        "inputs": [{"namespace": NS, "name": "orders"}],
        "outputs": [{"namespace": "pg", "name": "mart"}],
    }
    assert weir.admin.post("/api/v1/lineage", json=event).status_code == 201
    weir.fold()
    shown = weir.admin.get("/api/v1/lineage", params={"nodeId": "dataset:pg:mart", "level": "column"}).json()
    assert {(e["source"], e["how"], e["masked"]) for e in shown["edges"] if e["kind"] == "derives"} == {
        (f"datasetField:{NS}:orders:value.customer.email", "sql", True),
        (f"datasetField:{NS}:orders:value.order_id", "sql", False),
    }


@pytest.mark.parametrize("body", [{}, {"sql": 7}, {"sql": "x", "other": 1}, {"sql": None}, []])
def test_bad_questions_are_refused(weir: ApiWorld, body: Any) -> None:
    assert weir.admin.post("/api/v1/lineage/sql", json=body).status_code in (400, 422)


def test_sql_in_a_cluster_that_there_is_not(weir: ApiWorld) -> None:
    refused = weir.admin.post("/api/v1/lineage/sql", json={"sql": "SELECT order_id FROM orders", "cluster": "prdo"})
    assert refused.status_code == 404
    assert refused.json()["error"]["message"].startswith("There is no cluster 'prdo'; known: ")
