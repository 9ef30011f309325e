"""How the demo compares what Weir names with what it planted, and how it writes names."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from api.demo import views
from api.demo.expect import known_addresses, missed, same_place
from api.demo.plan import Planted


@pytest.mark.parametrize(
    ("planted", "matches", "same"),
    [
        ("value.email", "value.email", True),
        ("value.attributes{contact}", "value.attributes{contact}", True),
        ("value.attributes{contact}", "value.attributes{}", True),
        ("value.attributes{contact}", "value.attributes.contact", True),
        ("value.payload", "value.payload.mail", True),
        ("key", "key", True),
        ("value", "value", True),
        ("value.attributes{contact}", "value.attributes{note}", False),
        ("value.attributes{contact}", "value", False),
        ("value", "value.email", False),
        ("key", "value", False),
        ("value.email", "headers.email", False),
        ("value.customer.email", "value.customer", False),
        ("value.items[].gift_email", "value.items[].gift_email", True),
    ],
)
def test_same_place(planted: str, matches: str, same: bool) -> None:
    assert same_place(planted, matches) is same


def test_missed_counts_neither_rejected_nor_other_entities() -> None:
    place = Planted("orders", "key", "PERSON")
    there = {"name": "orders", "path": "key", "entity": "PERSON", "state": "suggested"}
    assert missed([place], [there]) == []
    assert missed([place], [{**there, "state": "rejected"}]) == [place]
    assert missed([place], [{**there, "entity": "LOCATION"}]) == [place]
    assert missed([place], [{**there, "name": "clicks"}]) == [place]


def test_known_addresses_are_those_of_the_customers() -> None:
    assert len(known_addresses()) == 240
    assert all("@" in address for address in known_addresses())


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("dataset:kafka://localhost:9092:orders", "orders"),
        ("dataset:prod:clicks.clean", "clicks.clean"),
        ("dataset:kafka://prod:orders", "orders"),
        ("datasetField:kafka://localhost:9092:orders:value.customer.email", "orders  value.customer.email"),
        ("datasetField:prod:orders:key", "orders  key"),
        ("job:shop:daily_revenue.execute", "daily_revenue.execute"),
    ],
)
def test_name_of(identifier: str, name: str) -> None:
    assert views.name_of(identifier) == name


def test_flow_tree_ends_on_a_cycle() -> None:
    edges = [
        {"source": "dataset:p:a", "target": "dataset:p:b", "job": "job:shop:one"},
        {"source": "dataset:p:b", "target": "dataset:p:a", "job": "job:shop:two"},
    ]
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(views.flow_tree("dataset:p:a", edges))
    text = console.export_text()
    assert text.count("one") == 1
    assert text.count("two") == 1


def test_short_keeps_both_ends_of_a_hash() -> None:
    assert views.short("a" * 30 + "b" * 34) == "a" * 12 + "…bbbb"
    assert views.short(None) == ""
