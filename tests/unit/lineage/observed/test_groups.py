"""Consumer groups as events: one run without end, sent again only when there is a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from catalog.model import DatasetId
from lineage.fold.writer import GraphWriter
from lineage.ingest.parse import parse
from lineage.observed.groups import ConsumerGroup, GroupName, GroupTopic, GroupWatch
from lineage.questions.queries import Lineage
from tests.lineage_answers import as_json
from tests.twins.lineage import MemoryGraph

NS = "kafka://broker:9092"


class Brokers:
    """Groups by name, and how often each was described."""

    def __init__(self, *groups: ConsumerGroup) -> None:
        self.groups = {group.name: group for group in groups}
        self.asked: list[int] = []

    def names(self) -> list[GroupName]:
        return [GroupName(name, group.state) for name, group in sorted(self.groups.items())]

    def describe(self, groups: Sequence[GroupName], lag: bool = False) -> list[ConsumerGroup]:
        self.asked.append(len(groups))
        return [self.groups[group.name] for group in groups]


def group(name: str, *topics: str, members: int = 1) -> ConsumerGroup:
    return ConsumerGroup(name, "STABLE" if members else "EMPTY", members, (), tuple(GroupTopic(t, 1) for t in topics))


def said(watch: GroupWatch, brokers: Brokers) -> list[tuple[str, list[str]]]:
    events = [event for batch in watch.events(NS, brokers) for event in batch]
    return [(event["job"]["name"], [one["name"] for one in event["inputs"]]) for event in events]


def test_said_once_then_on_change_then_after_a_while() -> None:
    clock = [0.0]
    watch = GroupWatch(again_s=100, clock=lambda: clock[0])
    brokers = Brokers(group("billing", "orders"), group("stopped", "orders", members=0))
    assert said(watch, brokers) == [("billing", ["orders"]), ("stopped", ["orders"])]
    assert said(watch, brokers) == []
    brokers.groups["billing"] = group("billing", "orders", "users")
    assert said(watch, brokers) == [("billing", ["orders", "users"])]
    clock[0] = 101
    assert said(watch, brokers) == [("billing", ["orders", "users"])]  # one without members is not kept alive
    watch.forget("kafka://other:9092")
    assert said(watch, brokers) == []
    watch.forget(NS)
    assert len(said(watch, brokers)) == 2


@pytest.mark.parametrize("state", ["PREPARING_REBALANCING", "COMPLETING_REBALANCING", "UNKNOWN"])
def test_a_group_that_shares_out_its_topics_anew_says_nothing_meanwhile(state: str) -> None:
    watch, brokers = GroupWatch(), Brokers(group("billing", "a", "b"))
    assert said(watch, brokers) == [("billing", ["a", "b"])]
    brokers.groups["billing"] = replace(group("billing", "a"), state=state)
    assert said(watch, brokers) == []
    brokers.groups["billing"] = group("billing", "a", "b")
    assert said(watch, brokers) == []


def test_a_topic_that_is_read_again_is_open_again() -> None:
    graph = MemoryGraph()
    writer, watch = GraphWriter(graph), GroupWatch()
    for topics in (("a", "b"), ("a",), ("a", "b")):
        brokers = Brokers(group("billing", *topics))
        writer.write([parse(event) for batch in watch.events(NS, brokers) for event in batch])
    assert [reader.name for reader in Lineage(graph).readers_of(DatasetId(NS, "b"))] == ["billing"]


def test_hidden_and_idle_groups_are_left_out() -> None:
    watch = GroupWatch(hidden={"weir-lineage"})
    brokers = Brokers(
        group("weir-lineage", "t"),
        group("_weir.x", "t"),
        group("idle"),
        group("inner", "_weir.x"),
        group("Ünïcode 'group'", "t"),
    )
    assert said(watch, brokers) == [("Ünïcode 'group'", ["t"])]


def test_thousands_of_groups_are_asked_in_parts_and_bounded() -> None:
    brokers = Brokers(*(group(f"g{n:05}", "t") for n in range(3000)))
    assert len(said(GroupWatch(limit=2500), brokers)) == 2500
    assert max(brokers.asked) == 100 and sum(brokers.asked) == 2500


def test_a_topic_that_is_read_no_more_ends_in_the_graph_and_history_stays() -> None:
    graph = MemoryGraph()
    writer, watch = GraphWriter(graph), GroupWatch()
    brokers = Brokers(group("billing", "orders", "users"))
    for topics in (("orders", "users"), ("orders",)):
        brokers.groups["billing"] = group("billing", *topics)
        writer.write([parse(event) for batch in watch.events(NS, brokers) for event in batch])
    lineage = Lineage(graph)
    (reader,) = lineage.readers_of(DatasetId(NS, "orders"))
    assert (reader.name, reader.kind, reader.origin) == ("billing", "consumer_group", "observed")
    assert lineage.readers_of(DatasetId(NS, "users")) == []
    (row,) = as_json(lineage.impact(f"dataset:{NS}:orders"))["affected"]
    assert (row["id"], row["jobType"]) == (f"job:{NS}:billing", "CONSUMER_GROUP")
