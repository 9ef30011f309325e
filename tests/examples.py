"""How many examples a property test tries: all that it asks for in `weir test --all`, else a share by risk.

WEIR_TEST_SEED chooses them; `weir test` sets it to a random number and prints it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import core, settings

DECIDES = ("policies/decision", "policies/gate", "policies/masks", "policies/query", "policies/sql")
"""Folders of tests whose subject keeps values from a reader: a third of the examples, and at least 30."""


Case = TypeVar("Case")


def deep() -> bool:
    """Whether the run is one of all examples."""
    return os.environ.get("WEIR_TEST_DEPTH") == "all"


def configure() -> None:
    """Set what holds for all property tests of this process."""
    # How long one example takes says more about the other work of the machine than about the code: see `effort` for costs.
    examples = int(os.environ.get("WEIR_TEST_EXAMPLES", "100"))
    settings.register_profile("weir", deadline=None, max_examples=examples)
    settings.load_profile("weir")
    if seed := os.environ.get("WEIR_TEST_SEED"):
        core.global_force_seed = int(seed)  # type: ignore[assignment]  # as `--hypothesis-seed` does


def told() -> str:
    """Which examples this process tries, and how to try the same again."""
    seed = os.environ.get("WEIR_TEST_SEED")
    return f"{'all' if deep() else 'few'} examples, " + (f"WEIR_TEST_SEED={seed}" if seed else "no fixed seed")


def share(of: int, path: Path) -> int:
    """How many of so many examples a property in this file tries in a quick run."""
    part, least = (3, 30) if any(folder in path.as_posix() for folder in DECIDES) else (10, 10)
    return min(of, max(least, of // part))


def some(points: range) -> range:
    """Of the moments at which a process is ended: all, or in a quick run every fifth, from a random one on."""
    if deep():
        return points
    first = random.Random(os.environ.get("WEIR_TEST_SEED")).randrange(5)
    return points[first::5]


def few(cases: Sequence[Case], most: int, of: str) -> list[Case]:
    """Of cases that should all end alike: all, or in a quick run so many of them, in their order.

    `of`: what the cases belong to; another one with as many cases has others chosen.
    """
    if deep() or len(cases) <= most:
        return list(cases)
    chosen = random.Random(f"{os.environ.get('WEIR_TEST_SEED')} {of}").sample(range(len(cases)), most)
    return [cases[number] for number in sorted(chosen)]


def sample(items: list[pytest.Item]) -> list[pytest.Item]:
    """The cases that a quick run leaves out: of a test marked `sampled(N)` all but N, others with each seed.

    A test that somebody names with its case is not among several, so it runs.
    """
    if deep():
        return []
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled") is not None:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out = []
    for name, those in cases.items():
        mark = those[0].get_closest_marker("sampled")
        assert mark is not None
        some = random.Random(f"{os.environ.get('WEIR_TEST_SEED')} {name}")
        left_out += some.sample(those, max(0, len(those) - mark.args[0]))
    return left_out


def reduce(items: list[pytest.Item]) -> None:
    """Lower the examples of each collected property; nothing in a run of all examples."""
    if deep():
        return
    reduced: set[int] = set()
    for item in items:
        test: Any = getattr(item, "obj", None)
        test = getattr(test, "__func__", test)
        if not getattr(test, "is_hypothesis_test", False) or id(test) in reduced:
            continue
        reduced.add(id(test))
        own: settings = getattr(test, "_hypothesis_internal_use_settings", None) or settings()
        fewer = settings(own, max_examples=share(own.max_examples, item.path))
        test._hypothesis_internal_use_settings = fewer
