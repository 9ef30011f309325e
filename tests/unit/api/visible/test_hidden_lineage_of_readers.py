"""Who reads a topic is a part of its lineage: groups and connectors of one are as if they did not read it, where it is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.joins.observing import Observing
from lineage.observed.connector_datasets import Connector
from lineage.observed.groups import ConsumerGroup, GroupName, GroupTopic
from tests.api_world import ApiWorld, orders, world

API = "/api/v1"
READ = {"mixed": ("orders", "ledger"), "quiet": ("ledger",), "open": ("orders",), "idle": (), "ledger-app": ("orders",)}
DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092", connect: {url: "http://localhost:8083"}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: ledger, cluster: prod}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Visibility
metadata: {name: paths}
spec: {match: {datasets: [prod/ledger]}, lineage: owners}
"""


class Groups:
    def __init__(self, config: dict[str, Any]) -> None:
        """Of one broker."""

    def names(self) -> list[GroupName]:
        return [GroupName(name, "STABLE") for name in READ]

    def describe(self, groups: list[GroupName], lag: bool = False) -> list[ConsumerGroup]:
        return [
            ConsumerGroup(
                g.name, g.state, 1, ("app",), tuple(GroupTopic(t, 1, 5 if lag else None) for t in READ[g.name])
            )
            for g in groups
        ]


def sink(name: str, topics: str) -> Connector:
    config = {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "topics": topics}
    return Connector(name, "sink", "RUNNING", config, tuple(topics.split(",")))


class Connect:
    def connectors(self) -> list[Connector]:
        return [sink("to-lake", "orders"), sink("to-vault", "ledger"), sink("both", "orders,ledger")]


@pytest.fixture(scope="module")
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("readers"), {"orders": orders(5), "ledger": orders(5)}) as opened:
        opened.apply(DECLARED)
        opened.scan(cluster="prod", topics=["orders", "ledger"])
        observing = opened.services[Observing]
        observing._groups_of = Groups  # type: ignore[assignment]
        observing._connect_of = lambda url, auth, ca: Connect()
        yield opened


def groups(w: ApiWorld, user: str, **query: str) -> dict[str, Any]:
    answer = w.user(user).get(f"{API}/clusters/prod/consumer-groups", params=query)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def read(answer: dict[str, Any]) -> dict[str, list[str]]:
    return {each["name"]: [topic["topic"] for topic in each["topics"]] for each in answer["groups"]}


def test_groups_show_only_topics_whose_lineage_one_may_know(w: ApiWorld) -> None:
    every = {name: list(topics) for name, topics in READ.items()}
    answer = groups(w, "otto")
    assert read(answer) == every and answer["total"] == len(every)
    answer = groups(w, "ana")
    assert read(answer) == {"mixed": ["orders"], "open": ["orders"], "idle": []} and answer["total"] == 3
    assert "ledger" not in str(answer)


def test_asked_by_a_topic_of_hidden_lineage_there_are_none(w: ApiWorld) -> None:
    assert set(read(groups(w, "otto", topic="ledger"))) == {"mixed", "quiet"}
    assert groups(w, "ana", topic="ledger") == groups(w, "ana", topic="nothing")
    assert set(read(groups(w, "ana", topic="orders"))) == {"mixed", "open"}


def test_connectors_of_it_are_not_listed(w: ApiWorld) -> None:
    def listed(user: str) -> set[str]:
        answer = w.user(user).get(f"{API}/clusters/prod/connectors").json()
        return {each["name"] for each in answer["connectors"]}

    assert listed("otto") == {"to-lake", "to-vault", "both"}
    assert listed("ana") == {"to-lake"}
