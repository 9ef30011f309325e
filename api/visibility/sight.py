"""What a reader may see of figures about a dataset's records: counts, positions, lengths, magnitudes, distinct values.

They are cut to the reader's decision, as rows are: a figure of a field shows to those who may read the field unmasked, a count of
records to who may read every row. Owners, and those who manage or review, see all of them. What is left out is named in
`withheld`. See docs/decisions/0065-probing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from catalog.errors import InvalidInput, NotFound
from catalog.paths import FieldPath
from catalog.records import DatasetRecord
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.decision.places import Places
from policies.model import DatasetFacts, Decision, Effect, Subject
from policies.ports import FactsSource

ROWS: Literal["rows"] = "rows"
FIELDS: Literal["fields"] = "fields"

Decide = Callable[[Subject, DatasetFacts, str | None], Decision]


@dataclass(frozen=True, slots=True)
class Sight:
    """One reader's sight of one dataset. `places` None: no field shows unmasked."""

    everything: bool = False
    rows: bool = False
    places: Places | None = None

    def clear(self, path: str) -> bool:
        """Whether the reader may see a field's figures."""
        return self.everything or self.reads(path)

    def reads(self, path: str) -> bool:
        """Whether queries of the reader show the field, and all that is in it, unmasked in every row."""
        if self.places is None or not self.rows:
            return False
        try:
            place = FieldPath.parse(path)
        except InvalidInput:
            return False
        rule = self.places.rule(place)
        return rule.mask is None

    @property
    def counts(self) -> bool:
        """Whether the reader may see how many records there are."""
        return self.everything or self.rows


@dataclass(slots=True)
class Sights:
    """Works out what somebody may see, once a dataset. For one request."""

    subject: Subject
    permissions: Collection[str]
    facts: FactsSource
    decide: Decide
    purpose: str | None = None
    reviews: Callable[[str], bool] = lambda _: False
    """Whether the subject reviews the personal data of a dataset, by its domain."""
    _known: dict[str, Sight] = field(default_factory=dict)

    @property
    def unbounded(self) -> bool:
        return bool({"manage", "review"} & set(self.permissions))

    def of(self, record: DatasetRecord) -> Sight:
        """The sight of a dataset, by what somebody is as well as by what they may read."""
        if self.subject.agent is not None:  # gets no more of figures than of rows
            return self.by_decision(record.reference)
        if self.unbounded or owns(self.subject, record) or self.reviews(record.reference):
            return Sight(True, True)
        return self.by_decision(record.reference)

    def by_decision(self, reference: str) -> Sight:
        """The sight of who reads a dataset by queries; of one nobody can decide on it shows nothing."""
        if reference not in self._known:
            self._known[reference] = self._decided(reference)
        return self._known[reference]

    def _decided(self, reference: str) -> Sight:
        try:
            decision = self.decide(self.subject, self.facts.facts(reference), self.purpose)
        except (NotFound, InvalidInput):
            return Sight()
        if decision.effect is not Effect.ALLOW or decision.gaps:
            return Sight()
        return Sight(False, not decision.filters, Places(decision.columns))


def owns(subject: Subject, record: DatasetRecord) -> bool:
    """True when the subject, or a group of theirs, answers for the dataset."""
    return any(o.name == subject.user if o.kind == "user" else o.name in subject.groups for o in record.owners)


def withheld(sight: Sight, *, fields: bool) -> list[Literal["rows", "fields"]]:
    """What a reader does not see: figures that count records, figures of some fields."""
    return [*([] if sight.counts else [ROWS]), *([FIELDS] if fields else [])]


def shows_figures(sight: Sight, path: str | None) -> bool:
    """Whether figures that count what a field holds may be seen; `path` None: figures that count records alone."""
    return sight.counts and (path is None or sight.clear(path))


def reads_whole(sight: Sight) -> bool:
    """Whether figures of any record and any field may be seen: what a statement of somebody else's counts may be of all of them."""
    return sight.everything or (sight.rows and sight.places is not None and sight.places.all_clear())


class SightRules:
    """Gives the sights of a subject."""

    def __init__(self, identity: Identity, facts: FactsSource, decide: Decide) -> None:
        self._identity, self._facts, self._decide = identity, facts, decide

    def of(self, subject: Subject, purpose: str | None = None) -> Sights:
        """What the subject may see of figures about records."""
        return Sights(
            subject=subject,
            permissions=self._identity.permissions(subject),
            facts=self._facts,
            decide=self._decide,
            purpose=purpose,
            reviews=partial(self._identity.may, subject, Power.REVIEW),
        )
