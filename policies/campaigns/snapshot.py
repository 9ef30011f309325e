"""The items of a campaign: the rights in its scope as they are when it begins, each with evidence and reviewers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from catalog.errors import InvalidInput
from catalog.records import rfc3339
from policies.audit.log import AuditLog
from policies.campaigns.evidence import Evidence, Usage
from policies.campaigns.model import Item, ReviewerSet, Right, SharedSets
from policies.campaigns.people import KnownPeople
from policies.campaigns.reviewers import Reviewing
from policies.campaigns.rights import Rights
from policies.campaigns.scope import Scope, find
from policies.campaigns.within import of_domain
from policies.declared.campaign_specs import AccessReviewSpec
from policies.declared.spec_parts import duration
from policies.effective.moment import Moment, Moments

MOST_ITEMS = 20_000
"""Items of one campaign. More would be confirmed in bulk, which confirms nothing: narrow the scope."""


@dataclass
class Snapshot:
    """Items of one campaign, with the sets that they share and sentences on what was not looked at."""

    items: list[Item] = field(default_factory=list)
    sets: SharedSets = field(default_factory=SharedSets)
    notes: list[str] = field(default_factory=list)


class Snapshots:
    """Takes snapshots. `references`: `CLUSTER/TOPIC` of every dataset that can be queried."""

    def __init__(self, moments: Moments, audit: AuditLog, references: Callable[[], Iterable[str]]) -> None:
        self._moments, self._audit, self._references = moments, audit, references

    def take(self, campaign: str, spec: AccessReviewSpec) -> Snapshot:
        """Raises InvalidInput where there are more items than a campaign may have."""
        moment = self._moments.of(None)
        sensitive = self._moments.settings.unscanned_is_sensitive
        scope = find(spec.scope, moment.view, self._moments.source, self._references, sensitive)
        rights = Rights(moment.view, moment.given, lambda: moment.at)
        usage = Usage(self._audit, moment.at, duration(spec.unused_after))
        evidence = Evidence(moment.view, moment.given, scope.facts, usage, sensitive)
        reviewing = Reviewing(
            spec.reviewers, moment.view, KnownPeople(moment.view, moment.given, rights.people), scope.facts
        )
        snapshot = Snapshot()
        domain = moment.view.domains.get(spec.domain) if spec.domain is not None else None
        wider = 0
        for right, opened in in_scope(spec, scope, rights):
            if spec.domain is not None and (domain is None or not of_domain(right, domain)):
                wider += 1
                continue
            if len(snapshot.items) == MOST_ITEMS:
                raise InvalidInput(
                    f"This review has more than {MOST_ITEMS:,} items; narrow its scope by datasets, domains, roles or people.",
                    details={"field": "spec.scope"},
                )
            proof, unused = evidence.of(right, opened)
            reviewers = reviewing.of(right, [scope.facts[each] for each in sorted(opened)])
            snapshot.items.append(
                Item(
                    campaign=campaign,
                    number=len(snapshot.items) + 1,
                    right=right,
                    evidence=proof,
                    reviewers=_reviewers(snapshot, reviewers),
                    opens=_opens(snapshot, opened),
                    unused=unused,
                )
            )
        snapshot.notes += self._notes(spec, scope, moment, usage, snapshot)
        if wider:
            snapshot.notes.append(
                f"{wider} grants open more than datasets of domain {spec.domain} and were left out; a review of the"
                " installation has them."
            )
        return snapshot

    def _notes(
        self, spec: AccessReviewSpec, scope: Scope, moment: Moment, usage: Usage, snapshot: Snapshot
    ) -> Iterator[str]:
        yield from moment.notes_for(True)
        if scope.unread:
            yield f"{len(scope.unread)} datasets could not be read and were left out: {', '.join(scope.unread[:5])}."
        if usage.begins > usage.since:
            yield f"The audit begins at {rfc3339(usage.begins)}: earlier reading is not known."
        if unnamed := self._audit.unnamed():
            yield f"{unnamed:,} older entries of the audit are not indexed yet, so use that they record is missing."
        if "roles" in spec.items:
            yield "Of roles and owners the audit names none, so reading a dataset counts as use of all that open it."
        nobody = sum(not snapshot.sets.reviewers[item.reviewers].users for item in snapshot.items)
        if nobody:
            yield f"{nobody} items have nobody who may decide them."


def in_scope(spec: AccessReviewSpec, scope: Scope, rights: Rights) -> Iterator[tuple[Right, frozenset[str]]]:
    """The rights under review with the datasets in scope that they open, in an order that does not change."""
    if "grants" in spec.items:
        for right in rights.all_grants():
            opened = scope.opened(right)
            if scope.holds(right, opened):
                yield right, opened
    if "roles" in spec.items:
        roles = scope.roles()
        groups = scope.groups(roles)
        for right in rights.memberships(roles, groups, rights.people):
            opened = scope.opened(right)
            if scope.holds(right, opened):
                yield right, opened
    if "owners" in spec.items and not spec.scope.roles:
        for _, facts in sorted(scope.facts.items()):
            for right in rights.owners(facts):
                opened = scope.opened(right)
                if scope.holds(right, opened):
                    yield right, opened


def _reviewers(snapshot: Snapshot, reviewers: ReviewerSet) -> str:
    key = _key(reviewers.to_json())
    snapshot.sets.reviewers.setdefault(key, reviewers)
    return key


def _opens(snapshot: Snapshot, opened: frozenset[str]) -> str:
    datasets = sorted(opened)
    key = _key(datasets)
    snapshot.sets.opens.setdefault(key, datasets)
    return key


def _key(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:24]
