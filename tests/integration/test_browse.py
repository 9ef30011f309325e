"""Records page by page on real servers: two stores that differ only in what the asker may not see give the same pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from catalog.errors import NotAllowed, WeirError
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.kafka.text_scan import KafkaTextScan
from policies.adapters.kafka.windows import KafkaWindows
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.browse.conditions import Filters, read_field
from policies.browse.cursors import OLDER, Cursor
from policies.browse.service import Browser, RecordsQuery
from policies.query.service import GovernedQuery
from tests.query_world import ANA, CANARIES, KEYS, World, load, unload

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def worlds(stack: Any) -> Iterator[list[World]]:
    opened = [load(stack.kafka, store) for store in ("a", "b")]
    yield opened
    for world in opened:
        unload(world)


@pytest.fixture(scope="module")
def browsers(stack: Any, worlds: list[World]) -> Iterator[list[Browser]]:
    sessions, windows = Sessions(stack.engine, 1), KafkaWindows()
    engine = SparkEngine(sessions, windows=windows)
    yield [
        Browser(
            GovernedQuery(w, w, engine, KafkaOffsets(), w, KEYS),
            KafkaOffsets(),
            windows.largest,
            KafkaTextScan(windows),
        )
        for w in worlds
    ]
    sessions.close()
    windows.close()


def seen(browser: Browser, reference: str, asked: RecordsQuery) -> Any:
    """A page, or the sentence of its refusal."""
    try:
        return browser.page(ANA, reference, asked)
    except WeirError as error:
        return (error.code, error.message)


def by(*fields: str, **more: Any) -> Filters:
    return Filters(fields=tuple(read_field(each) for each in fields), **more)


ORDERS = [
    RecordsQuery(),
    RecordsQuery(limit=3),
    RecordsQuery(order="oldest", limit=5),
    RecordsQuery(time=datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)),
    RecordsQuery(partition=0),
    RecordsQuery(offset=3),
    RecordsQuery(cursor=Cursor(OLDER, {0: 5}).text()),
    RecordsQuery(whole=True),
    RecordsQuery(filters=Filters("owes")),
    RecordsQuery(filters=Filters("anna")),
    RecordsQuery(filters=Filters("zoraz")),
    RecordsQuery(filters=Filters("411111")),
    RecordsQuery(filters=Filters("otto", parts=("headers",))),
    RecordsQuery(filters=Filters("k1", parts=("key",))),
    RecordsQuery(filters=Filters(key="k1")),
    RecordsQuery(filters=Filters("new", parts=("headers",))),
    RecordsQuery(filters=by("value.customer.name=Anna K")),
    RecordsQuery(filters=by("value.card=4111111111111111")),
    RecordsQuery(filters=by("value.salary!=91234.5")),
    RecordsQuery(filters=by("value.items[].gift_email=bert@gift.de")),
    RecordsQuery(filters=by("value.attributes{contact}=0171 555")),
    RecordsQuery(filters=by("value.region=US")),
    RecordsQuery(filters=by("value.region!=EU")),
    RecordsQuery(filters=by("value.note=owes 900")),
    RecordsQuery(filters=by("value.secret.pin=1234")),
    RecordsQuery(filters=by("headers.new=owes 900")),
    RecordsQuery(filters=by("value.customer.phone=", "value.vip=")),
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("asked", ORDERS, ids=[str(n) for n in range(len(ORDERS))])
def test_pages_do_not_depend_on_what_is_hidden(browsers: list[Browser], asked: RecordsQuery) -> None:
    first, second = (seen(browser, "prod/orders", asked) for browser in browsers)
    assert first == second
    if isinstance(first, dict):  # the asker's own words come back as SQL
        first = {name: each for name, each in first.items() if name not in ("sql", "follow")}
    text = json.dumps(first, default=str)
    assert not [canary for canary in CANARIES if canary in text]


def test_rows_behind_a_filter_are_not_there_and_positions_are_withheld(browsers: list[Browser]) -> None:
    page = seen(browsers[0], "prod/orders", RecordsQuery())
    assert {r["value"]["region"] for r in page["records"]} == {"EU"} and len(page["records"]) == 12
    assert {r["offset"] for r in page["records"]} == {None} and page["searched"] is page["partitions"] is None
    assert not page["rawReadable"] and {r["bytes"] for r in page["records"]} == {None}


def test_a_page_ends_with_every_record_of_one_time_or_reports_that_it_does_not(browsers: list[Browser]) -> None:
    assert len(seen(browsers[0], "prod/orders", RecordsQuery(limit=3))["records"]) == 12
    page = seen(browsers[0], "prod/orders", RecordsQuery(limit=2))
    assert len(page["records"]) == 8 and "higher limit" in page["notes"][-1]


def test_masked_fields_are_filtered_by_what_they_show(browsers: list[Browser]) -> None:
    people = seen(browsers[0], "prod/people", RecordsQuery(limit=3))
    assert [r["offset"] for r in people["records"]] == [7, 6, 5]
    email = people["records"][0]["value"]["email"]
    assert email.startswith("xxx") and not people["rawReadable"]
    shown = seen(browsers[0], "prod/people", RecordsQuery(filters=by(f"value.email={email}")))
    assert {r["value"]["email"] for r in shown["records"]} == {email}
    hidden = seen(browsers[0], "prod/people", RecordsQuery(filters=by("value.email=anna7@example1.eu")))
    assert hidden["records"] == [] and hidden["searched"] == {"records": 8, "left": 0}


def test_pages_of_a_topic_are_whole_in_order_and_lead_back(browsers: list[Browser]) -> None:
    offsets: list[int] = []
    cursor = None
    while True:
        page = seen(browsers[0], "prod/people", RecordsQuery(limit=3, cursor=cursor))
        offsets += [r["offset"] for r in page["records"]]
        cursor = page["older"]
        if cursor is None:
            break
    assert offsets == list(range(7, -1, -1))
    back = seen(browsers[0], "prod/people", RecordsQuery(limit=3, cursor=page["newer"]))
    assert [r["offset"] for r in back["records"]] == [4, 3, 2]


def test_access_that_ended_is_refused_and_in_the_audit(browsers: list[Browser], worlds: list[World]) -> None:
    worlds[0].denied = True
    try:
        with pytest.raises(NotAllowed):
            browsers[0].page(ANA, "prod/people", RecordsQuery())
    finally:
        worlds[0].denied = False
    assert (worlds[0].entries[-1].action, worlds[0].entries[-1].outcome) == ("query", "deny")
