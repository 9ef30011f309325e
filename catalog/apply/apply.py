"""Applying declared state: everything is checked before anything is written, and written as one.

A room joins by giving a `Handler` for each of its kinds. Nothing here knows a kind.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from catalog.declared.documents import Document, WrittenDocument, as_document
from catalog.declared.yaml_text import dump
from catalog.errors import InvalidInput, NotFound, WeirError
from catalog.near_names import did_you_mean
from catalog.records import DeclaredDocument

Made = TypeVar("Made")


class Action(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    UNCHANGED = "unchanged"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Change:
    """What applying does to one document. `old`, `new`: the documents, None where there is none.

    `notes`: sentences on what else comes of it. `problem`: what could not be done outside of Weir yet, and will be tried
    again; empty where nothing is left.
    """

    kind: str
    name: str
    action: Action
    old: DeclaredDocument | None = None
    new: DeclaredDocument | None = None
    line: int | None = None
    notes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def before(self) -> Mapping[str, Any] | None:
        """The spec that was declared."""
        return self.old.spec if self.old is not None else None

    @property
    def after(self) -> Mapping[str, Any] | None:
        """The spec that is declared from now on."""
        return self.new.spec if self.new is not None else None

    @property
    def diff(self) -> str:
        """Unified, of the YAML before and after; empty when unchanged. Each access writes both documents as YAML."""
        return "" if self.action is Action.UNCHANGED else _diff(self.old, self.new)

    def to_json(self) -> dict[str, object]:
        answer: dict[str, object] = {
            "kind": self.kind,
            "name": self.name,
            "action": str(self.action),
            "diff": self.diff,
            "notes": list(self.notes),
        }
        return answer | ({"problem": self.problem} if self.problem else {})


class Documents(list[Document]):
    """All documents of one apply."""

    def __init__(self, documents: Sequence[Document]) -> None:
        super().__init__(documents)
        self._made: dict[str, Any] = {}

    def once(self, what: str, make: Callable[[Documents], Made]) -> Made:
        """What `make` gives of them, made at the first call: a check of each document must not walk all of them."""
        if what not in self._made:
            self._made[what] = make(self)
        value: Made = self._made[what]
        return value


class Handler(Protocol):
    """Keeps the documents of one kind. `key` is `Document.key`."""

    kind: str

    def check(self, document: Document, all_documents: Documents) -> None:
        """Raise a WeirError when it cannot be applied; `all_documents` will be there too. Writes nothing."""

    def notes(self, document: Document) -> Sequence[str]:
        """Sentences on what applying it brings beside the document, for a plan. Must not raise; may be slow."""
        ...

    def get(self, key: str) -> DeclaredDocument | None: ...

    def actual(self, key: str) -> DeclaredDocument | None:
        """What a document is compared with, after `check`: that of `get`, or what has become of it outside of Weir."""

    def put(self, document: Document, by: str | None) -> None: ...

    def delete(self, key: str, by: str | None) -> None: ...

    def list(self) -> Sequence[DeclaredDocument]: ...

    def settle(self, changes: Sequence[Change]) -> Mapping[str, str] | None:
        """After everything was written: slow or fallible work outside the transaction. Must not raise; gives a sentence
        for each name with which something is left to do."""


class _Rehearsed(Exception):
    """Takes a rehearsal's transaction back."""


