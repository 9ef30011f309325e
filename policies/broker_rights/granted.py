"""What Weir grants on a dataset to a person, group or program, at its most over purposes and sessions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from policies.access.alike import Alike, Kind
from policies.broker_rights.principals import Who
from policies.effective.moment import Moment
from policies.effective.people import person_by_session
from policies.effective.shown import CLEAR, MASKED, NOTHING, PARTLY, ShownParts, Summaries
from policies.model import DatasetFacts, Grant, Subject

_RANK = {CLEAR: 0, PARTLY: 1, MASKED: 2, NOTHING: 3}
_OPENS = ("owner", "role", "grant")


@dataclass(frozen=True, slots=True)
class Granted:
    """What somebody sees of a dataset through Weir.

    shows    `clear`, `partly`, `masked` or `none`
    masks    the masks in force; rows: whether rows are hidden from them
    purpose  what a query must state for it; None: nothing
    until    when the first grant that it rests on ends
    ways     what opens it: `role analyst`, `grant g-1`, `owner`
    gone     why the person may not sign in, where that is so; then nothing shows
    """

    shows: str = NOTHING
    masks: tuple[str, ...] = ()
    rows: bool = False
    purpose: str | None = None
    until: datetime | None = None
    ways: tuple[str, ...] = ()
    gone: str | None = None

    @property
    def raw(self) -> bool:
        """Whether every value of every row shows unmasked: what an ACL to READ gives."""
        return self.shows == CLEAR and not self.rows

    @property
    def by_grant(self) -> bool:
        """Whether a grant opens it."""
        return any(way.startswith("grant ") for way in self.ways)


NOT_GRANTED = Granted()


class Holders:
    """People, groups and programs as subjects at one moment; each is looked up once."""

    def __init__(self, moment: Moment) -> None:
        self.moment = moment
        self._known: dict[Who, tuple[tuple[Subject, ...], str | None]] = {}
        self._members: dict[str, list[str]] | None = None

    def members(self, group: str) -> Sequence[str]:
        """People and programs that are known to be in a group, by name."""
        if self._members is None:
            self._members = defaultdict(list)
            for name in sorted({*self.moment.view.people, *self.moment.given}):
                for each in frozenset[str]().union(*(subject.groups for subject in self.of(("user", name))[0])):
                    self._members[each].append(name)
        return self._members.get(group, ())

    def of(self, who: Who) -> tuple[tuple[Subject, ...], str | None]:
        """The subjects of their sessions, and why they may not sign in, where that is so."""
        cached = self._known.get(who)
        if cached is None:
            cached = self._known[who] = self._subjects(who)
        return cached

    def _subjects(self, who: Who) -> tuple[tuple[Subject, ...], str | None]:
        kind, name = who
        view = self.moment.view
        if kind == "group":
            roles = frozenset(view.groups[name].roles) if name in view.groups else frozenset()
            return (Subject("", frozenset({name}), roles),), None
        sessions, gone = person_by_session(view, name, self.moment.given)
        return tuple(each.subject for each in sessions), gone


class GrantedOn:
    """What is granted on one dataset at one moment; people who are alike to its rules are decided on once."""

    def __init__(
        self,
        holders: Holders,
        facts: DatasetFacts,
        unscanned_is_sensitive: bool,
        grants: Iterable[Grant] | None = None,
    ) -> None:
        """`grants`: those that may be about the dataset, where the caller knows them; else all are looked at."""
        self._holders, self._moment = holders, holders.moment
        self._facts, self._unscanned, self._grants = facts, unscanned_is_sensitive, grants
        self._alike: Alike | None = None
        self._summaries: Summaries | None = None
        self._known: dict[Kind, Granted] = {}

    def to(self, who: Who) -> Granted:
        """What a person, group or program sees."""
        subjects, gone = self._holders.of(who)
        if gone is not None:
            return Granted(gone=gone)
        return self._most(subjects)

    def _most(self, subjects: Iterable[Subject]) -> Granted:
        return min((self._of(subject) for subject in subjects), key=_rank, default=NOT_GRANTED)

    def _of(self, subject: Subject) -> Granted:
        if self._alike is None or self._summaries is None:
            self._alike = Alike(self._moment.view, self._facts, self._moment.at, self._unscanned, self._grants)
            self._summaries = Summaries(None, {g.name: (g.valid_to, g.purpose) for g in self._alike.grants})
        alike, summaries = self._alike, self._summaries
        kind = alike.kind(subject)
        cached = self._known.get(kind)
        if cached is None:
            grants = alike.granted(subject)
            decided = (
                _granted(
                    purpose,
                    summaries.of(
                        self._moment.view.decide(
                            subject, self._facts, purpose, self._moment.at, self._unscanned, grants
                        )
                    ),
                )
                for purpose in alike.purposes(subject)
            )
            cached = self._known[kind] = _best(decided)
        return cached


def _granted(purpose: str | None, shown: ShownParts) -> Granted:
    if shown.shows == NOTHING:
        return NOT_GRANTED
    ways = dict.fromkeys(
        "owner" if rule.kind == "owner" else f"{rule.kind} {rule.name}" for rule in shown.rules if rule.kind in _OPENS
    )
    return Granted(
        shows=shown.shows,
        masks=shown.masks,
        rows=bool(shown.rows),
        purpose=purpose,
        until=shown.until,
        ways=tuple(ways),
    )


def _best(decided: Iterable[Granted]) -> Granted:
    """The first of those that show most. Nothing shows more than everything without a purpose, so it stops there."""
    best: Granted | None = None
    for each in decided:
        if best is None or _rank(each) < _rank(best):
            best = each
        if best.raw and best.purpose is None:
            break
    return best if best is not None else NOT_GRANTED


def _rank(granted: Granted) -> tuple[int, bool, bool]:
    """The most first: by what shows, then all rows, then without a purpose."""
    return _RANK[granted.shows], granted.rows, granted.purpose is not None
