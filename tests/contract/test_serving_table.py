"""What any `ServingTable` must do, on the twin, SQLite and PostgreSQL."""

from __future__ import annotations

import json
import random
import stat
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, event, text

from catalog.errors import InvalidInput, NotFound, SettingsError, Unavailable
from tests.catalog_stores import own_postgres
from tests.twins.views import MemoryServingTable
from views.adapters import serving_sql
from views.adapters.serving_sql import SqlServingTable
from views.model import Row
from views.row_ports import Changes, Contained, ServingTable, Versions, Wanted

AT = datetime(2026, 11, 23, 10, 0, 0, 5, tzinfo=UTC)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def table(request: pytest.FixtureRequest) -> Iterator[ServingTable]:
    if request.param == "memory":
        yield MemoryServingTable()
        return
    if request.param == "sqlite":
        store = SqlServingTable(f"sqlite:///{request.getfixturevalue('tmp_path')}/deep/views.db")
        yield store
        store.close()
        return
    with own_postgres(request.getfixturevalue("postgres_server")) as url:
        store = SqlServingTable(url)
        yield store
        store.close()


Batch = tuple[list[Row], list[str], dict[int, int]]
"""Rows, keys to delete, positions."""


def row(*key: Any, offset: int = 0, partition: int = 0, **values: Any) -> Row:
    return Row(json.dumps(list(key)), {"k": key[0] if key else None, **values}, offset, partition)


def keys(rows: list[Row]) -> list[Any]:
    return [json.loads(each.key) for each in rows]


ALL = Wanted()


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


def together(*tasks: Callable[[], None]) -> None:
    """Run tasks in threads of their own; raises the first error of any."""
    errors: list[BaseException] = []

    def run(task: Callable[[], None]) -> None:
        try:
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for each in threads:
        each.start()
    for each in threads:
        each.join(120)
        assert not each.is_alive()
    if errors:
        raise errors[0]


def test_two_write_while_a_third_reads_and_sees_no_half(table: ServingTable) -> None:
    """Each batch gives every row of its view the same number, and is the position."""
    done = threading.Event()
    batches, size = 30, 120

    def writer(view: str) -> Callable[[], None]:
        def run() -> None:
            for n in range(1, batches + 1):
                gone = [json.dumps([size - 1])] if n % 2 else []
                table.write(view, "g", [row(i, n=n) for i in range(size - n % 2)], gone, {0: n})

        return run

    def reader() -> None:
        seen: dict[str, int] = {}
        while not done.is_set():
            for view in ("a", "b"):
                noted = table.contained(view, "g").positions.get(0, 0)
                rows = table.read(view, "g", ALL, 1000)
                numbers = {each.values["n"] for each in rows}
                assert len(numbers) <= 1, "rows of two batches"
                number = int(str(numbers.pop())) if numbers else 0
                assert number == 0 or len(rows) == size - number % 2
                assert number >= noted and number >= seen.get(view, 0), "a noted position is in the rows"
                seen[view] = number

    for view in ("a", "b"):
        table.prepare(view, "g")

    def writers() -> None:
        try:
            together(writer("a"), writer("b"))
        finally:
            done.set()

    together(writers, reader)
    for view in ("a", "b"):
        assert table.count(view, "g") == len(table.read(view, "g", ALL, 1000)) == size
        assert table.contained(view, "g").positions == {0: batches}


def test_paging_gives_each_row_once_while_others_come_and_go(table: ServingTable) -> None:
    stay = list(range(0, 4000, 4))
    table.prepare("v", "g")
    table.write("v", "g", [row(n) for n in stay], [], {0: 1})
    done = threading.Event()

    def change() -> None:
        rng, batch = random.Random(3), 2
        while not done.is_set():
            some = [n for n in rng.sample(range(4000), 50) if n % 4]
            half = len(some) // 2
            table.write("v", "g", [row(n) for n in some[:half]], [json.dumps([n]) for n in some[half:]], {0: batch})
            batch += 1

    def page() -> None:
        try:
            for _ in range(3):
                paged: list[int] = []
                after = None
                while rows := table.read("v", "g", Wanted(after=after), 37):
                    paged += [each[0] for each in keys(rows)]
                    after = rows[-1].key
                assert paged == sorted(set(paged)) and set(stay) <= set(paged)
        finally:
            done.set()

    together(change, page)


