"""Masked copies of topics that consumers read in place of the topic: which one a consumer needs, and who may read one. Pure.

A copy is for one decision: it has what `policies.decision` shows, and nobody reads it whom that shows something else. So it is
made once for all who have the same decision, and never holds more than any of its readers may see.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from catalog.errors import Unavailable, WeirError
from policies.broker_rights.principals import BrokerPrincipal, MappingState, Who
from policies.decision.restrictions import hides, restrictions
from policies.declared.principal_specs import KIND_WORDS
from policies.matching import is_active
from policies.model import DatasetFacts, Decision, Effect, Grant

_LONGEST_TOPIC = 249
_MARK = ".masked-"
VIEW = "masked-copy-"
"""How the names of the views begin that Weir declares for copies."""

Decide = Callable[[Who, DatasetFacts, str | None], Decision]
"""What somebody may see of a dataset for a purpose, as the view of a copy decides it. Raises WeirError."""


class CopyState(StrEnum):
    """How far a copy is. READY: it has all records that its topic had when it began."""

    BUILDING = "building"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CopyNeed:
    """A copy that a consumer needs.

    source    CLUSTER/TOPIC
    decision  see `policies.decision.restrictions`
    who, purpose  somebody whom exactly that is shown, and what for
    """

    source: str
    decision: str
    who: Who
    purpose: str

    @property
    def id(self) -> str:
        """12 hexadecimal digits, the same for the same dataset and decision."""
        return hashlib.sha256(f"{self.source} {self.decision}".encode()).hexdigest()[:12]

    @property
    def view(self) -> str:
        """Name of the view that keeps it."""
        return VIEW + self.id

    @property
    def topic(self) -> str:
        """Its topic."""
        topic = self.source.partition("/")[2]
        return topic.lstrip("_")[: _LONGEST_TOPIC - len(_MARK) - len(self.id)] + _MARK + self.id


@dataclass(frozen=True, slots=True)
class MaskedCopy:
    """A copy that Weir made. `who`, `purpose`: whom its view runs as; `text`: why it failed, or how far it is."""

    view: str
    cluster: str
    topic: str
    source: str
    decision: str
    who: Who
    purpose: str | None
    state: CopyState
    text: str = ""


class Copies(Protocol):
    """The copies that are declared."""

    def all(self) -> Sequence[MaskedCopy]:
        """Every copy. Raises Unavailable."""

    def declare(self, need: CopyNeed, cluster: str) -> None:
        """Have a copy made, or run as somebody else. Raises WeirError where it cannot be."""

    def delete(self, view: str) -> None:
        """Delete a copy with its records. Raises WeirError."""


class NoCopies:
    """Where no views are kept."""

    def all(self) -> Sequence[MaskedCopy]:
        """None."""
        return ()

    def declare(self, need: CopyNeed, cluster: str) -> None:
        """Nothing is made."""

    def delete(self, view: str) -> None:
        """Nothing is there."""


@dataclass(frozen=True, slots=True)
class CopyRefusal:
    """Why a consumer gets no copy, in a sentence."""

    text: str


def need_of(
    grant: Grant,
    principal: BrokerPrincipal,
    facts: DatasetFacts,
    decide: Decide,
    members: Sequence[str] = (),
    unscanned_is_sensitive: bool = True,
) -> CopyNeed | CopyRefusal:
    """The copy that a consumer with a grant needs who may not read the topic whole. `members`: of a principal that is a group.

    Raises Unavailable.
    """
    reference, name = facts.reference, principal.principal
    if principal.mapping is not MappingState.MAPPED or principal.who is None:
        return CopyRefusal(principal.note or f"No document of kind Principal maps {name} any more.")
    kind, person = principal.who
    if person not in (grant.subject.groups if kind == "group" else grant.subject.users):
        return CopyRefusal(
            f"{name} is the {KIND_WORDS[kind]} {person} by now, and the grant {grant.name} is for somebody else."
        )
    if not facts.fields and unscanned_is_sensitive:
        return CopyRefusal(
            f"No scan has looked at {reference} yet, so what to mask is not known; scan it (weir scan), and the copy is made then."
        )
    try:
        decision = decide(principal.who, facts, grant.purpose)
        others = [each for each in members if not _alike(decide, each, facts, grant.purpose, decision)]
    except Unavailable:
        raise  # nobody is cut off because a provider is away
    except WeirError as error:
        return CopyRefusal(error.message)
    if decision.effect is not Effect.ALLOW:
        why = "; ".join([*decision.gaps, *(reason.text for reason in decision.reasons)][:3])
        return CopyRefusal(f"Nothing of {reference} shows to {person} for {grant.purpose}: {why}.")
    if others:
        return CopyRefusal(
            f"{others[0]} of the group {person} sees something else of {reference} than the group, and reads with {name} too;"
            " map the principal to a service account."
        )
    return CopyNeed(reference, restrictions(decision), principal.who, grant.purpose)


def _alike(decide: Decide, member: str, facts: DatasetFacts, purpose: str, decision: Decision) -> bool:
    try:
        own = decide(("user", member), facts, purpose)
    except Unavailable:
        raise
    except WeirError:
        return True  # who is gone does not read
    return restrictions(own) == restrictions(decision) or (own.effect is Effect.ALLOW and not hides(own))


def consumer_grants(grants: Iterable[Grant], at: datetime) -> list[Grant]:
    """The active grants that are for one principal of Kafka, by name."""
    return sorted((g for g in grants if g.consumer is not None and is_active(g, at)), key=lambda each: each.name)


def by_id(copies: Iterable[MaskedCopy]) -> Mapping[str, MaskedCopy]:
    """View -> its copy."""
    return {each.view: each for each in copies}
