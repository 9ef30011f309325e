"""Documents into a view: each is read once, and a view shares with the one before what did not change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from catalog.errors import InvalidInput
from policies.decision.visibility import VisibilityRule
from policies.declared import (
    access_specs,
    convert,
    domain_specs,
    kinds,
    policy_specs,
    purpose_specs,
    visibility_specs,
)
from policies.declared.directory import DIRECTORY_KINDS, Directory
from policies.declared.directory import NAME as DIRECTORY_NAME
from policies.declared.view import GOVERNANCE_KINDS, PEOPLE_KINDS, READ_KINDS, View
from policies.declared.view_changes import Changes, DocumentVersion, Key
from policies.model import Role
from policies.ports import Document, PolicyStore


class ReadDocuments:
    """Documents that were read, by kind and name, and the view of them.

    One that cannot be read closes what it may be about, and never fails the others. Not for several threads at once; `with_`
    gives a new one and leaves this one as it is.
    """

    def __init__(self) -> None:
        self._read: dict[Key, DocumentVersion] = {}
        self._parts: View | None = None

    def with_(self, documents: Iterable[Document], version: int) -> ReadDocuments:
        """These documents' states put over what was read before (a deleted one is taken away), as the state at `version`."""
        after = ReadDocuments()
        documents = list(documents)
        after._read = dict(self._read)
        changed: dict[Key, DocumentVersion | None] = {}
        for document in documents:
            if document.kind in GOVERNANCE_KINDS:
                key = (document.kind, document.name)
                earlier = self._read.get(key)
                if document.spec is None:
                    after._read.pop(key, None)
                    changed[key] = None
                elif earlier is None or earlier.version != document.version:
                    after._read[key] = changed[key] = _read(document)
        directory = self._parts.directory if self._parts is not None else Directory()
        of_directory = [each for each in documents if each.kind in DIRECTORY_KINDS]
        if of_directory:
            directory = directory.with_changes(of_directory)
        after._parts = Changes(self._parts, after._read, changed).view(version, directory)
        return after

    def only(self, documents: Sequence[Document], version: int) -> View:
        """The view of these documents and no others; those that were read before are not read again."""
        fresh = ReadDocuments()
        for document in documents:
            key = (document.kind, document.name)
            cached = self._read.get(key)
            if cached is not None and cached.version == document.version and document.spec is not None:
                fresh._read[key] = cached
        return fresh.with_(documents, version).view

    @property
    def view(self) -> View:
        """Of all that was read."""
        return self._parts if self._parts is not None else ReadDocuments().with_((), 0).view


def build_view(store: PolicyStore, version: int, as_of: datetime | None = None) -> View:
    """Read every document, now or as it was at a moment."""
    if as_of is not None:
        return ReadDocuments().only(documents_at(store, as_of), version)
    return ReadDocuments().with_(store.changed(READ_KINDS), version).view


def documents_at(store: PolicyStore, as_of: datetime) -> list[Document]:
    """What was declared at a moment, with an empty document for each name of a person that had been taken away by then."""
    deletions = [
        Document(kind=kind, name=name, spec=None, metadata={}, version=0, at=as_of)
        for kind in (*sorted(PEOPLE_KINDS), DIRECTORY_NAME)
        for name in sorted(store.deleted(kind, as_of))
    ]
    return [*store.documents(as_of=as_of), *deletions]


def _read(document: Document) -> DocumentVersion:
    name = document.name
    try:
        match kinds.parse(document.kind, name, document.spec):
            case policy_specs.PolicySpec(root=spec):
                return DocumentVersion(
                    document.version, convert.policy(name, spec, (document.metadata or {}).get("domain"))
                )
            case access_specs.RoleSpec() as spec:
                return DocumentVersion(document.version, convert.role(name, spec))
            case access_specs.GrantSpec() as spec:
                return DocumentVersion(document.version, convert.grant(name, spec))
            case purpose_specs.PurposeSpec() as spec:
                return DocumentVersion(document.version, purpose_specs.purpose(name, spec))
            case access_specs.WorkflowSpec() as spec:
                return DocumentVersion(document.version, convert.workflow(name, spec))
            case visibility_specs.VisibilitySpec() as spec:
                return DocumentVersion(document.version, visibility_specs.rule(name, spec))
            case domain_specs.DomainSpec() as spec:
                return DocumentVersion(document.version, domain_specs.domain(name, spec))
            case spec:
                return DocumentVersion(document.version, spec)
    except InvalidInput as error:
        closing: Any = Role(name, problem=error.message) if document.kind == "Role" else None
        if document.kind == "Visibility":
            closing = VisibilityRule(name, problem=error.message)
        return DocumentVersion(document.version, closing, error.message)
