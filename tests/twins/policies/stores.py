"""The stores in memory, for fast tests. They keep every promise of `policies.ports` but durability."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime

from catalog.errors import DatasetNotFound, Unavailable
from policies.audit.names import DATASET, names_of, wanted_names
from policies.audit.ports import AuditEntry, AuditFilter, AuditHead, AuditUse
from policies.model import DatasetFacts
from policies.ports import Change, Document, TokenRecord


class MemoryPolicyStore:
    """`PolicyStore`. Transactions of different threads follow one another."""

    def __init__(self) -> None:
        self._states: list[Document] = []
        self._lock = threading.RLock()
        self._depth = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock:
            before = list(self._states)
            self._depth += 1
            try:
                yield
            except BaseException:
                self._states = before
                raise
            finally:
                self._depth -= 1

    def version(self, kinds: Collection[str]) -> int:
        with self._lock:
            return max((d.version for d in self._states if d.kind in kinds), default=0)

    def get(self, kind: str, name: str) -> Document | None:
        states = self.history(kind, name)
        return states[-1] if states and states[-1].spec is not None else None

    def documents(
        self, kind: str | None = None, *, label: str | None = None, as_of: datetime | None = None
    ) -> list[Document]:
        with self._lock:
            states = [d for d in self._states if as_of is None or d.at <= as_of]
        newest = {(d.kind, d.name): d for d in states if kind is None or d.kind == kind}
        documents = [d for d in newest.values() if d.spec is not None and (label is None or d.label == label)]
        return sorted(documents, key=lambda d: (d.kind, d.name))

    def changed(self, kinds: Collection[str], after: int = 0) -> list[Document]:
        with self._lock:
            newest = {(d.kind, d.name): d for d in self._states if d.version > after and d.kind in kinds}
        return sorted(newest.values(), key=lambda d: d.version)

    @property
    def is_writing(self) -> bool:
        return self._depth > 0

    def deleted(self, kind: str, as_of: datetime | None = None) -> frozenset[str]:
        with self._lock:
            newest = {d.name: d for d in self._states if d.kind == kind and (as_of is None or d.at <= as_of)}
        return frozenset(name for name, d in newest.items() if d.spec is None)

    def history(self, kind: str, name: str) -> list[Document]:
        with self._lock:
            return [d for d in self._states if (d.kind, d.name) == (kind, name)]

    def apply(self, changes: Sequence[Change], at: datetime) -> int:
        with self.transaction():
            for change in changes:
                change.check(self.get(change.kind, change.name))
                version = len(self._states) + 1
                self._states.append(
                    Document(
                        kind=change.kind,
                        name=change.name,
                        spec=change.spec,
                        metadata=change.metadata,
                        version=version,
                        at=at,
                        by=change.by,
                        label=change.label,
                    )
                )
            return len(self._states)


class MemoryTokenStore:
    """`TokenStore`."""

    def __init__(self) -> None:
        self._tokens: dict[str, TokenRecord] = {}
        self._lock = threading.Lock()

    def add(self, token: TokenRecord) -> None:
        self._tokens[token.id] = token

    def find(self, digest: str) -> TokenRecord | None:
        return next((t for t in self._tokens.values() if t.digest == digest), None)

    def tokens(self, user: str | None = None) -> list[TokenRecord]:
        records = [t for t in self._tokens.values() if user is None or t.user == user]
        return sorted(records, key=lambda t: (t.created_at, t.id))

    def revoke(self, token_id: str, at: datetime) -> bool:
        token = self._tokens.get(token_id)
        if token is None:
            return False
        self._tokens[token_id] = replace(token, revoked_at=token.revoked_at or at)
        return True

    def used(self, token_id: str, at: datetime) -> None:
        if token_id in self._tokens:
            self._tokens[token_id] = replace(self._tokens[token_id], used_at=at)

    def rotate(self, token_id: str, successor: TokenRecord, expires_at: datetime) -> bool:
        with self._lock:
            token = self._tokens.get(token_id)
            if token is None or token.rotated is not None or token.revoked_at is not None:
                return False
            self._tokens[token_id] = replace(token, rotated=successor.id, expires_at=expires_at)
            self._tokens[successor.id] = successor
            return True


class MemoryAgentRows:
    """`AgentRows`."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, date], int] = {}
        self._lock = threading.Lock()

    def add(self, token_id: str, day: date, rows: int, most: int) -> bool:
        with self._lock:
            given = self._given.get((token_id, day), 0) + rows
            if given > most:
                return False
            self._given[token_id, day] = given
            return True

    def of(self, day: date) -> dict[str, int]:
        return {token: given for (token, at), given in self._given.items() if at == day}


