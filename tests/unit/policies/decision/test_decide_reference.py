"""`decide` against the reference decider, on random worlds. WEIR_TEST_DECISIONS sets how many.

5,000 where it is absent, 20,000 in `.ci/run`, 1,000,000 for a release.
"""

from __future__ import annotations

import itertools
import os
import random
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest

from catalog.model import DatasetId
from policies.decision.decide import decide
from policies.decision.policy_index import Compiled
from policies.masks import registry
from policies.model import (
    UNSCANNED_TAG,
    AccessPolicy,
    DatasetFacts,
    Decision,
    Effect,
    FieldFacts,
    Grant,
    GrantStatus,
    Mask,
    MaskPolicy,
    MaskType,
    Policy,
    Role,
    RowFilter,
    RowPolicy,
    Subject,
    SubjectMatch,
    Target,
)
from tests.unit.policies.decision import reference

CASES = int(os.environ.get("WEIR_TEST_DECISIONS", "5000"))
SHARDS = 10
SEED = int(os.environ.get("WEIR_TEST_SEED", "20261121"))

T = TypeVar("T")
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ROWS = ["r1", "r2", "r3"]
USERS, GROUPS, ROLES = ["ana", "otto", "petra"], ["g1", "g2"], ["a", "b", "c", "d"]
PURPOSES = ["fraud", "support"]
DATASETS = ["prod/orders", "prod/*", "*", "dev/orders", "*/orders", "prod/payments", "p*d/o*rs"]
TAGS = ["EMAIL_ADDRESS", "PERSON", "PII", "domain.sales", "DATE_TIME", "GOLD", UNSCANNED_TAG]
PATHS = [
    "key",
    "headers.h",
    "value",
    "value.a",
    "value.A",
    "value.a.b",
    "value.m",
    "value.m{}",
    "value.m{k}",
    "value.m{K}",
    "value.m{k}.x",
    "value.m{}.x",
    "value.m{}.n{}",
    "value.m{k}.n{j}",
    "value.m@keys",
    "value.l[]",
    "value.l[].x",
    "value.z",
]
MASKS = [
    *(Mask(t) for t in registry.installed().kinds if t != MaskType.CUSTOM),
    Mask(MaskType.CUSTOM, "a"),
    Mask(MaskType.CUSTOM, "b"),
    Mask("MASK_SHOW_LAST_4", params={"show": 1}),
    Mask("GENERALIZE", params={"step": 100}),
    Mask("TRUNCATE_GEO", params={"decimals": 3}),
]