def changed(table: ServingTable, after: int, limit: int = 100, gone: bool = True, until: int | None = None) -> Any:
    """(version, key, n or None) of each change, and where they end."""
    top = table.versions("v", "g").newest if until is None else until
    page = table.changes("v", "g", after, top, limit, gone)
    return [(c.version, json.loads(c.key)[0], c.row.values["n"] if c.row else None) for c in page.changes], page.end


def test_changes_since_a_version(table: ServingTable) -> None:
    assert table.versions("v", "g") == Versions() and table.changes("v", "g", -1, 5, 10) == Changes((), 5)
    table.prepare("v", "g")
    assert table.versions("v", "g") == Versions(0, 0)
    table.write("v", "g", [row("a", n=1), row("b", n=1), row("c", n=1)], [], {0: 3})
    table.write("v", "g", [row("b", n=2)], ['["a"]', '["never"]'], {0: 6})
    table.write("v", "g", [], [], {0: 7})
    assert table.versions("v", "g") == Versions(2, 0), "a batch without rows makes no version"
    assert changed(table, 1) == ([(2, "a", None), (2, "b", 2)], 2)
    assert changed(table, -1, gone=False) == ([(1, "c", 1), (2, "b", 2)], 2)
    assert changed(table, 2) == ([], 2)
    table.write("v", "g", [row("a", n=3), row("b", n=2, offset=9)], ['["c"]'], {0: 9})
    assert changed(table, 2) == ([(3, "a", 3), (3, "c", None)], 3), "the same values again change nothing"
    assert changed(table, 1) == ([(2, "a", None), (2, "b", 2), (3, "a", 3), (3, "c", None)], 3)
    assert changed(table, 1, until=2) == ([(2, "a", None), (2, "b", 2)], 2)


def test_a_version_is_never_divided(table: ServingTable) -> None:
    table.prepare("v", "g")
    for batch in range(5):
        table.write("v", "g", [row(f"{batch}-{n:03}", n=n) for n in range(40)], [], {0: batch + 1})
    at, sizes = -1, []
    while at < 5:
        some, at = changed(table, at, 90)
        sizes.append(len(some))
    assert sizes == [80, 80, 40]
    assert len(changed(table, -1, 7)[0]) == 40 and changed(table, -1, 7)[1] == 1


def test_keys_that_are_gone_are_forgotten(table: Any) -> None:
    table.prepare("v", "g")
    table.write("v", "g", [row("a", n=1), row("b", n=1)], [], {0: 2})
    table.write("v", "g", [], ['["a"]'], {0: 3})
    assert table.forget_gone("v", "g", datetime.now(UTC) - timedelta(seconds=60)) == 0
    assert table.versions("v", "g") == Versions(2, 0)
    assert table.forget_gone("v", "g", datetime.now(UTC) + timedelta(seconds=60)) == 1
    assert table.versions("v", "g") == Versions(2, 2) and changed(table, 1) == ([], 2)
    table.write("v", "g", [], ['["b"]'], {0: 4})
    table.scrub()
    assert table.versions("v", "g") == Versions(3, 3)
    assert table.forget_gone("v", "nothing", datetime.now(UTC)) == 0