class MemoryAuditStore:
    """`AuditStore`. `rows` is open, so that a test can tamper with it."""

    def __init__(self) -> None:
        self.rows: list[AuditEntry] = []
        self.noted = AuditHead("memory", 0, "")
        self._lock = threading.RLock()

    def append(
        self, make: Callable[[int, str], AuditEntry], then: Callable[[AuditHead], None] | None = None
    ) -> AuditEntry:
        with self._lock:
            entry = make(self.noted.seq + 1, self.noted.hash)
            self.rows.append(entry)
            self.noted = AuditHead(self.noted.chain, entry.seq, entry.hash)
        if then is not None:
            then(self.noted)
        return entry

    def entries(self, where: AuditFilter, before: int | None, limit: int) -> list[AuditEntry]:
        matches = [e for e in reversed(self.rows) if (before is None or e.seq < before) and _fits(e, where)]
        return matches[:limit]

    def matching(self, where: AuditFilter, after: int, limit: int) -> list[AuditEntry]:
        return [e for e in self.chain(after, len(self.rows)) if _fits(e, where)][:limit]

    def uses(self, kind: str, actions: Collection[str], since: datetime) -> list[AuditUse]:
        last: dict[tuple[str, str], datetime] = {}
        for entry in self.rows:
            if entry.action in actions and entry.decision == "allow" and entry.at >= since:
                for each, name in names_of(entry):
                    if each == kind:
                        last[entry.actor, name] = max(entry.at, last.get((entry.actor, name), entry.at))
        return [AuditUse(actor, name, at) for (actor, name), at in sorted(last.items())]

    def unnamed(self) -> int:
        return 0

    def chain(self, after: int, limit: int) -> list[AuditEntry]:
        return sorted((e for e in self.rows if e.seq > after), key=lambda e: e.seq)[:limit]

    def head(self) -> AuditHead:
        return self.noted


def _begins(name: str, beginnings: Collection[str]) -> bool:
    return name.casefold().startswith(tuple(each.casefold() for each in beginnings))


def _is_action(entry: AuditEntry, action: str) -> bool:
    return entry.action == action or entry.action.startswith(f"{action}.")


def _fits(entry: AuditEntry, where: AuditFilter) -> bool:
    names = names_of(entry)
    return (
        all(
            wanted is None or wanted == given
            for wanted, given in (
                (where.actor, entry.actor),
                (where.target, entry.target),
                (where.decision, entry.decision),
            )
        )
        and (where.action is None or _is_action(entry, where.action))
        and not any(_is_action(entry, each) for each in where.without)
        and all(not names.isdisjoint(wanted) for wanted in wanted_names(where))
        and (where.within is None or any(kind == DATASET and _begins(name, where.within) for kind, name in names))
        and (where.since is None or entry.at >= where.since)
        and (where.until is None or entry.at < where.until)
    )


class MemoryHeadPublisher:
    """`HeadPublisher`. `reachable` False: heads can be neither written nor read."""

    def __init__(self) -> None:
        self.heads: list[AuditHead] = []
        self.reachable = True

    def publish(self, head: AuditHead) -> None:
        if self.reachable:
            self.heads.append(head)

    def newest(self) -> list[AuditHead]:
        if not self.reachable:
            raise Unavailable("The published heads cannot be read.", details={"server": "memory"})
        return self.heads[-100:]


class MemoryFacts:
    """`FactsSource` of given datasets."""

    def __init__(self, *datasets: DatasetFacts) -> None:
        self.known = {d.reference: d for d in datasets}

    def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
        if reference not in self.known:
            raise DatasetNotFound(f"There is no dataset {reference!r}.", details={"dataset": reference})
        return self.known[reference]
