"""Workflows: who decides on access requests, in which stages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from policies.model import DatasetFacts, SubjectMatch, Target

NOBODY = SubjectMatch()


@dataclass(frozen=True, slots=True)
class Approvers:
    """Who may decide: the dataset's owners, or those of the dataset `of`, and everyone whom the match names."""

    owners: bool = False
    people: SubjectMatch = NOBODY
    of: str | None = None

    def to_json(self) -> dict[str, object]:
        people = {k: sorted(getattr(self.people, k)) for k in ("users", "groups", "roles") if getattr(self.people, k)}
        return {**({"owners": True} if self.owners else {}), **({"of": self.of} if self.of else {}), **people}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Approvers:
        users, groups, roles = (frozenset(data.get(k, ())) for k in ("users", "groups", "roles"))
        people = SubjectMatch(users=users, groups=groups, roles=roles)
        return Approvers(bool(data.get("owners")), people, data.get("of"))


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of approval: `quorum` different approvers."""

    name: str
    approvers: Approvers
    quorum: int = 1


@dataclass(frozen=True, slots=True)
class BreakGlass:
    """Access at once for some, to be reviewed afterwards."""

    subjects: SubjectMatch
    max_duration: timedelta
    review: SubjectMatch
    review_within: timedelta


@dataclass(frozen=True, slots=True)
class Workflow:
    name: str
    match: tuple[Target, ...]
    stages: tuple[Stage, ...]
    max_duration: timedelta | None = None
    request_expires_after: timedelta | None = None
    break_glass: BreakGlass | None = None
    escalate_after: timedelta | None = None


def joined(workflows: Iterable[Workflow]) -> tuple[Stage, ...]:
    """The stages of several workflows, in order of their names; the same step twice is asked for once.

    Two different stages of one name are distinguished by the workflow's name.
    """
    stages: list[Stage] = []
    for workflow in sorted(workflows, key=lambda w: w.name):
        for stage in workflow.stages:
            if any((s.approvers, s.quorum) == (stage.approvers, stage.quorum) for s in stages):
                continue
            is_taken = any(s.name == stage.name for s in stages)
            stages.append(replace(stage, name=f"{workflow.name}/{stage.name}") if is_taken else stage)
    return tuple(stages)


def of_sources(facts: DatasetFacts) -> tuple[Stage, ...]:
    """A stage for the owners of each topic that a stream view comes from, also through other views."""
    return tuple(Stage(f"owner of {topic}", Approvers(owners=True, of=topic)) for topic in sorted(facts.topics))