def test_a_follower_who_applies_changes_has_the_rows(table: ServingTable) -> None:
    table.prepare("v", "g")
    rng, at = random.Random(11), -1
    copied: dict[str, object] = {}
    for batch in range(1, 120):
        some = rng.sample(range(30), 6)
        table.write("v", "g", [row(n, n=batch) for n in some[:3]], [json.dumps([n]) for n in some[3:]], {0: batch})
        while rng.random() < 0.4 and at < batch:
            page = table.changes("v", "g", at, table.versions("v", "g").newest, 8, at >= 0)
            at = page.end
            for each in page.changes:
                copied.pop(each.key, None)
                if each.row is not None:
                    copied[each.key] = each.row.values["n"]
    for each in table.changes("v", "g", at, table.versions("v", "g").newest, 1000).changes:
        copied.pop(each.key, None)
        if each.row is not None:
            copied[each.key] = each.row.values["n"]
    assert copied == {each.key: each.values["n"] for each in table.read("v", "g", ALL, 100)}


def test_a_database_of_a_weir_without_versions_gets_them(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/views.db"
    table = SqlServingTable(url)
    table.prepare("v", "g")
    table.write("v", "g", [row("a", n=1)], [], {0: 1})
    table.close()
    with create_engine(url).begin() as connection:
        connection.execute(text("DROP INDEX weir_view_rows_1_version"))
        connection.execute(text("DROP TABLE weir_view_gone_1"))
        connection.execute(text("ALTER TABLE weir_view_rows_1 DROP COLUMN version"))
        for column in ("version", "forgotten"):
            connection.execute(text(f"ALTER TABLE weir_view_generations DROP COLUMN {column}"))
    again = SqlServingTable(url)
    assert changed(again, -1) == ([(0, "a", 1)], 0)
    again.write("v", "g", [row("b", n=2)], ['["a"]'], {0: 2})
    assert changed(again, 0) == ([(1, "a", None), (1, "b", 2)], 1)
    again.close()


# --- what only databases on a disk do ---------------------------------------------------------------------------------


def test_the_files_are_the_owners_alone(tmp_path: Path) -> None:
    table = SqlServingTable(f"sqlite:///{tmp_path}/deep/views.db")
    table.prepare("v", "g")
    table.write("v", "g", [row("a")], [], {0: 1})
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "deep").iterdir()}
    assert modes == {"views.db": 0o600, "views.db-wal": 0o600, "views.db-shm": 0o600}
    assert stat.S_IMODE((tmp_path / "deep").stat().st_mode) == 0o700
    table.close()


@pytest.mark.parametrize("size", [40, 900, 9000])
def test_no_byte_of_a_dropped_generation_is_left(tmp_path: Path, size: int) -> None:
    """Many rows in random order, changed and taken away meanwhile, so that pages are split and joined."""
    planted = "Planted-Name-4711"
    table = SqlServingTable(f"sqlite:///{tmp_path}/views.db")
    for generation in ("old", "new"):
        table.prepare("v", generation)
    rng, left = random.Random(size), 6_000_000 // (size + 200)
    for n in range(0, left, 500):
        batch = [row(f"{planted}-{rng.randrange(10**6)}", name=planted + "x" * rng.randrange(size)) for _ in range(500)]
        table.write("v", "old", batch, [each.key for each in batch[:100]], {0: n})
        table.write("v", "new", [row(rng.randrange(10**6), name="clear" * rng.randrange(20))], [], {0: n})
    assert planted.encode() in b"".join(each.read_bytes() for each in tmp_path.iterdir())
    kept = table.read("v", "new", ALL, 10_000)
    count = table.count("v", "old")
    assert table.drop("v", "old") == count > 0
    assert {each.name for each in tmp_path.iterdir() if planted.encode() in each.read_bytes()} == set()
    assert table.read("v", "new", ALL, 10_000) == kept
    table.close()


