"""Purposes of one apply are collected once, and looked at in one pass: what is declared grows, the time with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.joins.declared import GovernanceHandler
from catalog.apply.apply import Documents
from catalog.declared.documents import Document
from catalog.errors import InvalidInput
from policies.declared import kinds
from policies.declared.state import GovernanceState
from policies.purposes import MOST_LEVELS, Fit, Purpose, problem
from tests.twins.policies.stores import MemoryPolicyStore
from tests.unit.policies.world import START


class Counted(Documents):
    """Counts how often all of them are walked."""

    walks = 0

    def __iter__(self) -> Iterator[Document]:
        self.walks += 1
        return super().__iter__()


def document(kind: str, name: str, spec: dict[str, Any]) -> Document:
    model = kinds.parse(kind, name, spec)
    return Document("weir/v1", kind, name, {"name": name}, spec, 1, model)


def state() -> GovernanceState:
    return GovernanceState(MemoryPolicyStore(), lambda: START)


def grant(name: str, purpose: str) -> Document:
    spec = {
        "subject": {"user": "ana"},
        "dataset": "prod/orders",
        "purpose": purpose,
        "status": "approved",
        "validFrom": "2026-01-01T00:00:00Z",
        "validTo": "2027-01-01T00:00:00Z",
    }
    return document("Grant", name, spec)


def test_checking_each_document_does_not_walk_all_of_them() -> None:
    governed = state()
    handlers = {kind: GovernanceHandler(kind, governed) for kind in ("Grant", "Purpose")}
    documents = Counted(
        [document("Purpose", f"p{n}", {"parent": f"p{n - 1}" if n % 50 else None}) for n in range(200)]
        + [grant(f"g{n}", f"p{n}") for n in range(200)]
    )
    for each in list(documents):
        handlers[each.kind].check(each, documents)
    assert documents.walks <= 2
    with pytest.raises(InvalidInput, match="no declared purpose 'p999'"):
        handlers["Grant"].check(grant("g", "p999"), documents)


class Spied(dict[str, Purpose]):
    walks = 0

    def __iter__(self) -> Iterator[str]:
        Spied.walks += 1
        return super().__iter__()


def test_all_purposes_are_looked_at_in_one_pass() -> None:
    Spied.walks = 0
    purposes = Spied({f"p{n}": Purpose(f"p{n}", f"p{n // 2}" if n else None) for n in range(3000)})
    fit = Fit(purposes)
    assert all(fit.problem(name) is None for name in list(purposes.keys()))
    assert Spied.walks <= 4


def test_every_problem_is_found_in_the_one_pass() -> None:
    purposes = {
        each.name: each
        for each in (
            Purpose("a"),
            Purpose("A"),
            Purpose("b", "aa"),
            Purpose("x", "y"),
            Purpose("y", "x"),
            Purpose("z", "x"),
            Purpose("fine", "a"),
        )
    }
    fit = Fit(purposes)
    assert "differs from the purpose 'A'" in (fit.problem("a") or "")
    assert "'aa', which is not declared" in (fit.problem("b") or "")
    assert "circle of parents (x -> y -> x)" in (fit.problem("x") or "")
    assert "circle" in (fit.problem("z") or "") and "circle" in (fit.problem("y") or "")
    assert fit.problem("fine") is None
    assert all(problem(name, purposes) == fit.problem(name) for name in purposes)


def test_a_tree_has_a_most_of_levels() -> None:
    deep = {f"p{n}": Purpose(f"p{n}", f"p{n - 1}" if n else None) for n in range(MOST_LEVELS + 1)}
    fit = Fit(deep)
    assert fit.problem(f"p{MOST_LEVELS - 1}") is None
    assert f"level {MOST_LEVELS + 1}" in (fit.problem(f"p{MOST_LEVELS}") or "")
