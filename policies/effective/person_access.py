"""Everything one person sees: each dataset unmasked, partly, masked or not, with the rules behind it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.errors import InvalidInput, NotAllowed, NotFound
from catalog.records import rfc3339
from policies.access.identity import Identity
from policies.effective.dataset_access import SEES_ALL, DatasetAccess
from policies.effective.moment import Moment, Moments
from policies.effective.people import NO_RIGHTS, Holding, Principal, person
from policies.effective.shown import CLEAR, MASKED, NOTHING, PARTLY, Rule, Shown, Summaries
from policies.matching import dataset_matches, is_active, resolve
from policies.model import DatasetFacts, Decision, Effect, Grant, Reason, Subject

_SECONDS = 20.0
"""A list that would take longer is cut, with a note."""
_STRONGEST = (CLEAR, PARTLY, MASKED, NOTHING)


@dataclass(frozen=True, slots=True)
class Row:
    """What the person sees of one dataset, stating one purpose or none; `shown.shows` none: nothing, and why."""

    facts: DatasetFacts
    purpose: str | None
    shown: Shown


@dataclass(frozen=True, slots=True)
class Sheet:
    """rows    by dataset and purpose; totals: datasets of each kind, counted once, by the most that shows
    gone    why the person may not sign in; then nothing shows
    """

    who: Principal
    moment: Moment
    rows: Sequence[Row]
    totals: dict[str, int]
    gone: str | None
    notes: tuple[str, ...]

    def rows_json(self, rows: Iterable[Row]) -> Iterable[dict[str, Any]]:
        """{dataset, purpose, shows, fields, masks, rows, clear_when, until, rules, more_rules}, each rule with `how`."""
        for row in rows:
            holding = Holding(self.moment.view, row.facts)
            yield {
                "dataset": row.facts.reference, "purpose": row.purpose, **row.shown.to_json(),
                "rules": [{**r.to_json(), "how": holding.of(self.who, r)} for r in row.shown.rules],
                "more_rules": row.shown.more_rules,
            }  # fmt: skip

    def to_json(self, offset: int, limit: int) -> dict[str, Any]:
        """One page, with who the person is: groups, and roles with how the person comes to them."""
        view = self.moment.view
        holding = Holding(view, None)
        roles = resolve(self.who.subject, view.roles).roles
        return {
            "person": self.who.name, "at": rfc3339(self.moment.at), "gone": self.gone,
            "groups": sorted(self.who.subject.groups),
            "roles": [{"name": r, "how": holding.of(self.who, Rule("role", r, ""))} for r in sorted(roles)],
            "entries": list(self.rows_json(self.rows[offset : offset + limit])), "total": len(self.rows),
            "datasets": self.totals, "notes": list(self.notes),
        }  # fmt: skip


class PersonAccess:
    """The service behind `GET /api/v1/access/people/{name}`."""

    def __init__(
        self, moments: Moments, identity: Identity, datasets: DatasetAccess, references: Callable[[], Iterable[str]]
    ) -> None:
        self._moments, self._identity, self._datasets, self._references = moments, identity, datasets, references

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
        limited = caller.user != name and not self._identity.permissions(caller) & SEES_ALL
        moment = self._moments.of(as_of)
        given = moment.given.get(name, NO_RIGHTS)
        who, gone = person(moment.view, name, given)
        grants = [g for g in moment.view.grants_of(who.subject) if is_active(g, moment.at)]
        notes = [*moment.notes, *self._unknown(moment, who)]
        rows: list[Row] = []
        totals: Counter[str] = Counter()
        until = time.monotonic() + _SECONDS
        past: dict[str, None] = {}
        owned = 0
        for reference in sorted(r for r in self._references() if dataset is None or dataset_matches(dataset, r)):
            if time.monotonic() > until:
                notes.append(
                    f"The list ends before {reference}: it took longer than {_SECONDS:g} seconds. Ask for a pattern of datasets."
                )
                break
            try:
                if limited and not self._datasets.sees(caller, self._moments.source.facts(reference)):
                    continue
                facts = self._moments.facts(reference, moment)
            except NotFound:
                continue
            owned += 1
            past.update(dict.fromkeys(self._moments.missing(reference, moment)))
            collected = self._row(moment, who, gone, facts, grants)
            totals[min((row.shown.shows for row in collected), key=_STRONGEST.index)] += 1
            rows += [row for row in collected if shows is None or row.shown.shows == shows]
        if limited and not owned:
            raise NotAllowed(
                f"{caller.user} may not see what {name} may read; the permission report:read, audit:read or manage lets somebody"
                " ask about others, and owners see it of their own datasets.",
                details={"permission": "report:read", "reasons": ["neither owner, nor one of the permissions"]},
            )
        if limited:
            notes.append("Only datasets that you own are shown.")
        return Sheet(who, moment, rows, {w: totals[w] for w in _STRONGEST}, gone, (*notes, *past))

    def _unknown(self, moment: Moment, who: Principal) -> Sequence[str]:
        view = moment.view
        known = who.name in view.people or who.name in moment.given or who.subject.roles
        if known or any(who.name in g.subject.users for g in view.grants.values()):
            return ()
        return (
            f"No document names {who.name} at that time, and no session of theirs continues: what a provider gives is unknown.",
        )

    def _row(
        self, moment: Moment, who: Principal, gone: str | None, facts: DatasetFacts, grants: Sequence[Grant]
    ) -> list[Row]:
        references = {facts.reference, *facts.topics}
        mine = [g for g in grants if any(dataset_matches(g.dataset, r) for r in references)]
        summaries = Summaries(None, {g.name: (g.valid_to, g.purpose) for g in mine})
        if gone is not None:
            denied = Decision(facts.id, facts.reference, Effect.DENY, reasons=(Reason("gap", who.name, gone),))
            return [Row(facts, None, summaries.of(denied))]
        rows: list[Row] = []
        met: set[object] = set()
        for purpose in (None, *sorted({g.purpose for g in mine})):
            decision = moment.view.decide(
                who.subject, facts, purpose, moment.at, self._moments.settings.unscanned_is_sensitive, mine
            )
            shown = summaries.of(decision)
            if shown.what not in met:
                met.add(shown.what)
                rows.append(Row(facts, purpose, shown))
        open_rows = [row for row in rows if row.shown.shows != NOTHING]
        return open_rows or rows[:1]
