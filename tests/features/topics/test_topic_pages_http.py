"""What brokers and registries report of a topic, over HTTP, and who may see which part of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.features.topics.topic_pages import TopicPages
from catalog.topic_details import Acl, Acls, AclsKnown, Member, ReadPartition, TopicGroup
from scanners.model import RegisteredSchema
from tests.api_world import ApiWorld, world
from tests.twins.catalog.topic_details import MemoryTopic

PEOPLE = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092", schemaRegistry: {url: "http://registry:8081"}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: orders}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "*"}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader-eu}
spec: {read: [{dataset: "*"}], rowFilters: [{dataset: "*", where: "region = 'EU'"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: User
metadata: {name: eve}
spec: {roles: [reader-eu]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: User
metadata: {name: aud}
spec: {roles: [auditor]}
"""
AT = "/api/v1/datasets/prod/orders"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    folder: Path = tmp_path_factory.mktemp("topic-pages")
    with world(folder) as opened:
        opened.apply(PEOPLE)
        opened.scan(cluster="prod", topics=["orders"])
        reader = ReadPartition(0, 45, None, "app-1")
        groups = [
            TopicGroup("billing", "STABLE", (Member("app-1", "10.0.0.7", (0,)),), (reader,)),
            TopicGroup("weir-lineage", "STABLE", (), (reader,)),
        ]
        rule = Acl("User:app", "read", "allow", "*", "orders", "literal")
        times = opened.details.topics["orders"].times
        opened.details.topics["orders"] = MemoryTopic(
            times, {"retention.ms": "-1"}, groups, Acls(AclsKnown.YES, (rule,))
        )
        yield opened


def test_partitions_and_configuration(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    assert ana.get(f"{AT}/partitions").json() == {
        "partitions": [
            {
                "partition": 0,
                "leader": 1,
                "replicas": [1],
                "inSync": [1],
                "begin": 0,
                "end": 50,
                "records": 50,
                "size": 5_000,
            }
        ],
        "records": 50,
        "size": 5_000,
        "withheld": False,
    }
    configs = {c["name"]: c for c in ana.get(f"{AT}/config").json()["configs"]}
    assert (configs["retention.ms"]["value"], configs["retention.ms"]["source"]) == ("-1", "topic")
    assert configs["cleanup.policy"]["source"] == "default"


def test_groups_with_lag_and_without_those_of_weir(weir: ApiWorld) -> None:
    results = weir.user("ana").get(f"{AT}/consumer-groups").json()
    assert [(g["name"], g["lag"], g["members"]) for g in results["groups"]] == [
        ("billing", 5, [{"client": "app-1", "host": "10.0.0.7", "partitions": [0]}])
    ]


def test_who_sees_some_rows_learns_nothing_that_counts_the_others(weir: ApiWorld) -> None:
    eve = weir.user("eve")
    partitions = eve.get(f"{AT}/partitions").json()
    assert partitions["withheld"] and partitions["records"] is None
    assert (
        partitions["partitions"][0]["end"] is None
        and partitions["size"] is None is partitions["partitions"][0]["size"]
        and partitions["partitions"][0]["leader"] == 1
    )
    groups = eve.get(f"{AT}/consumer-groups").json()
    assert groups["withheld"]
    for group in groups["groups"]:
        assert group["lag"] is None
        assert all(p["lag"] is p["committed"] is p["end"] is None for p in group["partitions"])
    rate = eve.get(f"{AT}/rate").json()
    assert (rate["withheld"], rate["buckets"], rate["records"]) == (True, [], None)


@pytest.mark.parametrize(("user", "status"), [("ana", 403), ("eve", 403), ("otto", 200), ("aud", 200), ("admin", 200)])
def test_acls_are_for_owners_and_who_reads_reports(weir: ApiWorld, user: str, status: int) -> None:
    client = weir.admin if user == "admin" else weir.user(user)
    answer = client.get(f"{AT}/acls")
    assert answer.status_code == status
    if status == 200:
        assert answer.json()["entries"] == [
            {
                "principal": "User:app",
                "operation": "read",
                "permission": "allow",
                "host": "*",
                "resource": "orders",
                "pattern": "literal",
            }
        ]
    else:
        assert "User:app" not in answer.text and "report:read" in answer.json()["error"]["message"]


def test_an_empty_list_of_acls_is_explained(weir: ApiWorld) -> None:
    topic = weir.details.topics["orders"]
    before, topic.acls = topic.acls, Acls(AclsKnown.NO_AUTHORIZER)
    try:
        results = weir.admin.get(f"{AT}/acls").json()
    finally:
        topic.acls = before
    assert results["known"] == "no_authorizer" and "every client" in results["message"]


def test_the_rate_counts_each_record_in_its_span(weir: ApiWorld) -> None:
    results = weir.admin.get(f"{AT}/rate", params={"hours": 24 * 90}).json()
    assert len(results["buckets"]) == 48 and results["records"] == sum(b["records"] for b in results["buckets"])
    assert weir.admin.get(f"{AT}/rate", params={"hours": 0}).status_code == 400


def test_subjects_and_the_difference_between_two_versions(weir: ApiWorld) -> None:
    def schema(number: int, version: int, *names: str) -> RegisteredSchema:
        fields = ", ".join(f'{{"name": "{n}", "type": "string"}}' for n in names)
        text = f'{{"type": "record", "name": "Order", "fields": [{fields}]}}'
        return RegisteredSchema(number, "AVRO", text, subject="orders-value", version=version)

    registry = weir.services[TopicPages]._registry
    known = registry._schemas  # type: ignore[attr-defined]
    known |= {1: schema(1, 1, "id"), 2: schema(2, 2, "id", "note")}
    ana = weir.user("ana")
    assert ana.get(f"{AT}/subjects").json()["subjects"] == [
        {
            "subject": "orders-value",
            "versions": [{"version": 2, "id": 2, "type": "AVRO"}, {"version": 1, "id": 1, "type": "AVRO"}],
        }
    ]
    results = ana.get(f"{AT}/subjects/diff", params={"subject": "orders-value", "version": 2, "before": 1}).json()
    added = [line["text"].strip() for line in results["lines"] if line["change"] == "added"]
    assert '"name": "note",' in added
    alone = ana.get(f"{AT}/subjects/diff", params={"subject": "orders-value", "version": 1}).json()
    assert {line["change"] for line in alone["lines"]} == {"same"}
    missing = ana.get(f"{AT}/subjects/diff", params={"subject": "orders-value", "version": 9})
    assert missing.status_code == 404 and "there is 1, 2" in missing.json()["error"]["message"]


def test_a_topic_that_the_brokers_do_not_have_any_more(weir: ApiWorld) -> None:
    kept = weir.details.topics.pop("orders")
    try:
        answer = weir.admin.get(f"{AT}/partitions")
    finally:
        weir.details.topics["orders"] = kept
    assert answer.status_code == 404 and "scan the cluster again" in answer.json()["error"]["message"]
