"""Everything one person sees: each dataset unmasked, partly, masked or not, with the rules behind it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from catalog.errors import InvalidInput, NotAllowed, NotFound
from policies.access.alike import with_sources
from policies.access.identity import Identity
from policies.effective.dataset_access import DatasetAccess
from policies.effective.moment import Moment, Moments
from policies.effective.people import Holding, Principal, person_by_session
from policies.effective.shown import CLEAR, MASKED, NOTHING, PARTLY, HeldRule, Rule, ShownParts, Summaries
from policies.matching import dataset_matches, is_active, resolve
from policies.model import DatasetFacts, Decision, Effect, Grant, Reason, Subject

_SECONDS = 20.0
"""A list that would take longer is cut, with a note."""
_STRONGEST = (CLEAR, PARTLY, MASKED, NOTHING)


@dataclass(frozen=True, slots=True)
class Row:
    """What the person sees of one dataset, stating one purpose or none; `shown.shows` none: nothing, and why.

    who: the person with the rights of the session that shows it.
    """

    who: Principal
    facts: DatasetFacts
    purpose: str | None
    shown: ShownParts


@dataclass(frozen=True, slots=True)
class Sheet:
    """rows    by dataset and purpose; totals: datasets of each kind, counted once, by the most that shows
    gone    why the person may not sign in; then nothing shows
    limited the caller sees it as the owner of these datasets: groups, roles and `gone` are those behind the rows alone
    """

    name: str
    sessions: Sequence[Principal]
    moment: Moment
    rows: Sequence[Row]
    totals: dict[str, int]
    gone: str | None
    notes: tuple[str, ...]
    limited: bool = False

    def rules(self, row: Row) -> list[HeldRule]:
        """The rules behind a row, with how the person comes to each."""
        return Holding(self.moment.view, row.facts).rules(row.who, row.shown.rules)

    def held(self) -> tuple[list[str], dict[str, list[str]]]:
        """Groups, and roles with how the person comes to them, in all sessions; where limited, those behind the rows."""
        view = self.moment.view
        holding = Holding(view, None)
        listed = {r.name for row in self.rows for r in row.shown.rules if r.kind == "role"} if self.limited else None
        roles: dict[str, dict[str, None]] = {}
        for who in self.sessions:
            for role in resolve(who.subject, view.roles).roles:
                if listed is None or role in listed:
                    ways = holding.of(who, Rule("role", role, ""))
                    roles.setdefault(role, {}).update(dict.fromkeys(ways))
        groups = () if self.limited else {group for who in self.sessions for group in who.subject.groups}
        return sorted(groups), {role: list(ways) for role, ways in sorted(roles.items())}


Listed = Callable[[Subject, Iterable[str]], Iterable[str]]
"""Of datasets, those whose schema a caller may know."""


class PersonAccess:
    """The service behind `GET /api/v1/access/people/{name}`."""

    def __init__(
        self, moments: Moments, identity: Identity, datasets: DatasetAccess, references: Callable[[], Iterable[str]]
    ) -> None:
        self._moments, self._identity, self._datasets, self._references = moments, identity, datasets, references
        self.shown: Listed = lambda _, listed: listed

    def of(
        self,
        caller: Subject,
        name: str,
        as_of: datetime | None = None,
        dataset: str | None = None,
        shows: str | None = None,
    ) -> Sheet:
        """What a person sees: for themselves; for others, of datasets that the caller owns, or of all where they may see all.

        `dataset`: only those of a pattern. Raises NotAllowed where nothing of the answer is the caller's to see, InvalidInput.
        """
        if shows is not None and shows not in _STRONGEST:
            raise InvalidInput(f"{shows!r} is not one of {', '.join(_STRONGEST)}.", details={"field": "shows"})
        sees_all = self._datasets.sees_all(caller)
        limited = caller.user != name and not sees_all
        moment = self._moments.of(as_of)
        sessions, gone = person_by_session(moment.view, name, moment.given)
        grants = [[g for g in moment.view.grants_of(who.subject) if is_active(g, moment.at)] for who in sessions]
        notes = [*moment.notes_for(sees_all), *(() if limited else self._unknown(moment, sessions[0]))]
        if len(sessions) > 1 and not limited:
            notes.append(
                f"{name} has {len(sessions)} sessions with different rights; each shows what its rights show, and all are listed."
            )
        rows: list[Row] = []
        totals: Counter[str] = Counter()
        past: dict[str, None] = {}
        for facts in self._known(caller, moment, dataset, limited, notes):
            past.update(dict.fromkeys(self._moments.missing(facts.reference, moment)))
            collected = self._rows(caller, moment, sessions, gone, facts, grants, limited)
            totals[min((row.shown.shows for row in collected), key=_STRONGEST.index)] += 1
            rows += [row for row in collected if shows is None or row.shown.shows == shows]
        if limited and not totals:
            raise NotAllowed(
                f"{caller.user} may not see what {name} may read; the permission report:read, audit:read or manage lets somebody"
                " ask about others, and owners see it of their own datasets.",
                details={"permission": "report:read", "reasons": ["neither owner, nor one of the permissions"]},
            )
        if limited:
            notes.append(
                "Only datasets that you own are shown, with the groups and roles that the rules about them rest on."
            )
        counts = {word: totals[word] for word in _STRONGEST}
        return Sheet(
            name=name,
            sessions=sessions,
            moment=moment,
            rows=rows,
            totals=counts,
            gone=gone,
            notes=(*notes, *past),
            limited=limited,
        )

    def _known(
        self, caller: Subject, moment: Moment, pattern: str | None, limited: bool, notes: list[str]
    ) -> Iterator[DatasetFacts]:
        """The datasets of a pattern that there were, by name; where limited, those that the caller sees the access of.

        A list that would take too long ends early, with a note.
        """
        until = time.monotonic() + _SECONDS
        listed = self.shown(caller, self._references())
        for reference in sorted(r for r in listed if pattern is None or dataset_matches(pattern, r)):
            if time.monotonic() > until:
                notes.append(
                    f"The list ends before {reference}: it took longer than {_SECONDS:g} seconds. Ask for a pattern of datasets."
                )
                return
            try:
                if limited and not self._datasets.sees(caller, self._moments.source.facts(reference)):
                    continue
                facts = self._moments.facts(reference, moment)
            except NotFound:
                continue
            yield facts

    def _unknown(self, moment: Moment, who: Principal) -> Sequence[str]:
        view = moment.view
        known = who.name in view.people or who.name in moment.given or who.subject.roles
        if known or any(who.name in g.subject.users for g in view.grants.values()):
            return ()
        return (
            f"No document names {who.name} at that time, and no session of theirs continues: what a provider gives is unknown.",
        )

    def _rows(
        self,
        caller: Subject,
        moment: Moment,
        sessions: Sequence[Principal],
        gone: str | None,
        facts: DatasetFacts,
        grants: Sequence[Sequence[Grant]],
        limited: bool,
    ) -> list[Row]:
        """What each session shows, once; where none shows anything, the first row, with why."""
        rows: dict[tuple[str | None, object], Row] = {}
        for who, theirs in zip(sessions, grants, strict=True):
            for row in self._of_session(caller, moment, who, gone, facts, theirs, limited):
                rows.setdefault((row.purpose, row.shown.what), row)
        collected = sorted(rows.values(), key=lambda row: row.purpose or "")
        return [row for row in collected if row.shown.shows != NOTHING] or collected[:1]

    def _of_session(
        self,
        caller: Subject,
        moment: Moment,
        who: Principal,
        gone: str | None,
        facts: DatasetFacts,
        grants: Sequence[Grant],
        limited: bool,
    ) -> list[Row]:
        # Grants on the dataset, and on what it is made of: also on the views between it and its topics.
        references = {each.reference for each in with_sources(facts)}
        mine = [g for g in grants if any(dataset_matches(g.dataset, r) for r in references)]
        summaries = Summaries(None, {g.name: (g.valid_to, g.purpose) for g in mine})
        if gone is not None:
            why = () if limited else (Reason("gap", who.name, gone),)
            return [Row(who, facts, None, summaries.of(Decision(facts.id, facts.reference, Effect.DENY, reasons=why)))]
        rows: list[Row] = []
        met: set[object] = set()
        for purpose in (None, *moment.view.stated(mine)):
            decision = moment.view.decide(
                who.subject, facts, purpose, moment.at, self._moments.settings.unscanned_is_sensitive, mine
            )
            summary = summaries.of(self._moments.state.cut_for(caller, who.subject, facts, decision))
            if summary.what not in met:
                met.add(summary.what)
                rows.append(Row(who, facts, purpose, summary))
        open_rows = [row for row in rows if row.shown.shows != NOTHING]
        return open_rows or rows[:1]
