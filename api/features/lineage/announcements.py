"""Notifies the owners of what a planned change affects: one event for each set of owners.

The sender reaches whom they may know of: owners of things that are hidden from them get nothing. A message names the thing that
is changed only where all who get it may know of it; else it leads to a dataset of their own.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from urllib.parse import quote

from api.features.lineage.answers.announced import ImpactAnnounced
from api.features.lineage.owner_sets import kind_and_name, owners_of, sets_of, summary
from api.visibility.graph import HIDDEN
from api.visibility.readers import Reader, Readers
from catalog.datasets.clusters import Clusters
from catalog.errors import LimitExceeded, NotSignedIn
from catalog.model import DatasetId, NodeId
from catalog.ports import CatalogStore, Clock, EventSink
from lineage.model import parts_of
from lineage.questions.answers import Affected, Impact
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.audit.ports import AuditFilter
from policies.model import Subject
from policies.notify.notices import Topic
from policies.notify.reach import Reach
from policies.notify.words import free_text

LONGEST_NOTE = 200
MOST_AN_HOUR = 10
"""Calls of one person within an hour, each with a message to all owners of what one change affects."""
MOST_SETS = 100
_MOST_ASKED = 100
"""People of one set of owners whose knowledge is looked up; a larger set is not taken to know what is changed."""
_ACTION: Final = "impact.announce"


@dataclass(slots=True)
class Announcements:
    """Safe for threads."""

    readers: Readers
    reach: Reach
    identity: Identity
    store: CatalogStore
    clusters: Clusters
    events: EventSink
    audit: AuditLog
    clock: Clock
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def send(
        self, caller: Subject, node_id: str, change: str | None, depth: int, basis: str, note: str
    ) -> ImpactAnnounced:
        """Raises NotFound, InvalidInput as the impact does, LimitExceeded for a person who sent too much, Unavailable."""
        impact = self.readers.of(caller).lineage.impact(node_id, depth, None, change, basis)
        known = [each for each in impact.affected if parts_of(each.id).namespace != HIDDEN]
        sets, cleaned = sets_of(known), free_text(note, LONGEST_NOTE)
        messages: list[dict[str, object]] = []
        problems: dict[tuple[str, ...], Mapping[str, str | None]] = {}
        for owners, rows in sets.items():
            people = {each: self.reach.people_of(*kind_and_name(each)) for each in owners}
            reached = self.reach.reached(frozenset().union(*people.values()) - {caller.user}, Topic.DATA)
            if len(messages) >= MOST_SETS:
                problems[owners] = dict.fromkeys(owners, f"beyond the first {MOST_SETS} sets of owners")
                continue
            problems[owners] = {each: _problem(each, people[each], reached, caller.user) for each in owners}
            if reached:
                messages.append(self._message(caller, impact, owners, rows, reached, cleaned))
        outcomes = owners_of(sets, problems)
        details = {
            "change": str(impact.change) if impact.change else None,
            "affected": len(impact.affected),
            "notified": [each.name for each in outcomes if each.notified],
            "notNotified": [each.name for each in outcomes if not each.notified],
        }
        self._send(caller, impact, messages, details)
        without, hidden = sum(not each.owners for each in known), len(impact.affected) - len(known)
        return ImpactAnnounced.model_validate(
            {
                "root": impact.root,
                **({"change": str(impact.change)} if impact.change else {}),
                "note": cleaned,
                "owners": outcomes,
                "messages": len(messages),
                "withoutOwner": without,
                "hidden": hidden,
                "truncated": impact.truncated,
                "text": summary(outcomes, without, hidden, impact.truncated),
            }
        )

    def _send(
        self, caller: Subject, impact: Impact, messages: Sequence[Mapping[str, Any]], details: Mapping[str, Any]
    ) -> None:
        with self._lock:  # two calls at once must not both be the last one within the limit
            self._require_room(caller)
            with self.store.transaction():
                self.audit.record(caller.user, _ACTION, impact.root, "allow", [], details)
                for each in messages:
                    self.events.emit("impact.announced", str(each.get("dataset") or "jobs"), each)

    def _require_room(self, caller: Subject) -> None:
        since = self.clock() - timedelta(hours=1)
        sent = self.audit.list(AuditFilter(actor=caller.user, action=_ACTION, since=since), limit=MOST_AN_HOUR).entries
        if len(sent) >= MOST_AN_HOUR:
            free = min(each.at for each in sent) + timedelta(hours=1)
            raise LimitExceeded(
                f"You wrote to owners {MOST_AN_HOUR} times within an hour, which is the limit. Do it again after"
                f" {free:%H:%M} UTC, or copy the text for a ticket.",
                details={"limit": "messages to owners"},
            )

    def _message(
        self,
        caller: Subject,
        impact: Impact,
        owners: Sequence[str],
        rows: Sequence[Affected],
        reached: Collection[str],
        note: str,
    ) -> dict[str, object]:
        """The data of an event. It names only what all who get it may know of."""
        readers = self._readers_of(reached)
        nearest = next((each for each in rows if each.type != "job" and _all_know(readers, parts_of(each.id))), None)
        root = parts_of(impact.root)
        is_known = _all_know(readers, root)
        return {
            "by": caller.user,
            "affected": len(rows),
            "people": [name for kind, name in map(kind_and_name, owners) if kind == "user"],
            "group": [name for kind, name in map(kind_and_name, owners) if kind == "group"],
            "path": _path(impact, nearest, is_known),
            **({"change": str(impact.change)} if impact.change else {}),
            **({"dataset": self._reference(parts_of(nearest.id).dataset)} if nearest is not None else {}),
            **({"about": self._name(root)} if is_known else {}),
            **({"note": note} if note else {}),
        }

    def _readers_of(self, users: Collection[str]) -> list[Reader] | None:
        """None where there are too many, or somebody is gone meanwhile."""
        if len(users) > _MOST_ASKED:
            return None
        try:
            return [self.readers.of(self.identity.current(each)) for each in users]
        except NotSignedIn:
            return None

    def _reference(self, dataset: DatasetId) -> str:
        resolved = self.clusters.resolve(dataset.namespace, dataset.name)
        cluster = self.clusters.of_namespace(resolved.namespace)
        return f"{cluster.name if cluster is not None else dataset.namespace}/{dataset.name}"

    def _name(self, node: NodeId) -> str:
        if node.kind == "job":
            return f"the job {node.namespace}/{node.name}"
        return f"{self._reference(node.dataset)}{f' {node.field}' if node.field else ''}"


def _problem(owner: str, people: Collection[str], reached: Collection[str], sender: str) -> str | None:
    """Why an owner is not notified, after their name; None where somebody of theirs is."""
    if not frozenset(people).isdisjoint(reached):
        return None
    if not people:
        return "nobody is in this group" if kind_and_name(owner)[0] == "group" else "disabled or deleted"
    return "you" if set(people) == {sender} else "no address or channel"


def _all_know(readers: Sequence[Reader] | None, node: NodeId) -> bool:
    """Whether all may know of a node. A job is known to those from whom nothing is hidden: it may name anything."""
    if readers is None:
        return False
    if node.kind == "job":
        return all(each.horizon is None for each in readers)
    known = [each.known_of(node.dataset) for each in readers]
    return all(each.existence and each.lineage and (node.field is None or each.schema) for each in known)


def _path(impact: Impact, nearest: Affected | None, is_known: bool) -> str:
    """The page of lineage with the impact, else the way to a dataset of theirs."""
    if is_known:
        level = "&level=column" if parts_of(impact.root).kind == "field" else ""
        change = f"&change={impact.change}" if impact.change else ""
        return f"/lineage?node={_part(impact.root)}{level}&direction=downstream{change}"
    if nearest is not None:
        return f"/lineage?node={_part(parts_of(nearest.id).dataset.node_id)}&direction=upstream"
    return "/lineage"


def _part(text: str) -> str:
    return quote(text, safe="", errors="replace").replace("~", "%7E")
