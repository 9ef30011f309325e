"""What any `ServingTable` must do, on the twin, SQLite and PostgreSQL."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from catalog.errors import InvalidInput, NotFound
from tests.serving_tables import ALL, TABLES, Batch, keys, row, serving_table
from views.model import Row
from views.row_ports import Contained, ServingTable, Wanted

AT = datetime(2026, 11, 23, 10, 0, 0, 5, tzinfo=UTC)


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest) -> Iterator[ServingTable]:
    with serving_table(request.param, request) as kept:
        yield kept


def test_nothing_is_there_before_it_is_prepared(table: ServingTable) -> None:
    assert table.read("v", "g", ALL, 10) == [] and table.count("v", "g") == 0
    assert (
        table.contained("v", "g") == Contained(there=False)
        and table.generations("v") == []
        and table.drop("v", "g") == 0
    )
    with pytest.raises(NotFound, match="prepare"):
        table.write("v", "g", [row("a")], [], {0: 1})
    with pytest.raises(NotFound):
        table.contain("v", "g", {}, AT)


def test_a_row_comes_back_as_it_went_in(table: ServingTable) -> None:
    values = {"t": "ä\x00\ud800 'x'", "n": 2**70, "f": 1.5, "b": None, "s": {"a": [1, {"b": True}]}, "": "empty"}
    given = Row('["\\u0000", 1]', values, offset=2**40, partition=7)
    table.prepare("v\x01", "g")
    assert table.write("v\x01", "g", [given], [], {7: 2**40 + 1}) == (1, 0)
    assert table.read("v\x01", "g", ALL, 10) == [given]


def test_the_last_of_a_key_counts(table: ServingTable) -> None:
    table.prepare("v", "g")
    assert table.write("v", "g", [row("a", n=1), row("b", n=1), row("a", n=2)], [], {0: 3}) == (2, 0)
    assert [each.values["n"] for each in table.read("v", "g", ALL, 10)] == [2, 1]
    assert table.write("v", "g", [row("a", n=3), row("c", n=1)], ['["b"]', '["never"]'], {0: 7}) == (1, 1)
    assert [(each.values["k"], each.values["n"]) for each in table.read("v", "g", ALL, 10)] == [("a", 3), ("c", 1)]
    assert table.count("v", "g") == 2


def test_doing_it_again_changes_nothing(table: ServingTable) -> None:
    table.prepare("v", "g")
    first: Batch = ([row("a", n=1), row("b", n=1)], [], {0: 2})
    second: Batch = ([row("a", n=2)], ['["b"]'], {0: 4, 1: 1})
    table.write("v", "g", *first)
    table.write("v", "g", *second)
    before = table.read("v", "g", ALL, 10), table.contained("v", "g"), table.count("v", "g")
    assert table.write("v", "g", *second) == (0, 0)
    assert table.write("v", "g", *first) == (0, 0), "an earlier batch is contained already"
    table.prepare("v", "g")
    assert (table.read("v", "g", ALL, 10), table.contained("v", "g"), table.count("v", "g")) == before
    assert before[1].positions == {0: 4, 1: 1}


def test_rows_may_go_without_new_positions(table: ServingTable) -> None:
    table.prepare("v", "g")
    table.write("v", "g", [row("a"), row("b")], [], {0: 2})
    assert table.write("v", "g", [], ['["a"]'], {0: 2}) == (0, 1)
    assert table.write("v", "g", [], ['["b"]'], {}) == (0, 1)
    assert table.contained("v", "g").positions == {0: 2}


def test_rows_before_a_position_expire(table: ServingTable) -> None:
    table.prepare("v", "1-a")
    rows = [Row(f"[{n}]", {"n": n}, offset=n // 2, partition=n % 2) for n in range(1400)]
    table.write("v", "1-a", [*rows, Row("[-1]", {"n": -1}, offset=0, partition=7)], [], {0: 700, 1: 700})
    assert table.expire("v", "1-a", {}) == 0
    before = table.versions("v", "1-a").newest
    assert table.expire("v", "1-a", {0: 690, 1: 1}) == 691 and table.count("v", "1-a") == 1401 - 691
    after = table.versions("v", "1-a").newest
    changes = table.changes("v", "1-a", before, after, 5000).changes
    assert len(changes) == 691 and all(change.row is None for change in changes)  # followers see them go
    assert table.expire("v", "1-a", {0: 690, 1: 1}) == 0
    left = table.read("v", "1-a", Wanted(), 2000)
    assert (
        all(row.partition == 7 or row.offset >= (690 if row.partition == 0 else 1) for row in left) and len(left) == 710
    )


def test_what_is_contained_is_noted(table: ServingTable) -> None:
    table.prepare("v", "g")
    table.write("v", "g", [], [], {0: 5})
    table.contain("v", "g", {"prod/orders": {0: 10, 3: 2**40}, "x": {}}, AT)
    assert table.contained("v", "g") == Contained({0: 5}, {"prod/orders": {0: 10, 3: 2**40}, "x": {}}, AT)


ORDERED: list[list[Any]] = [
    [],
    [None],
    [None, 1],
    [False],
    [True],
    [-(2**70)],
    [-10],
    [-2.5],
    [0],
    [1, None],
    [1, "a"],
    [1.5],
    [9],
    [10],
    [2**53],
    [2**53 + 1],
    ["", "x"],
    ["10"],
    ["9.5"],
    ["Z"],
    ["a"],
    ["a", "b"],
    ["a\x00"],
    ["a\x01"],
    ["ab"],
    ["ä"],
    ["\uffff"],
    ["\U0001f600"],
    [{"a": 1}],
]


def test_rows_come_in_the_order_of_their_keys(table: ServingTable) -> None:
    table.prepare("v", "g")
    shuffled = random.Random(5).sample(ORDERED, len(ORDERED))
    table.write("v", "g", [row(*key) for key in shuffled], [], {0: 1})
    assert keys(table.read("v", "g", ALL, 100)) == ORDERED
    assert keys(table.read("v", "g", ALL, 3)) == ORDERED[:3]
    assert table.read("v", "g", ALL, 0) == []
    after = [keys(table.read("v", "g", Wanted(after=json.dumps(key)), 1)) for key in ORDERED]
    assert after == [[key] for key in ORDERED[1:]] + [[]]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Wanted(keys=('["a"]', '["nobody"]', "[1.0]", '["a"]')), [["a"]]),
        (Wanted(keys=()), []),
        (Wanted(keys=('["a", "b"]', '["Z"]'), low="a"), [["a", "b"]]),
        (Wanted(keys=('["a", "b"]', '["Z"]'), after='["Z"]'), [["a", "b"]]),
        (Wanted(prefix=("a",)), [["a"], ["a", "b"]]),
        (Wanted(prefix=("a",), begins=True), [["a"], ["a", "b"], ["a\x00"], ["a\x01"], ["ab"]]),
        (Wanted(prefix=(1, "a")), [[1, "a"]]),
        (Wanted(prefix=(None,)), [[None], [None, 1]]),
        (Wanted(low=1, high=1.5), [[1, None], [1, "a"], [1.5]]),
        (Wanted(low=-3, high=0), [[-2.5], [0]]),
        (Wanted(high=False), [[], [None], [None, 1], [False]]),
        (Wanted(low=5, high=4), []),
        (Wanted(prefix=("a",), begins=True, low="a\x01", after='["a\\u0001"]'), [["ab"]]),
    ],
)
def test_reads_by_key(table: ServingTable, wanted: Wanted, expected: list[Any]) -> None:
    table.prepare("v", "g")
    table.write("v", "g", [row(*key) for key in ORDERED], [], {0: 1})
    assert keys(table.read("v", "g", wanted, 100)) == expected
    assert keys(table.read("v", "g", wanted, 1)) == expected[:1]


def test_many_keys_at_once(table: ServingTable) -> None:
    table.prepare("v", "g")
    table.write("v", "g", [row(n) for n in range(3000)], [], {0: 1})
    asked = Wanted(keys=tuple(json.dumps([n]) for n in range(5000, -1, -1)))
    assert keys(table.read("v", "g", asked, 10_000)) == [[n] for n in range(3000)]
    assert keys(table.read("v", "g", asked, 1200)) == [[n] for n in range(1200)]


def test_long_keys(table: ServingTable) -> None:
    table.prepare("v", "g")
    long = ["x" * 30_000 + tail for tail in ("a", "b")]
    table.write("v", "g", [row(long[0]), row(long[1]), row("y")], [], {0: 1})
    assert keys(table.read("v", "g", Wanted(keys=(json.dumps([long[1]]),)), 10)) == [[long[1]]]
    paged = keys(table.read("v", "g", Wanted(prefix=("xx",), begins=True), 10))
    assert sorted(paged) == [[long[0]], [long[1]]]
    with pytest.raises(InvalidInput):
        table.read("v", "g", Wanted(prefix=(long[0],)), 10)


def test_generations_are_apart_and_dropped_alone(table: ServingTable) -> None:
    for view, generation in (("v", "g1"), ("v", "g2"), ("w", "g1")):
        table.prepare(view, generation)
        table.write(view, generation, [row(view, generation), row("b")], [], {0: 2})
    assert table.generations("v") == ["g1", "g2"]
    assert table.drop("v", "g1") == 2
    assert table.generations("v") == ["g2"] and table.read("v", "g1", ALL, 5) == [] and table.count("v", "g1") == 0
    assert keys(table.read("v", "g2", ALL, 5)) == [["b"], ["v", "g2"]] and table.count("w", "g1") == 2
    with pytest.raises(NotFound):
        table.write("v", "g1", [row("late")], [], {0: 3})
    table.prepare("v", "g1")
    assert table.read("v", "g1", ALL, 5) == [] and table.contained("v", "g1") == Contained()


@pytest.mark.parametrize("bad", [Row("no list", {}), Row('["z"]', {"v": {1, 2}}), Row("[", {})])
def test_a_failure_in_the_middle_leaves_all_as_before(table: ServingTable, bad: Row) -> None:
    table.prepare("v", "g")
    table.write("v", "g", [row("a", n=1)], [], {0: 1})
    with pytest.raises((InvalidInput, TypeError)):
        table.write("v", "g", [row("a", n=2), row("b"), bad], ['["a"]'], {0: 4})
    assert [each.values["n"] for each in table.read("v", "g", ALL, 5)] == [1]
    assert table.contained("v", "g").positions == {0: 1} and table.count("v", "g") == 1
