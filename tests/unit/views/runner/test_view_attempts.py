"""Batches that are run again: each row is there once at the end, in whatever order the partitions are read."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.twins.views import MemoryServingTable
from views.model import Row
from views.row_ports import Wanted
from views.runner.attempts import Attempts


@st.composite
def topics(draw: st.DrawFn) -> tuple[list[list[tuple[int, int, int]]], list[tuple[int, int]]]:
    """Partitions of (batch, run, value) in the order they were written, and the rows that there should be."""
    partitions: list[list[tuple[int, int, int]]] = [[], [], []]
    rows, run = [], 1
    for batch in range(1, draw(st.integers(1, 4)) + 1):
        values = draw(st.lists(st.integers(0, 2), min_size=1, max_size=4))
        for _ in range(draw(st.integers(0, 2))):  # what an earlier run wrote of it before it was killed
            for value in draw(st.permutations(values))[: draw(st.integers(0, len(values)))]:
                partitions[draw(st.integers(0, 2))].append((batch, run, value))
            run += 1
        for value in draw(st.permutations(values)):
            partitions[draw(st.integers(0, 2))].append((batch, run, value))
        rows += [(batch, value) for value in values]
    return partitions, rows


@given(topics(), st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(0, 255))
def test_each_row_of_the_last_run_is_there_once(written: Any, takes: list[int], restarts: int) -> None:
    partitions, wanted = written
    serving = MemoryServingTable()
    serving.prepare("v", "1-a")
    attempts = Attempts("v", "1-a", serving)
    at, polls = [0, 0, 0], 0
    while any(n < len(each) for n, each in zip(at, partitions, strict=True)):
        rows = []
        polls += 1
        for partition, each in enumerate(partitions):
            for _ in range(takes[(polls + partition) % len(takes)] if polls < 20 else 1):
                if at[partition] < len(each):
                    batch, run, value = each[at[partition]]
                    key = f"[{batch},{run},{partition},{at[partition]}]"
                    rows.append(Row(key, {"batch": batch, "value": value}, at[partition], partition))
                    at[partition] += 1
        kept, gone = attempts.settled(rows)
        serving.write("v", "1-a", kept, gone, dict(enumerate(at)))
        if restarts >> polls % 8 & 1:
            attempts = Attempts("v", "1-a", serving)  # another process goes on
    shown = [(row.values["batch"], row.values["value"]) for row in serving.read("v", "1-a", Wanted(), 100)]
    assert sorted(shown) == sorted(wanted)


def test_rows_without_a_batch_stay() -> None:
    serving = MemoryServingTable()
    serving.prepare("v", "1-a")
    assert Attempts("v", "1-a", serving).settled([Row("[0,5]", {})]) == ([Row("[0,5]", {})], [])
