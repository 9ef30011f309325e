"""The audit as the admin of a domain reads it: entries about its datasets, cut to these.

An entry can be about datasets of several domains, such as a query that joins them. What is shown of it is put together from
what is known to be about the domain; nothing is shown because it was not recognized as another's. The numbers and hashes
that chain entries are left out, as they count the entries of everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from catalog.errors import InvalidInput
from catalog.records import rfc3339
from policies.audit.log import MAX_LIMIT, AuditLog
from policies.audit.names import begins, datasets_of, fields_of
from policies.audit.ports import AuditEntry, AuditFilter
from policies.decision.domains import Domain

_CHUNK = 500
_REASONED = ("query", "query.stream", "view.read", "classification.review", "request", "breakglass", "grant")
"""Actions, or their beginnings, whose reasons are about the datasets that the entry names. Those of others, such as an apply
of several documents, name more."""
_OWN_DETAILS = ("purpose", "request", "requester", "grant", "grants", "rows", "query")
"""Details that are about the whole of an entry, so shown where all of it is the domain's."""


class Seal(Protocol):
    """Makes texts that only this installation can make and read."""

    def seal(self, text: str) -> str:
        """Encrypted and signed."""
        ...

    def open(self, sealed: str, seconds: int | None = None) -> str | None:
        """None for one that was not sealed here."""
        ...


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Which datasets a reader sees the audit of. `has`: of a `CLUSTER/TOPIC`; `hidden`: whether a text names what they may
    not know of."""

    domain: Domain
    has: Callable[[str], bool]
    hidden: Callable[[str], bool] = lambda text: False


@dataclass(frozen=True, slots=True)
class DomainEntry:
    """What of an entry is about the domain's datasets; `partial`: it is about more."""

    id: str
    at: str
    actor: str
    action: str
    decision: str
    datasets: list[str]
    fields: dict[str, list[str]]
    reasons: list[str]
    details: dict[str, object]
    partial: bool


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Entries, newest first; `next`: cursor of the page after, `note`: what was not looked at."""

    entries: list[DomainEntry]
    next: str | None
    note: str | None


class DomainAudit:
    """Reads the audit for the admins of one domain at a time."""

    def __init__(self, audit: AuditLog, seal: Seal) -> None:
        self._audit, self._seal = audit, seal

    def page(self, view: Viewpoint, where: AuditFilter, cursor: str | None, limit: int) -> EntryPage:
        """`cursor`: the `next` of the page before. Raises InvalidInput for another one."""
        limit = max(1, min(limit, MAX_LIMIT))
        before = None if cursor is None else self._position(view, cursor)
        entries = list(islice(self._about(view, where, before), limit + 1))
        page = entries[:limit]
        last = page[-1].seq if len(entries) > limit else None
        left = self._audit.unnamed()
        return EntryPage(
            entries=[part(view, each) for each in page],
            next=self._seal.seal(f"audit {view.domain.name} {last:020}") if last is not None else None,
            note="Older entries are not indexed by dataset yet; ask again in a while to find them." if left else None,
        )

    def _about(self, view: Viewpoint, where: AuditFilter, before: int | None) -> Iterator[AuditEntry]:
        where = replace(where, within=tuple(sorted({begins(each) for each in view.domain.datasets})))
        while chunk := self._audit.before(where, before, _CHUNK):
            yield from (each for each in chunk if _is_shown(view, where, each))
            before = chunk[-1].seq

    def _position(self, view: Viewpoint, cursor: str) -> int:
        opened = self._seal.open(cursor)
        words = opened.split() if opened is not None else []
        if len(words) != 3 or words[:2] != ["audit", view.domain.name]:
            raise InvalidInput("This cursor is not one of this domain's audit; pass the `next` of the page before.")
        return int(words[2])


def _is_shown(view: Viewpoint, where: AuditFilter, entry: AuditEntry) -> bool:
    return any(view.has(each) and where.dataset in (None, each) for each in datasets_of(entry))


def part(view: Viewpoint, entry: AuditEntry) -> DomainEntry:
    about = datasets_of(entry)
    own = sorted(filter(view.has, about))
    whole = len(own) == len(about)
    return DomainEntry(
        id=entry.hash,
        at=rfc3339(entry.at),
        actor=entry.actor,
        action=entry.action,
        decision=entry.decision,
        datasets=own,
        fields={dataset: paths for dataset, paths in fields_of(entry).items() if dataset in own},
        reasons=_reasons(view, entry) if whole else [],
        details={key: entry.details[key] for key in _OWN_DETAILS if whole and entry.details.get(key) is not None},
        partial=not whole,
    )


def _reasons(view: Viewpoint, entry: AuditEntry) -> list[str]:
    """A statement that was refused may name anything, and its reasons with it."""
    reasoned = any(entry.action == each or entry.action.startswith(f"{each}.") for each in _REASONED)
    if not reasoned or entry.decision == "refused":
        return []
    return [each for each in entry.reasons if not view.hidden(each)]