class Applier:
    """Plans and applies documents over the handlers of every room.

    `handlers` in the order of writing (clusters before datasets); `transaction` spans them all. `hold` is called in it with
    all changes, once they are written, and raises a WeirError where documents do not hold together any more.
    """

    def __init__(
        self,
        handlers: Sequence[Handler],
        transaction: Transaction,
        hold: Callable[[Sequence[Change]], object] = lambda _: None,
    ) -> None:
        self._handlers = {handler.kind: handler for handler in handlers}
        self._order = [handler.kind for handler in handlers]
        self._transaction = transaction
        self._hold = hold

    def plan(self, documents: Sequence[Document], *, prune: bool = False) -> list[Change]:
        """What `apply` would do, checked as `apply` checks it. `prune`: what the documents do not name is deleted, of
        the kinds they contain. Raises InvalidInput naming the line."""
        self._check(documents)
        return self._noted(self._changes(documents, prune), documents)

    def rehearse(self, documents: Sequence[Document], changes: Sequence[Change]) -> None:
        """Write the changes of a plan and take them back. Raises what `apply` meets only then, such as Conflict for what others
        need."""
        if any(change.action is not Action.UNCHANGED for change in changes):
            with suppress(_Rehearsed), self._transaction():
                self._write(documents, changes, None)
                raise _Rehearsed

    def _noted(self, changes: Sequence[Change], documents: Sequence[Document]) -> list[Change]:
        by_key = {(d.kind, d.key): d for d in documents}
        return [
            replace(each, notes=tuple(self._handlers[each.kind].notes(by_key[each.kind, each.name])))
            if each.action in (Action.CREATE, Action.UPDATE)
            else each
            for each in changes
        ]

    def _check(self, documents: Sequence[Document]) -> None:
        everything = Documents(documents)
        for document in self._ordered(documents):
            try:
                self._handlers[document.kind].check(document, everything)
            except WeirError as error:
                error.message = f"line {document.line}: {document.kind} {document.key}: {error.message}"
                error.details = {"line": document.line, "kind": document.kind, "name": document.key, **error.details}
                error.args = (error.message,)
                raise

    def _changes(self, documents: Sequence[Document], prune: bool) -> list[Change]:
        changes = [self._change(document) for document in self._ordered(documents)]
        if prune:
            keys = {(d.kind, d.key) for d in documents}
            for kind in reversed(self._order):
                if all(d.kind != kind for d in documents):
                    continue
                changes += [
                    Change(kind, old.key, Action.DELETE, old)
                    for old in self._handlers[kind].list()
                    if (kind, old.key) not in keys
                ]
        return changes

    def apply(
        self,
        documents: Sequence[Document],
        *,
        prune: bool = False,
        by: str | None = None,
        allowed: Callable[[], object] = lambda: None,
        review: Callable[[Sequence[Change]], object] = lambda _: None,
        record: Callable[[Sequence[Change]], object] = lambda _: None,
    ) -> list[Change]:
        """Do it: all of it or nothing. Gives what was done. `allowed` is called in the transaction, before anything is
        written, and raises a WeirError where it may not be done any more. `review` gets what would be done before the
        transaction, and raises a WeirError to refuse it. `record` gets what was written, in the transaction: nothing is done
        where it raises."""
        self._check(documents)  # may be slow (a policy's expression is tried), so not while others wait to write
        planned = self._noted(self._changes(documents, prune), documents)
        review(planned)
        with self._transaction():
            allowed()
            changes = self._changes(documents, prune)
            self._write(documents, changes, by)
            record(changes)
        left: dict[str, dict[str, str]] = {}
        for kind, handler in self._handlers.items():
            left[kind] = dict(handler.settle([change for change in changes if change.kind == kind]) or {})
        notes = {(each.kind, each.name): each.notes for each in planned}
        return [
            replace(each, problem=left[each.kind].get(each.name, ""), notes=notes.get((each.kind, each.name), ()))
            for each in changes
        ]

    def _write(self, documents: Sequence[Document], changes: Sequence[Change], by: str | None) -> None:
        by_key = {(d.kind, d.key): d for d in documents}
        for change in changes:
            handler = self._handlers[change.kind]
            if change.action in (Action.CREATE, Action.UPDATE):
                handler.put(by_key[change.kind, change.name], by)
            elif change.action is Action.DELETE:
                handler.delete(change.name, by)
        self._hold(changes)

    def get(self, kind: str, key: str | None = None) -> list[WrittenDocument]:
        """Documents as they were applied, one or all of a kind. `kind` in any case, plural or singular.

        Raises NotFound naming what is there.
        """
        handler = self._handlers[self.kind_named(kind)]
        if key is None:
            documents = sorted(handler.list(), key=lambda d: d.key)
        else:
            one = handler.get(key)
            if one is None:
                near = difflib.get_close_matches(key, [d.key for d in handler.list()], 3)
                advice = did_you_mean(near, lead=" ")
                raise NotFound(
                    f"There is no {handler.kind} {key!r}.{advice}", details={"kind": handler.kind, "name": key}
                )
            documents = [one]
        return [as_document(handler.kind, d.metadata, d.spec) for d in documents]

    def delete(
        self,
        kind: str,
        key: str,
        by: str | None = None,
        allowed: Callable[[], object] = lambda: None,
        record: Callable[[], object] = lambda: None,
    ) -> str:
        """What is left to do outside of Weir, in a sentence; else nothing. `allowed`, `record`: see `apply`. Raises NotFound."""
        self.get(kind, key)
        handler = self._handlers[self.kind_named(kind)]
        with self._transaction():
            allowed()
            handler.delete(key, by)
            self._hold([Change(handler.kind, key, Action.DELETE)])
            record()
        problems = handler.settle([Change(handler.kind, key, Action.DELETE)]) or {}
        return problems.get(key, "")

    def to_documents(self) -> list[WrittenDocument]:
        """Everything that was declared, in an order that can be applied again."""
        return [document for kind in self._order for document in self.get(kind)]

    def kind_named(self, text: str) -> str:
        """`datasets`, `Dataset`, `glossary-terms` -> the kind. Raises InvalidInput naming the kinds."""
        folded = text.replace("-", "").replace("_", "").lower()
        for kind in self._order:
            plain = kind.lower()
            if folded in (plain, plain + "s", plain.removesuffix("y") + "ies"):
                return kind
        near = difflib.get_close_matches(text, self._order, 1)
        advice = did_you_mean(near, f"kinds are {', '.join(self._order)}.")
        raise InvalidInput(f"There is no kind {text!r}; {advice}", details={"kind": text})

    def _ordered(self, documents: Sequence[Document]) -> list[Document]:
        for document in documents:
            if document.kind not in self._handlers:
                raise InvalidInput(f"line {document.line}: kind {document.kind} cannot be applied here.")
        return sorted(documents, key=lambda d: self._order.index(d.kind))

    def _change(self, document: Document) -> Change:
        old = self._handlers[document.kind].actual(document.key)
        new = DeclaredDocument(document.kind, document.key, document.metadata, document.spec)
        if old is None:
            action = Action.CREATE
        elif old.spec == document.spec and old.metadata == document.metadata:
            action = Action.UNCHANGED
        else:
            action = Action.UPDATE
        return Change(document.kind, document.key, action, old, new, document.line)


class Transaction(Protocol):
    def __call__(self) -> AbstractContextManager[Any]: ...


def _diff(old: DeclaredDocument | None, new: DeclaredDocument | None) -> str:
    def lines(document: DeclaredDocument | None) -> list[str]:
        if document is None:
            return []
        return dump([as_document(document.kind, document.metadata, document.spec)]).splitlines()[1:]

    return "\n".join(difflib.unified_diff(lines(old), lines(new), "now", "then", lineterm="", n=3))
