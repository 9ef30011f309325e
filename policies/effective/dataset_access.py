"""Everybody who may read a dataset, or one place in it, with the rules behind it; now or at a past moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from catalog.errors import InvalidInput, NotAllowed
from catalog.paths import FieldPath
from policies.access.alike import Alike, Kind
from policies.access.identity import Identity
from policies.access.who_has_access import require_known
from policies.decision.domains import Power
from policies.effective.moment import Moment, Moments
from policies.effective.people import GROUP, ROLE, USER, Holding, Principal, principals
from policies.effective.shown import CLEAR, MASKED, NOTHING, PARTLY, ShownParts, Summaries
from policies.matching import resolve
from policies.model import DatasetFacts, Subject

SEES_ALL = frozenset({"manage", "report:read", "audit:read"})
"""Permissions that let somebody ask about everybody and every dataset."""
KINDS = (USER, GROUP, ROLE)
_STRONGEST = (CLEAR, PARTLY, MASKED)


@dataclass(frozen=True, slots=True)
class Entry:
    """What one principal sees, stating one purpose or none."""

    who: Principal
    purpose: str | None
    shown: ShownParts


@dataclass(frozen=True, slots=True)
class Listing:
    """place    the field that was asked for; None: the whole dataset
    entries  by kind (user, group, role), name and purpose; who sees nothing is only counted. A person with sessions of
             different rights has one for each that shows something else
    totals   people by `clear`, `partly`, `masked`, `none`; each counted once, by the most that they see
    decided  for how many kinds of people a decision was made
    notes    what is not known, in sentences
    """

    facts: DatasetFacts
    place: FieldPath | None
    moment: Moment
    entries: Sequence[Entry]
    totals: dict[str, int]
    decided: int
    notes: tuple[str, ...]

    def holding(self) -> Holding:
        """Gives how each principal of the list comes to the rules behind what they see."""
        return Holding(self.moment.view, self.facts)


class DatasetAccess:
    """The service behind `GET /api/v1/access/datasets/{cluster}/{topic}`."""

    def __init__(self, moments: Moments, identity: Identity) -> None:
        self._moments, self._identity = moments, identity

    def require(self, caller: Subject, facts: DatasetFacts) -> None:
        """Raises NotAllowed unless the caller owns the dataset or may see all."""
        if not self.sees(caller, facts):
            raise NotAllowed(
                f"{caller.user} may not see who has access to {facts.reference}; its owners may, and holders of the permission"
                " report:read, audit:read or manage.",
                details={"permission": "report:read", "reasons": ["neither owner, nor one of the permissions"]},
            )

    def sees(self, caller: Subject, facts: DatasetFacts) -> bool:
        """Whether the caller may see who has access to a dataset."""
        owner = resolve(caller, self._moments.state.view().roles).among(facts.owners)
        return owner or self.sees_all(caller) or Power.REPORT in self._identity.powers(caller, facts.reference)

    def sees_all(self, caller: Subject) -> bool:
        """Whether the caller may see who has access to everything."""
        return bool(self._identity.permissions(caller) & SEES_ALL)

    def of(
        self,
        caller: Subject,
        reference: str,
        field: str | None = None,
        as_of: datetime | None = None,
        kinds: Sequence[str] = (USER,),
        name: str | None = None,
        shows: str | None = None,
    ) -> Listing:
        """The list as the caller may see it: who owns the dataset now, or may see all, may ask.

        `name`: only this principal. Raises DatasetNotFound, NotAllowed, NotFound for a field that is not known, InvalidInput.
        """
        self.require(caller, self._moments.source.facts(reference))
        moment = self._moments.of(as_of)
        facts = self._moments.facts(reference, moment)
        place = FieldPath.parse(field) if field is not None else None
        if place is not None:
            require_known(facts, place, "field")
        wrong = next((kind for kind in kinds if kind not in KINDS), None)
        if wrong is not None:
            raise InvalidInput(f"{wrong!r} is not a kind here; use {', '.join(KINDS)}.", details={"field": "kind"})
        entries, totals, decided = self._decide(moment, facts, place, kinds, name)
        matches = [entry for entry in entries if shows is None or entry.shown.shows == shows]
        notes = (*moment.notes_for(self.sees_all(caller)), *self._moments.missing(reference, moment))
        return Listing(
            facts=facts, place=place, moment=moment, entries=matches, totals=totals, decided=decided, notes=notes
        )

    def _decide(
        self, moment: Moment, facts: DatasetFacts, place: FieldPath | None, kinds: Sequence[str], name: str | None
    ) -> tuple[list[Entry], dict[str, int], int]:
        alike = Alike(moment.view, facts, moment.at, self._moments.settings.unscanned_is_sensitive)
        summaries = Summaries(place, {g.name: (g.valid_to, g.purpose) for g in alike.grants})
        known: dict[tuple[str, Kind], list[tuple[str | None, ShownParts]]] = {}
        totals: Counter[str] = Counter()
        entries: list[Entry] = []
        everybody = principals(moment.view, facts, alike.grants, moment.given, kinds)
        for (kind, one), sessions in groupby(everybody, key=lambda who: (who.kind, who.name)):
            if name is not None and one != name:
                continue
            mine: dict[
                tuple[str | None, object], Entry
            ] = {}  # of a person with several sessions once what they all show
            for who in sessions:
                key = (kind, alike.kind(who.subject))
                ways = known.get(key)
                if ways is None:
                    ways = known[key] = self._ways(moment, facts, alike, summaries, who.subject)
                for purpose, shown in ways:
                    mine.setdefault((purpose, shown.what), Entry(who, purpose, shown))
            if kind == USER:
                collected = {entry.shown.shows for entry in mine.values()}
                totals[next((word for word in _STRONGEST if word in collected), NOTHING)] += 1
            entries += sorted(mine.values(), key=lambda entry: entry.purpose or "")
        return entries, {word: totals[word] for word in (*_STRONGEST, NOTHING)}, len(known)

    def _ways(
        self, moment: Moment, facts: DatasetFacts, alike: Alike, summaries: Summaries, subject: Subject
    ) -> list[tuple[str | None, ShownParts]]:
        """What a subject sees without a purpose, and with each one that shows something else; empty where that is nothing."""
        collected: list[tuple[str | None, ShownParts]] = []
        met: set[object] = set()
        grants = alike.granted(subject)
        for purpose in alike.purposes(subject):
            decision = moment.view.decide(
                subject, facts, purpose, moment.at, self._moments.settings.unscanned_is_sensitive, grants
            )
            summary = summaries.of(decision)
            if summary.shows != NOTHING and summary.what not in met:
                met.add(summary.what)
                collected.append((purpose, summary))
        return collected
