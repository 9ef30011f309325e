"""What a right lets its holder see, what they see without it, and when it was last used."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from catalog.records import rfc3339
from policies.access.alike import Alike
from policies.audit.log import AuditLog
from policies.audit.names import DATASET, GRANT, READING
from policies.campaigns.model import Kind, Right, RightEvidence, SeenDataset
from policies.campaigns.scope import personal_tags
from policies.declared.builtin import ADMIN_USER
from policies.declared.state import View
from policies.effective.people import Given
from policies.effective.shown import ShownParts, Summaries
from policies.model import DatasetFacts, Grant, Subject

MOST_DATASETS = 10
"""Datasets of one right that are decided on; more are counted."""
LOOK_BACK = timedelta(days=400)
"""How far back the audit is searched for reading, at least."""


class Usage:
    """The last use of grants, and of datasets by people, from the audit."""

    def __init__(self, audit: AuditLog, now: datetime, unused_after: timedelta) -> None:
        self.now, self.after = now, now - unused_after
        self.since = now - max(LOOK_BACK, unused_after)
        self._grants: dict[str, dict[str, datetime]] = {}
        self._read: dict[str, dict[str, datetime]] = {}
        for use in audit.uses(GRANT, READING, self.since):
            self._grants.setdefault(use.name, {})[use.actor] = use.at
        for use in audit.uses(DATASET, READING, self.since):
            self._read.setdefault(use.actor, {})[use.name] = use.at
        first = audit.first()
        self.begins = first if first is not None and first > self.since else self.since

    def last(self, right: Right, opened: Collection[str]) -> datetime | None:
        """When the right was last used. Of roles, groups and owners the audit names none: reading what they open counts."""
        if right.kind is Kind.GRANT:
            uses = self._grants.get(right.name, {})
            return uses.get(right.person) if right.person is not None else max(uses.values(), default=None)
        read = self._read.get(right.person or "", {})
        return max((at for name, at in read.items() if name in opened), default=None)

    def is_unused(self, right: Right, last: datetime | None) -> bool:
        """Not used for so long, though it was there; a younger one cannot be judged."""
        if right.since is not None and right.since > self.after:
            return False
        return last is None or last < self.after


class Evidence:
    """Makes the evidence of rights at one moment; facts and decisions are shared between rights."""

    def __init__(
        self, view: View, given: Given, facts: Mapping[str, DatasetFacts], usage: Usage, sensitive: bool
    ) -> None:
        self._view, self._given, self._facts, self._usage, self._sensitive = view, given, facts, usage, sensitive
        self._alike: dict[str, tuple[Alike, Summaries]] = {}
        self._personal: dict[str, list[str]] = {}
        self._known: dict[tuple[Any, ...], ShownParts] = {}

    def of(self, right: Right, opened: Collection[str]) -> tuple[RightEvidence, bool]:
        """The evidence, and whether the right counts as unused."""
        listed = sorted(opened)[:MOST_DATASETS]
        last = self._usage.last(right, opened)
        return {
            "datasets": [self._dataset(right, self._facts[each]) for each in listed],
            "moreDatasets": len(opened) - len(listed),
            "lastUsed": rfc3339(last),
            "lookedSince": rfc3339(self._usage.begins),
            "young": right.since is not None and right.since > self._usage.after,
        }, self._usage.is_unused(right, last)

    def _dataset(self, right: Right, facts: DatasetFacts) -> SeenDataset:
        if facts.reference not in self._alike:
            alike = Alike(self._view, facts, self._usage.now, self._sensitive)
            ends = {grant.name: (grant.valid_to, grant.purpose) for grant in alike.grants}
            self._alike[facts.reference] = alike, Summaries(None, ends)
            self._personal[facts.reference] = personal_tags(facts)
        with_it, without = self._subjects(right)
        summary = self._shown(with_it, facts, right.purpose, None)
        left_out = right.name if right.kind is Kind.GRANT else None
        left = self._shown(without, facts, right.purpose, left_out) if right.kind is not Kind.OWNER else None
        return {
            "dataset": facts.reference,
            "shows": summary.shows,
            "without": left.shows if left is not None else None,
            "fields": {"clear": summary.clear, "masked": summary.masked, "hidden": summary.hidden},
            "masks": list(summary.masks),
            "personal": self._personal[facts.reference],
        }

    def _shown(self, subject: Subject, facts: DatasetFacts, purpose: str | None, left_out: str | None) -> ShownParts:
        alike, summaries = self._alike[facts.reference]
        grants: list[Grant] = [grant for grant in alike.granted(subject) if grant.name != left_out]
        key = (facts.reference, alike.kind(subject), purpose, frozenset(grant.name for grant in grants))
        counted = self._known.get(key)
        if counted is None:
            decision = self._view.decide(subject, facts, purpose, self._usage.now, self._sensitive, grants)
            counted = self._known[key] = summaries.of(decision)
        return counted

    def _subjects(self, right: Right) -> tuple[Subject, Subject]:
        """The holder, and the holder without the right where it is a role or a group."""
        if right.person is None:
            roles, groups = frozenset({right.role} - {None}), frozenset({right.group} - {None})
            if right.group is not None and right.group in self._view.groups:
                roles = frozenset(self._view.groups[right.group].roles)
            who = Subject("", groups, roles)  # type: ignore[arg-type]
            return who, who
        built_in = frozenset({"admin"}) if right.person == ADMIN_USER else frozenset()
        sessions = self._given.get(right.person, ())
        groups_given = frozenset().union(*(each.groups for each in sessions))
        roles_given = frozenset().union(*(each.roles for each in sessions))
        who = self._view.subject(right.person, groups_given, roles_given | built_in)
        if right.kind is Kind.ROLE:
            return who, Subject(who.user, who.groups, who.roles - {right.name})
        if right.kind is Kind.GROUP and right.name in self._view.groups:
            groups = who.groups - {right.name}
            others = frozenset().union(*(self._view.groups[g].roles for g in groups if g in self._view.groups))
            spec = self._view.users.get(who.user) or self._view.services.get(who.user)
            own = frozenset(spec.roles if spec is not None else ()) | roles_given | built_in
            own |= self._view.given_by_directory(who.user).roles
            return who, Subject(who.user, groups, own | others)
        return who, who
