"""What any `ServingTable` must do for those who write and read it at once."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.serving_tables import ALL, TABLES, keys, row, serving_table
from views.row_ports import ServingTable, Wanted


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest) -> Iterator[ServingTable]:
    with serving_table(request.param, request) as kept:
        yield kept


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