@pytest.mark.tail
@pytest.mark.parametrize("size", [200, 3000])
def test_no_byte_of_a_row_that_is_gone_is_left_after_a_scrub(tmp_path: Path, size: int) -> None:
    table = SqlServingTable(f"sqlite:///{tmp_path}/views.db")
    table.prepare("v", "g")
    rng = random.Random(size)
    names = [f"Name{rng.randrange(10**9)}" for _ in range(3000)]
    for n in range(0, 3000, 200):
        table.write("v", "g", [row(x, t=f"Of-{x}-" + "y" * rng.randrange(size)) for x in names[n : n + 200]], [], {})
    gone, changed = set(names[::3]), set(names[1::3])
    table.write("v", "g", [row(x, t="clean") for x in changed], [json.dumps([x]) for x in gone], {})
    table.scrub()
    left = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert [x for x in names if f"Of-{x}-".encode() in left] == names[2::3]
    assert not [x for x in gone if x.encode() in left]
    assert table.count("v", "g") == len(table.read("v", "g", ALL, 5000)) == 2000
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {0o600}
    table.close()


def test_a_scrub_keeps_all_rows(table: Any) -> None:
    for generation in ("g1", "g2"):
        table.prepare("v", generation)
        table.write("v", generation, [row(n) for n in range(100)], [], {0: 1})
    table.scrub()
    assert [table.count("v", each) for each in table.generations("v")] == [100, 100]
    assert len(table.read("v", "g2", ALL, 200)) == 100
    assert table.write("v", "g1", [row("new")], [], {0: 2}) == (1, 0)


def test_a_drop_that_was_interrupted_is_ended_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/views.db"
    table = SqlServingTable(url)
    table.prepare("v", "g")
    table.write("v", "g", [row(n) for n in range(50)], [], {0: 1})
    monkeypatch.setattr(serving_sql, "_CHUNK", 10)
    monkeypatch.setattr(table, "_delete_some", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        table.drop("v", "g")
    table.close()
    again = SqlServingTable(url)
    assert again.generations("v") == ["g"], "somebody must know that it is to be dropped"
    assert again.read("v", "g", ALL, 5) == [] and again.count("v", "g") == 0
    again.prepare("v", "g")
    assert again.count("v", "g") == 0 and again.write("v", "g", [row("a")], [], {0: 1}) == (1, 0)
    again.close()


def test_a_reader_elsewhere_finds_nothing_after_a_drop(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/views.db"
    one, other = SqlServingTable(url), SqlServingTable(url)
    one.prepare("v", "g")
    one.write("v", "g", [row("a")], [], {0: 1})
    assert len(other.read("v", "g", ALL, 5)) == 1
    one.drop("v", "g")
    assert other.read("v", "g", ALL, 5) == []
    one.prepare("v", "g")
    one.write("v", "g", [row("b")], [], {0: 1})
    assert keys(other.read("v", "g", ALL, 5)) == [["b"]]
    one.close()
    other.close()


def test_a_full_disk_is_unavailable_and_nothing_is_half(tmp_path: Path) -> None:
    table = SqlServingTable(f"sqlite:///{tmp_path}/views.db")
    table.prepare("v", "g")
    table.write("v", "g", [row("a", n=1)], [], {0: 1})
    event.listen(table._database.engine, "checkout", lambda raw, *_: raw.execute("PRAGMA max_page_count = 20"))
    with pytest.raises(Unavailable) as caught:
        table.write("v", "g", [row(n, text="secret" * 2000) for n in range(100)], [], {0: 2})
    assert caught.value.details == {"server": "views"} and "full" in caught.value.message
    assert "secret" not in caught.value.message and "Traceback" not in caught.value.message
    assert keys(table.read("v", "g", ALL, 5)) == [["a"]] and table.contained("v", "g").positions == {0: 1}
    table.close()


@pytest.mark.parametrize("url", ["sqlite:////proc/none/views.db", "postgresql://weir:geheim@127.0.0.1:1/views"])
def test_a_database_that_is_away_is_one_sentence(url: str) -> None:
    table = SqlServingTable(url)
    with pytest.raises(Unavailable) as caught:
        table.count("v", "g")
    assert caught.value.details == {"server": "views"} and "geheim" not in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("url", ["", "nonsense", "mysql://x/y", "sqlite://", "oracle://x"])
def test_another_kind_of_url_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="WEIR_VIEWS__SERVING_URL"):
        SqlServingTable(url)
