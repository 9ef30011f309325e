"""A purpose covers itself and what is below it: the tree alone, and decisions with it."""

from __future__ import annotations

import os
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import InvalidInput
from policies.decision.decide import decide
from policies.decision.policy_index import Compiled
from policies.model import AccessPolicy, Effect, Grant, MaskPolicy, Policy, RowPolicy, SubjectMatch
from policies.purposes import NO_PURPOSES, Purpose, Purposes, problem
from tests.unit.policies.decision import reference, test_decide_reference
from tests.unit.policies.decision.test_decide_reference import NOW, ROWS, SEED, World, seen

CASES = int(os.environ.get("WEIR_TEST_DECISIONS", "5000")) // 2
NAMES = ["fraud", "fraud.cards", "fraud.cards.eu", "support", "Support desk", "übermut", "x"]


def ancestors(name: str, parents: dict[str, str | None]) -> set[str]:
    """Ancestor-or-self, by walking up: what `covers` is meant to be."""
    walked: set[str] = set()
    at: str | None = name
    while at is not None and at not in walked:
        walked.add(at)
        at = parents.get(at)
    return walked


def tree(rng: random.Random, names: list[str]) -> dict[str, str | None]:
    """A random forest over the names: each one's parent comes before it in a random order."""
    order = rng.sample(names, len(names))
    return {each: rng.choice([None, *order[:i]]) if i else None for i, each in enumerate(order)}


@given(st.randoms(use_true_random=False), st.integers(1, 30))
def test_covers_is_ancestor_or_self(rng: random.Random, size: int) -> None:
    names = [f"p{number}" for number in range(size)]
    parents = tree(rng, names)
    purposes = Purposes(Purpose(name, parent) for name, parent in parents.items())
    for name in names:
        assert set(purposes.path(name)) == ancestors(name, parents)
        assert set(purposes.below(name)) == {each for each in names if name in ancestors(each, parents)}
        assert [above for above in names if purposes.covers(above, name)] == [
            above for above in names if above in ancestors(name, parents)
        ]
    ordered = [each.name for each in purposes.ordered()]
    assert all(p is None or ordered.index(p) < ordered.index(name) for name, p in parents.items())


def test_in_a_circle_nothing_covers_another() -> None:
    purposes = Purposes([Purpose("a", "b"), Purpose("b", "a"), Purpose("c", "a")])
    assert purposes.path("a") == ("a",)
    assert not purposes.covers("b", "a") and not purposes.covers("a", "c")
    assert "circle" in (problem("a", purposes.by_name) or "")


def test_names_that_are_near_are_given() -> None:
    purposes = Purposes([Purpose("marketing"), Purpose("marketing.email", "marketing")])
    with pytest.raises(InvalidInput, match="did you mean marketing"):
        purposes.require("Marketting")
    with pytest.raises(InvalidInput, match="weir request purposes"):
        purposes.require("zzz")
    NO_PURPOSES.require("anything at all")
    assert problem("MARKETING", {**purposes.by_name, "MARKETING": Purpose("MARKETING")}) is not None


def below(match: SubjectMatch, parents: dict[str, str | None]) -> SubjectMatch:
    return replace(match, purposes=spread(match.purposes, parents))


def spread(names: frozenset[str], parents: dict[str, str | None]) -> frozenset[str]:
    return frozenset(each for each in parents if names & ancestors(each, parents))


def expanded(policy: Policy, parents: dict[str, str | None]) -> Policy:
    """The policy with every descendant of each purpose written out."""
    if isinstance(policy, AccessPolicy):
        return replace(policy, purposes=spread(policy.purposes, parents))
    if isinstance(policy, MaskPolicy):
        return replace(policy, subjects=below(policy.subjects, parents), exempt=below(policy.exempt, parents))
    assert isinstance(policy, RowPolicy)
    return replace(policy, exempt=below(policy.exempt, parents))


def copies(grant: Grant, parents: dict[str, str | None]) -> list[Grant]:
    """The grant, once for each purpose that it holds for."""
    return [replace(grant, purpose=each) for each in sorted(spread(frozenset({grant.purpose}), parents))]


def test_a_decision_with_the_tree_equals_one_with_everything_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_decide_reference, "PURPOSES", NAMES)
    outcomes = {Effect.ALLOW: 0, Effect.DENY: 0}
    differs = 0
    for number in range(CASES):
        w = World(SEED + number)
        parents = tree(w.rng, NAMES)
        purposes = Purposes(Purpose(name, parent) for name, parent in parents.items())
        policies = [expanded(each, parents) for each in w.policies]
        grants = [copy for each in w.grants for copy in copies(each, parents)]
        expected = reference.answer(w.subject, w.facts, w.roles, policies, grants, w.purpose, NOW, w.sensitive, ROWS)
        common = {"roles": w.roles, "policies": Compiled(w.policies), "now": NOW, "unscanned_is_sensitive": w.sensitive}
        # Another tree and another purpose first: nothing of them may be left in what is kept between decisions.
        other = decide(w.subject, w.facts, grants=w.grants, purpose=w.purpose, **common)  # type: ignore[arg-type]
        decide(w.subject, w.facts, grants=w.grants, purpose=w.rng.choice(NAMES), purposes=purposes, **common)  # type: ignore[arg-type]
        decision = decide(w.subject, w.facts, grants=w.grants, purpose=w.purpose, purposes=purposes, **common)  # type: ignore[arg-type]
        assert not any("decision failed" in gap for gap in decision.gaps), f"seed {SEED + number}: {decision.gaps}"
        assert seen(decision) == expected, f"seed {SEED + number}"
        outcomes[decision.effect] += 1
        differs += seen(other) != expected
    assert min(outcomes.values()) > CASES / 20, f"one outcome is hardly tested: {outcomes}"
    assert differs > CASES / 250, "the tree hardly matters in these cases"


def test_the_purposes_worth_stating_show_every_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_decide_reference, "PURPOSES", NAMES[:4])  # the others are in the tree, and nowhere else
    for number in range(CASES // 5):
        w = World(SEED + number)
        purposes = Purposes(Purpose(name, parent) for name, parent in tree(w.rng, NAMES).items())
        compiled = Compiled(w.policies)

        def answer(
            purpose: str | None, w: World = w, compiled: Compiled = compiled, tree: Purposes = purposes
        ) -> object:
            return seen(
                decide(
                    w.subject,
                    w.facts,
                    roles=w.roles,
                    policies=compiled,
                    grants=w.grants,
                    purpose=purpose,
                    now=NOW,
                    unscanned_is_sensitive=w.sensitive,
                    purposes=tree,
                )
            )

        granted = {each.purpose for each in w.grants}
        tried = {repr(answer(each)) for each in purposes.worth_stating(granted, compiled.purposes)}
        for name in NAMES:
            if granted.intersection(purposes.path(name)):
                assert repr(answer(name)) in tried, f"seed {SEED + number}: {name}"


def test_a_purpose_that_is_not_declared_opens_nothing() -> None:
    w = World(SEED)
    decision = decide(
        w.subject, w.facts, roles=w.roles, purpose="fruad", now=NOW, purposes=Purposes([Purpose("fraud")])
    )
    assert decision.effect is Effect.DENY
    assert [r.text for r in decision.reasons] == ["There is no declared purpose 'fruad'; did you mean fraud?"]