class World:
    """One random case."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        some = self.some
        self.subject = Subject("ana", some(GROUPS, 1), some(ROLES, 2))
        self.facts = DatasetFacts(
            DatasetId("kafka://x:1", "orders"),
            "prod/orders",
            tuple(
                FieldFacts(p, {t: self.one(["", "98% of 1,000"]) for t in some(TAGS[:5], 1)}, self.chance(0.8))
                for p in self.rng.sample(PATHS, self.rng.randint(0, 6))
            ),
            some(["domain.sales", "GOLD", "PII"], 1),
            SubjectMatch(users=some(USERS, 1), groups=some(GROUPS, 0)),
        )
        declared = [r for r in ROLES if self.chance(0.85)]
        self.roles = {name: self.role(name, declared) for name in declared}
        self.policies: list[Policy] = [self.policy(i) for i in range(self.rng.randint(0, 6))]
        self.grants = [self.grant(i) for i in range(self.rng.randint(0, 4))]
        self.purpose = self.one([None, None, *PURPOSES])
        self.sensitive = self.chance(0.85)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def one(self, of: list[T]) -> T:
        return self.rng.choice(of)

    def some(self, of: list[T], mean: int) -> frozenset[T]:
        return frozenset(self.rng.sample(of, min(len(of), self.rng.choice([0, mean, mean, mean + 1]))))

    def match(self, purposes: bool = False) -> SubjectMatch:
        return SubjectMatch(
            self.chance(0.25),
            self.some(USERS, 0),
            self.some(GROUPS, 0),
            self.some(ROLES, 1),
            self.some(PURPOSES, 1) if purposes else frozenset(),
        )

    def target(self, paths: bool) -> Target:
        kind = self.rng.random()
        if kind < 0.35:
            return Target(tag=self.one(TAGS))
        if paths and kind < 0.75:
            tag = self.one(TAGS) if self.chance(0.1) else None
            return Target(dataset=self.one(DATASETS), path=self.one(PATHS), tag=tag)
        return Target(dataset=self.one(DATASETS), tag=self.one(TAGS) if self.chance(0.15) else None)

    def role(self, name: str, declared: list[str]) -> Role:
        inherits = self.some(declared if self.chance(0.95) else ROLES, 0 if self.chance(0.6) else 1)
        filters = tuple(RowFilter(self.one(DATASETS), self.one(ROWS)) for _ in range(self.rng.choice([0, 0, 0, 1])))
        read = tuple(self.target(paths=self.chance(0.3)) for _ in range(self.rng.choice([0, 1, 1, 2])))
        problem = "broken" if self.chance(0.01) else None
        return Role(name, read, tuple(inherits), filters, sees_unscanned=self.chance(0.1), problem=problem)

    def policy(self, number: int) -> Policy:
        kind = self.rng.random()
        match = tuple(self.target(paths=True) for _ in range(self.rng.choice([1, 1, 2])))
        if kind < 0.65:
            return MaskPolicy(
                f"m{number}",
                match,
                self.match(self.chance(0.1)),
                self.one(MASKS),
                self.match(True) if self.chance(0.4) else SubjectMatch(),
            )
        if kind < 0.8:
            return AccessPolicy(f"a{number}", match, self.chance(0.8), self.some(PURPOSES, 1))
        exempt = self.match(True) if self.chance(0.5) else SubjectMatch()
        return RowPolicy(f"r{number}", match, self.match(), self.one(ROWS), exempt)

    def grant(self, number: int) -> Grant:
        subject = SubjectMatch(users=frozenset({"ana"})) if self.chance(0.7) else self.match()
        start = NOW + timedelta(days=self.one([-9, -9, -9, 0, 1]))
        end = NOW + timedelta(days=self.one([0, 1, 5, 9, -1]))
        entries = ["*", *PATHS, *TAGS]
        return Grant(
            f"grant{number}",
            subject,
            self.one(DATASETS[:5]),
            start,
            end,
            self.one(PURPOSES),
            ("*",) if self.chance(0.5) else tuple(self.rng.sample(entries, 2)),
            () if self.chance(0.4) else tuple(self.rng.sample(entries, 2)),
            self.one([None, None, *ROWS]),
            status=GrantStatus.APPROVED if self.chance(0.9) else self.one(list(GrantStatus)),
        )


def seen(decision: Decision) -> reference.Answer:
    """A decision in the reference's terms: conditions are read as Python and tried in every world."""
    worlds = [dict(zip(ROWS, v, strict=True)) for v in itertools.product([True, False], repeat=len(ROWS))]

    def true(condition: str, world: dict[str, bool]) -> bool:
        return bool(eval(condition.replace("OR", "or").replace("AND", "and"), {}, world))

    visible = [all(true(f.where, w) for f in decision.filters) for w in worlds]
    columns = {}
    for column in decision.columns:
        shown: tuple[object, ...] = ()
        if column.effect is Effect.ALLOW:
            shown = tuple(
                "clear" if column.mask is None or (column.clear_when and true(column.clear_when, w)) else column.mask
                for w, v in zip(worlds, visible, strict=True)
                if v
            )
        assert column.path not in columns
        columns[column.path] = reference.Column(column.effect, shown)
    if decision.effect is Effect.DENY:
        assert not decision.columns and not decision.filters and decision.reasons
        return reference.NOTHING
    hidden = frozenset(g.split(" of ")[0] for g in decision.gaps)
    return reference.Answer(
        decision.effect, columns, tuple(visible), frozenset(decision.grants), decision.expires, hidden
    )


@pytest.mark.parametrize("shard", range(SHARDS))
def test_decisions_equal_those_of_the_reference(shard: int) -> None:
    outcomes = {Effect.ALLOW: 0, Effect.DENY: 0}
    for number in range(shard, CASES, SHARDS):
        w = World(SEED + number)
        expected = reference.answer(
            w.subject, w.facts, w.roles, w.policies, w.grants, w.purpose, NOW, w.sensitive, ROWS
        )
        compiled = Compiled(w.policies)
        given = {
            "roles": w.roles,
            "policies": compiled,
            "purpose": w.purpose,
            "now": NOW,
            "unscanned_is_sensitive": w.sensitive,
        }
        # Another's decision first: nothing of it may be left in what is kept between decisions.
        decide(Subject("otto", frozenset({"g1"}), frozenset(ROLES)), w.facts, grants=w.grants, **given)  # type: ignore[arg-type]
        decision = decide(w.subject, w.facts, grants=w.grants, **given)  # type: ignore[arg-type]
        assert not any("decision failed" in gap for gap in decision.gaps), f"seed {SEED + number}: {decision.gaps}"
        assert seen(decision) == expected, f"seed {SEED + number}"
        outcomes[decision.effect] += 1
    assert min(outcomes.values()) > CASES / SHARDS / 20, f"one outcome is hardly tested: {outcomes}"
