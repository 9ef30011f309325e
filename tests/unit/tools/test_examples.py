"""How many examples and cases a quick run tries."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import examples

GATE, OTHER = Path("tests/unit/policies/gate/test_gate.py"), Path("tests/unit/views/test_views.py")


@pytest.mark.parametrize(
    ("asked", "path", "tried"),
    [(300, GATE, 100), (60, GATE, 30), (20, GATE, 20), (300, OTHER, 30), (60, OTHER, 10), (6, OTHER, 6)],
)
def test_what_decides_access_keeps_more_of_its_examples(asked: int, path: Path, tried: int) -> None:
    assert examples.share(asked, path) == tried


def test_the_lower_number_holds_when_the_property_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_TEST_DEPTH", "quick")
    tried: list[int] = []

    @settings(max_examples=200, deadline=None, database=None)
    @given(st.integers())
    def prop(number: int) -> None:
        tried.append(number)

    item: Any = SimpleNamespace(obj=prop, path=OTHER)
    examples.reduce([item, item])
    prop()
    assert len(tried) == 20


def test_a_run_of_all_lowers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_TEST_DEPTH", "all")
    assert examples.some(range(1, 100)) == range(1, 100)
    assert examples.few("abcd", 2, "letters") == list("abcd")
    assert examples.sample([_Case("t[1]"), _Case("t[2]")]) == []  # type: ignore[list-item]


class _Case:
    def __init__(self, nodeid: str) -> None:
        self.nodeid = nodeid

    def get_closest_marker(self, name: str) -> Any:
        return SimpleNamespace(args=(1,)) if name == "sampled" else None


def test_cases_are_sampled_by_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_TEST_DEPTH", "quick")
    cases: list[Any] = [_Case(f"t[{n}]") for n in range(9)]
    kept = set()
    for seed in range(40):
        monkeypatch.setenv("WEIR_TEST_SEED", str(seed))
        left_out = examples.sample(cases)
        assert len(left_out) == 8 and left_out == examples.sample(cases)
        kept |= set(cases) - set(left_out)
    assert len(kept) > 5


def test_ended_processes_are_tried_at_every_fifth_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_TEST_DEPTH", "quick")
    points = examples.some(range(1, 100))
    assert points.step == 5 and len(points) in (19, 20) and points[0] <= 5


def test_few_of_the_cases_are_chosen_by_the_seed_and_by_what_they_belong_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_TEST_DEPTH", "quick")
    chosen = set()
    for seed in range(40):
        monkeypatch.setenv("WEIR_TEST_SEED", str(seed))
        few = examples.few("abcdefghi", 3, "letters")
        assert few == examples.few("abcdefghi", 3, "letters") == sorted(few) and len(few) == 3
        chosen |= set(few)
    assert chosen == set("abcdefghi")
    assert len({tuple(examples.few("abcdefghi", 3, str(number))) for number in range(40)}) > 5
    assert examples.few("ab", 3, "letters") == ["a", "b"]
