"""Decisions on items: keep, revoke, and take back. Each is one transaction with what it does and its audit entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from catalog.errors import Conflict, InvalidInput, NotAllowed, NotFound, WeirError
from catalog.records import rfc3339
from policies.campaigns.ending import Ending, Step
from policies.campaigns.model import Campaign, CampaignState, Item, ItemState, Kind, Outcome, Right
from policies.campaigns.people import KnownPeople, Owners
from policies.campaigns.ports import CampaignStore, ItemFilter
from policies.campaigns.records import CampaignRecords
from policies.campaigns.rights import Rights
from policies.campaigns.sight import Sight, Sights
from policies.decision.agents import require_person
from policies.declared.state import View
from policies.effective.moment import Moments
from policies.model import Subject
from policies.ports import Clock

KEEP, REVOKE, UNDO = "keep", "revoke", "undo"
MOST_AT_ONCE = 1000
LONGEST_REASON = 2000


@dataclass(frozen=True, slots=True)
class RefusedDecision:
    """An item that was not decided, and why."""

    number: int
    error: WeirError


class Present:
    """Rights as they are now."""

    def __init__(self, moments: Moments) -> None:
        self._moments = moments

    def rights(self) -> Rights:
        """Of this moment; ask once for many rights."""
        moment = self._moments.of(None)
        return Rights(moment.view, moment.given, lambda: moment.at)

    def people(self) -> KnownPeople:
        """Everybody known now; takes a look at each of them."""
        moment = self._moments.of(None)
        names = Rights(moment.view, moment.given, lambda: moment.at).people
        return KnownPeople(moment.view, moment.given, names)

    def owners(self) -> Owners:
        """The owners of datasets now."""
        return Owners(self._moments.source)

    def view(self) -> View:
        """What is declared now."""
        return self._moments.state.view()

    def of(self, right: Right, rights: Rights) -> Right | None:
        """The same right now; None where it ended."""
        if right.kind is not Kind.OWNER:
            return rights.now(right)
        try:
            return rights.now(right, self._moments.source.facts(right.name))
        except NotFound:
            return None


class Deciding:
    """The service of decisions."""

    def __init__(
        self,
        store: CampaignStore,
        sights: Sights,
        present: Present,
        ending: Ending,
        records: CampaignRecords,
        clock: Clock,
    ) -> None:
        self._store, self._sights, self._present = store, sights, present
        self._ending, self._records, self._clock = ending, records, clock

    def decide(
        self, subject: Subject, campaign_id: str, numbers: Sequence[int], verdict: str, reason: str = ""
    ) -> tuple[list[Item], list[RefusedDecision]]:
        """Decide items, each by itself: those that could not be decided, and why, come second.

        `verdict`: keep, revoke (needs a reason; so does keeping what is unused), undo (of an earlier decision, while the
        campaign is open). Where none could be decided the first error is raised: NotFound, NotAllowed, Conflict (decided by
        another, closed, changed or ended meanwhile), InvalidInput.
        """
        require_person(subject, "decides in access reviews")
        if verdict not in (KEEP, REVOKE, UNDO):
            raise InvalidInput(
                f"{verdict[:40]!r} is not a decision; use keep, revoke or undo.", details={"field": "verdict"}
            )
        chosen = list(dict.fromkeys(numbers))
        if not chosen or len(chosen) > MOST_AT_ONCE:
            raise InvalidInput(
                f"Decide 1 to {MOST_AT_ONCE} items at once; {len(chosen)} are given.", details={"field": "items"}
            )
        reason = reason.strip()
        if len(reason) > LONGEST_REASON:
            raise InvalidInput(f"A reason has at most {LONGEST_REASON} characters.", details={"field": "reason"})
        if verdict == REVOKE and not reason:
            raise InvalidInput('To revoke takes a reason, as in "left the project".', details={"field": "reason"})
        self._sights.require(subject, campaign_id)
        done: list[Item] = []
        refused: list[RefusedDecision] = []
        for number in chosen:
            try:
                done.append(self._one(subject, campaign_id, number, verdict, reason))
            except WeirError as error:
                refused.append(RefusedDecision(number, error))
        if refused and not done:
            raise refused[0].error
        return done, refused

    def _one(self, subject: Subject, campaign_id: str, number: int, verdict: str, reason: str) -> Item:
        noticed: Item | None = None
        with self._store.transaction():
            # Read inside: writers follow one another, so what is read here is what is written over.
            campaign, sight = self._sights.require(subject, campaign_id)
            item = self._store.item(campaign_id, number)
            if item is None or not sight.sees(item):
                raise NotFound(
                    f"Access review {campaign_id} has no item {number} that you may see.", details={"item": number}
                )
            if sight.own(item):
                raise NotAllowed(
                    f"Item {number} is about a right of your own ({item.right.text}); somebody else must decide it.",
                    details={"item": number, "reasons": ["nobody decides on their own access"]},
                )
            now = self._clock()
            require_open(campaign, now)
            if verdict == UNDO:
                return self._undo(sight, item, reason, now)
            _require_undecided(item)
            right = self._present.of(item.right, self._present.rights())
            if right is None:
                noticed = self._note(gone(item, now))
            elif right.fingerprint != item.right.fingerprint:
                noticed = self._note(replace(item, right=right, changed=True))
            else:
                return self._write(sight, item, right, verdict, reason, now)
        # What was noticed is kept, and the reviewer looks again.
        if noticed.state is ItemState.GONE:
            raise Conflict(
                f"{_named(noticed)} ended meanwhile by something else; nothing is left to decide.",
                details={"item": number, "state": "gone"},
            )
        raise Conflict(
            f"{_named(noticed)} has changed since the review began; look at it again, and repeat.",
            details={"item": number, "changed": True},
        )

    def _write(self, sight: Sight, item: Item, right: Right, verdict: str, reason: str, now: datetime) -> Item:
        if verdict == KEEP and item.unused and not reason:
            raise InvalidInput(
                f"{_named(item)} was not used; to keep it takes a reason.",
                details={"field": "reason", "item": item.number},
            )
        by = sight.subject.user
        decided = replace(item, by=by, at=now, reason=reason, instead_of=sight.instead(item))
        if verdict == KEEP:
            decided = replace(decided, state=ItemState.KEPT, outcome=Outcome.CONFIRMED)
        else:
            decided = revoked(decided, self._ending, right, by, f"{reason} (access review {item.campaign})")
        entry = self._records.item(by, "campaign.keep" if verdict == KEEP else "campaign.revoke", decided, reason)
        self._records.source(decided, by)
        return self._store.change_item(replace(decided, audit=entry.seq))

    def _undo(self, sight: Sight, item: Item, reason: str, now: datetime) -> Item:
        if item.state not in (ItemState.KEPT, ItemState.REVOKED):
            raise Conflict(
                f"{_named(item)} is not decided, so nothing can be taken back.", details={"item": item.number}
            )
        if item.by != sight.subject.user and not sight.runs(item):
            raise NotAllowed(
                f"{item.by} decided item {item.number}; they or those who manage may take it back.",
                details={"item": item.number, "reasons": ["decided by another"]},
            )
        steps = _steps(item)
        if item.state is ItemState.REVOKED:
            back = self._ending.take_back(item, sight.subject.user, lambda: self._all_steps(item.campaign))
            steps += map(list, back)
        fresh = replace(
            item,
            state=ItemState.OPEN,
            outcome=Outcome.NONE,
            by=None,
            at=None,
            reason="",
            instead_of=None,
            left_at=(),
            undo={"steps": steps} if steps else {},
            audit=None,
        )
        right = self._present.of(item.right, self._present.rights())
        if item.state is ItemState.REVOKED and item.outcome is not Outcome.AT_SOURCE:
            _require_as_before(sight, item, right)
        if right is not None and right.fingerprint != item.right.fingerprint:
            fresh = replace(fresh, right=right, changed=True)
        before = f"was {item.state} by {item.by} at {rfc3339(item.at)}"
        self._records.item(sight.subject.user, "campaign.undo", fresh, f"{before}{': ' + reason if reason else ''}")
        return self._store.change_item(fresh)

    def _all_steps(self, campaign: str) -> list[Step]:
        """Every change of documents by the decisions of a campaign."""
        after, steps = 0, []
        while batch := self._store.items(campaign, ItemFilter(), after, 1000):
            steps += [step for each in batch for step in _steps(each)]
            after = batch[-1].number
        return [(kind, name, before, then) for kind, name, before, then in steps]

    def _note(self, item: Item) -> Item:
        return self._store.change_item(item)


def revoked(item: Item, ending: Ending, right: Right, by: str, reason: str) -> Item:
    """The item after its right was ended, as far as that can be done here."""
    ended = ending.end(right, by, reason)
    steps = [*_steps(item), *(each["step"] for each in ended.undo.get("changed", ()))]
    undo = {**ended.undo, **({"steps": steps} if steps else {})}
    return replace(item, state=ItemState.REVOKED, outcome=ended.outcome, left_at=ended.left_at, undo=undo)


def _steps(item: Item) -> list[Any]:
    """The changes of documents by the decisions on an item, as they are kept."""
    return list(item.undo.get("steps", ()))


def _require_as_before(sight: Sight, item: Item, right: Right | None) -> None:
    """What is given back is what was revoked: more than that only somebody gives who may declare it. Raises Conflict."""
    if right is None:
        raise Conflict(
            f"{_named(item)} cannot be taken back: its holder would not have it, as they are gone or disabled.",
            details={"item": item.number},
        )
    if right.fingerprint != item.right.fingerprint and not sight.manages:
        raise Conflict(
            f"{_named(item)} is not what it was when it was revoked: it would give something else now, so only who manages"
            " may take this back; make a request, or ask them.",
            details={"item": item.number, "changed": True},
        )


def gone(item: Item, now: datetime) -> Item:
    """The item of a right that ended by something else."""
    return replace(item, state=ItemState.GONE, outcome=Outcome.ENDED_ELSEWHERE, at=now)


def require_open(campaign: Campaign, now: datetime) -> None:
    """Raises Conflict once nobody may decide any more."""
    if campaign.state is not CampaignState.OPEN or now >= campaign.due_at:
        ended = campaign.closed_at or campaign.due_at
        raise Conflict(
            f"Access review {campaign.id} ended at {rfc3339(min(ended, now))}; nothing in it can be decided any more.",
            details={"id": campaign.id, "state": str(campaign.state)},
        )


def _require_undecided(item: Item) -> None:
    if item.state is ItemState.GONE:
        raise Conflict(
            f"{_named(item)} ended by something else; nothing is left to decide.",
            details={"item": item.number, "state": "gone"},
        )
    if item.state is not ItemState.OPEN:
        raise Conflict(
            f"{item.by} decided item {item.number} already ({item.state}, {rfc3339(item.at)}); it has to be taken back first.",
            details={"item": item.number, "state": str(item.state), "by": item.by},
        )


def _named(item: Item) -> str:
    return f"Item {item.number} ({item.right.text} of {item.right.holder})"
