"""What is kept of the catalog is never older than the catalog."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.change_cache import ChangeCache, one_moment


class Source:
    """A value that counts its changes, as a store does."""

    def __init__(self) -> None:
        self.value, self.number, self.reads = 0, 0, 0
        self.inside = False

    def changes(self) -> int | None:
        return None if self.inside else self.number

    def read(self) -> int:
        self.reads += 1
        return self.value

    def write(self, value: int) -> None:
        self.value = value
        self.number += 1


def test_read_once_while_nothing_changes() -> None:
    source = Source()
    kept: ChangeCache[int] = ChangeCache(source.changes)
    assert [kept.get("a", source.read) for _ in range(5)] == [0] * 5 and source.reads == 1
    source.write(7)
    assert [kept.get("a", source.read) for _ in range(5)] == [7] * 5 and source.reads == 2


def test_within_one_moment_the_number_is_asked_once() -> None:
    source = Source()
    kept: ChangeCache[int] = ChangeCache(source.changes)
    with one_moment():
        assert [kept.get("a", source.read), kept.get("b", source.read)] == [0, 0]
        source.write(7)
        assert kept.get("a", source.read) == 0, "as at the first look"
        assert kept.get("c", source.read) == 7
    assert [kept.get(key, source.read) for key in "abc"] == [7, 7, 7]


def test_a_change_while_it_is_read_is_seen_by_the_next_look() -> None:
    source = Source()
    kept: ChangeCache[int] = ChangeCache(source.changes)

    def slow() -> int:
        answer = source.read()
        source.write(1)  # another's change, behind the read and before the value is kept
        return answer

    assert kept.get("a", slow) == 0
    assert kept.get("a", source.read) == 1


def test_a_late_reader_does_not_bring_back_what_was_before() -> None:
    source = Source()
    kept: ChangeCache[int] = ChangeCache(source.changes)
    began, go = threading.Event(), threading.Event()

    def late() -> int:
        answer = source.read()
        began.set()
        assert go.wait(20)
        return answer

    reader = threading.Thread(target=lambda: kept.get("a", late))
    reader.start()
    assert began.wait(20)
    source.write(1)
    assert kept.get("a", source.read) == 1
    go.set()
    reader.join(20)
    assert kept.get("a", source.read) == 1


def test_nothing_is_kept_inside_a_transaction() -> None:
    source = Source()
    kept: ChangeCache[int] = ChangeCache(source.changes)
    source.inside, source.value = True, 5
    assert kept.get("a", source.read) == 5
    source.inside, source.value = False, 0  # taken back
    assert kept.get("a", source.read) == 0


def test_what_cannot_be_read_is_asked_again() -> None:
    source = Source()
    kept: ChangeCache[int] = ChangeCache(source.changes)

    def missing() -> int:
        raise KeyError("a")

    with pytest.raises(KeyError):
        kept.get("a", missing)
    assert kept.get("a", source.read) == 0


def test_only_so_many_are_kept() -> None:
    source = Source()
    kept: ChangeCache[int] = ChangeCache(source.changes, most=2)
    for key in ("a", "b", "a", "c", "a"):
        kept.get(key, source.read)
    assert source.reads == 3
    kept.get("b", source.read)
    assert source.reads == 4


@given(st.lists(st.one_of(st.sampled_from("abc"), st.integers(0, 9), st.just(None))))
def test_every_look_gives_the_present_value(steps: list[str | int | None]) -> None:
    source = Source()
    kept: ChangeCache[int] = ChangeCache(source.changes, most=2)
    for step in steps:
        if step is None:
            source.inside = not source.inside
        elif isinstance(step, int):
            source.write(step)
        else:
            assert kept.get(step, source.read) == source.value
