"""An agent gets no more than its person at the same moment, whatever is declared and whatever its token narrows.

Random people, policies, grants and stream views, as in `test_decide_reference`; WEIR_TEST_DECISIONS sets how many.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import pytest

from catalog.entities import is_personal
from catalog.model import DatasetId
from policies.decision.agents import stated_purpose
from policies.decision.decide import decide
from policies.decision.mask_order import strictest
from policies.decision.policy_index import Compiled
from policies.matching import dataset_matches
from policies.model import (
    UNSCANNED_TAG,
    Agent,
    DatasetFacts,
    Decision,
    Effect,
    FieldFacts,
    Mask,
    MaskPolicy,
    MaskType,
    SourceFacts,
    SourceField,
    SubjectMatch,
)
from policies.purposes import NO_PURPOSES, Purpose, Purposes
from tests.unit.policies.decision.test_decide_reference import (
    CASES,
    DATASETS,
    NOW,
    PATHS,
    PURPOSES,
    SEED,
    SHARDS,
    World,
)

VIEW = "prod/view"


class AgentWorld(World):
    """A random case with an agent of the subject, and a view over the dataset."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.agent = Agent(
            "tok_1",
            "helper",
            self.one(PURPOSES),
            tuple(self.rng.sample([*DATASETS, VIEW], self.rng.randint(1, 3))),
            10,
            100,
            self.chance(0.6),
        )
        self.agents = dataclasses.replace(self.subject, agent=self.agent)
        self.tree = Purposes([Purpose("fraud"), Purpose("support", "fraud")]) if self.chance(0.3) else NO_PURPOSES
        places = self.rng.sample(PATHS, self.rng.randint(1, 4))
        self.view = DatasetFacts(
            DatasetId("kafka://x:1", "view"),
            VIEW,
            tuple(FieldFacts(f"value.c{n}", {}, self.chance(0.9)) for n, _ in enumerate(places)),
            owners=SubjectMatch(users=self.some(["ana"], 1)),
            sources=(
                SourceFacts(
                    "prod/orders",
                    self.facts if self.chance(0.9) else None,
                    tuple(
                        SourceField(f"value.c{n}", path, self.one([None, None, Mask(MaskType.MASK)]))
                        for n, path in enumerate(places)
                    ),
                ),
            ),
        )

    def decide(self, subject: object, facts: DatasetFacts, purpose: str | None, compiled: Compiled) -> Decision:
        return decide(
            subject,  # type: ignore[arg-type]
            facts,
            roles=self.roles,
            policies=compiled,
            grants=self.grants,
            purpose=purpose,
            now=NOW,
            unscanned_is_sensitive=self.sensitive,
            purposes=self.tree,
        )


def opened_and_masked(seeds: Iterable[int]) -> tuple[int, int]:
    """Compares what agents and their persons see; how many columns were compared, and how many were masked for the agent alone."""
    opened = masked = 0
    for seed in seeds:
        w = AgentWorld(seed)
        compiled = Compiled(w.policies)
        for facts in (w.facts, w.view):
            persons = w.decide(w.subject, facts, w.agent.purpose, compiled)
            agents = w.decide(w.agents, facts, w.one([None, w.agent.purpose]), compiled)
            if not any(dataset_matches(each, facts.reference) for each in w.agent.datasets):
                assert agents.effect is Effect.DENY
                assert not agents.columns
                continue
            assert agents.effect is persons.effect
            assert agents.filters == persons.filters
            assert agents.expires == persons.expires
            for theirs, own in zip(persons.columns, agents.columns, strict=True):
                opened += 1
                assert (theirs.path, theirs.effect) == (own.path, own.effect)
                if own == theirs:
                    continue
                masked += 1
                assert w.agent.masked_only
                assert own.mask is not None
                assert own.clear_when is None
                # The stricter of both is the agent's.
                assert strictest([own.mask, theirs.mask or own.mask]) == own.mask
    return opened, masked


def shown_with_masked_values_only(seeds: Iterable[int]) -> int:
    """Checks that nothing personal and nothing that a policy masks shows; how many columns show."""
    shown = 0
    for seed in seeds:
        w = AgentWorld(seed)
        agent = dataclasses.replace(w.agents, agent=dataclasses.replace(w.agent, datasets=("*",), masked_only=True))
        decision = w.decide(agent, w.facts, None, Compiled(w.policies))
        tags = {each.path: each.tags for each in w.facts.fields}
        unscanned = {each.path for each in w.facts.fields if not each.classified}
        whole = [
            p
            for p in w.policies
            if isinstance(p, MaskPolicy)
            and p.mask.type is not MaskType.MASK_NONE
            and any(
                t.path is None and t.tag is None and dataset_matches(t.dataset or "", "prod/orders") for t in p.match
            )
        ]
        for column in decision.columns:
            if column.effect is not Effect.ALLOW:
                continue
            personal = any(each != UNSCANNED_TAG and is_personal(each) for each in tags.get(column.path, ()))
            if personal or whole or (column.path in unscanned and w.sensitive):
                assert column.mask is not None, column
                assert column.mask.type is not MaskType.MASK_NONE
                assert column.clear_when is None
            else:
                shown += column.mask is None
    return shown


def of_shard(shard: int) -> Iterable[int]:
    return (SEED + number for number in range(shard, CASES // 4, SHARDS))


@pytest.mark.parametrize("shard", range(SHARDS))
def test_what_an_agent_sees_is_a_part_of_what_its_person_sees(shard: int) -> None:
    opened_and_masked(of_shard(shard))


@pytest.mark.parametrize("shard", range(SHARDS))
def test_with_masked_values_only_no_personal_field_and_none_that_a_policy_masks_shows(shard: int) -> None:
    shown_with_masked_values_only(of_shard(shard))


def test_the_cases_are_of_every_kind() -> None:
    opened, masked = opened_and_masked(range(300))
    assert opened > 100
    assert masked > 20
    assert shown_with_masked_values_only(range(300)) > 20


def test_another_purpose_is_refused_in_one_sentence_and_none_is_the_tokens() -> None:
    w = AgentWorld(1)
    assert stated_purpose(w.agents, None) == w.agent.purpose
    assert stated_purpose(w.subject, "anything") == "anything"
    for other in ("another", w.agent.purpose.upper(), f" {w.agent.purpose}", ""):
        with pytest.raises(Exception, match=r"is for the purpose .* alone") as refused:
            stated_purpose(w.agents, other)
        assert refused.value.message.count(".") == 1  # type: ignore[attr-defined]
        decision = w.decide(w.agents, w.facts, other, Compiled(w.policies))
        assert decision.effect is Effect.DENY
