"""Declared state over both rooms that have kinds: the catalog's and the policies'."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel

from api.joins.domains import DomainRights, check_document
from api.joins.names.check import NameCheck, NotedChange
from api.joins.origins import DocumentOrigins, ShownOrigin
from api.joins.second_person import SecondPerson
from catalog.apply.apply import Action, Applier, Change, Documents, Handler
from catalog.contracts.declared import ContractSpec
from catalog.declared import kinds as catalog_kinds
from catalog.declared.documents import Document, WrittenDocument, load
from catalog.document_origins import Checkout
from catalog.errors import Conflict, NotFound
from catalog.records import DeclaredDocument
from connectors.declared import ConnectorSpec
from policies.access.purposes import PurposeUse
from policies.audit.actions import AuditAction
from policies.audit.log import AuditLog
from policies.declared import kinds as policy_kinds
from policies.declared.mentioned import Mentioned, details, mentioned
from policies.declared.purpose_specs import ProposedPurposes
from policies.declared.state import GovernanceState
from policies.model import Subject
from views.declared import ViewSpec

KINDS: dict[str, type[BaseModel]] = {
    **catalog_kinds.KINDS,
    **policy_kinds.KINDS,
    "Contract": ContractSpec,
    "View": ViewSpec,
    "Connector": ConnectorSpec,
}


class GovernanceHandler:
    """One kind of the policies room, as `catalog.apply.apply` handles it."""

    def __init__(self, kind: str, state: GovernanceState) -> None:
        self.kind = kind
        self._state = state

    def check(self, document: Document, all_documents: Documents) -> None:
        beside = all_documents.once("purposes", self._purposes)
        self._state.check(self.kind, document.name, document.spec, beside)
        check_document(document, all_documents, self._state)

    def _purposes(self, documents: Sequence[Document]) -> ProposedPurposes:
        return self._state.together({each.name: each.spec for each in documents if each.kind == "Purpose"})

    def notes(self, document: Document) -> Sequence[str]:
        return self._state.notes(self.kind, document.name, document.spec)

    def get(self, key: str) -> DeclaredDocument | None:
        document = self._state.store.get(self.kind, key)
        return None if document is None else self._declared(document.name, document.metadata, document.spec)

    def actual(self, key: str) -> DeclaredDocument | None:
        return self.get(key)

    def put(self, document: Document, by: str | None) -> None:
        self._state.put(self.kind, document.name, document.metadata, document.spec, by, alone=False)

    def delete(self, key: str, by: str | None) -> None:
        self._state.delete(self.kind, key, by)

    def list(self) -> Sequence[DeclaredDocument]:
        """Grants that approved requests resulted in are not declared state: `--prune` must not delete them."""
        documents = [d for d in self._state.store.documents(self.kind) if not (d.spec or {}).get("request")]
        return [self._declared(d.name, d.metadata, d.spec) for d in documents]

    def settle(self, changes: Sequence[Change]) -> None:
        """Nothing is left to do after the transaction."""

    def _declared(self, name: str, metadata: Any, spec: Any) -> DeclaredDocument:
        return DeclaredDocument(self.kind, name, {"name": name, **metadata}, spec or {})


def _hold(purposes: PurposeUse, rights: DomainRights, changes: Sequence[Change]) -> None:
    """In the transaction, after everything was written: whether purposes and domains hold together still."""
    rights.hold([c.kind for c in changes if c.action is not Action.UNCHANGED])
    changed = [(c.kind, c.name, c.after) for c in changes if c.action in (Action.CREATE, Action.UPDATE)]
    purposes.holds(changed, [c.name for c in changes if c.kind == "Purpose" and c.action is Action.DELETE])


_WEIR = Subject("weir")
"""Who applies what Weir itself decides on."""


@dataclass(frozen=True, slots=True)
class AppliedDocuments:
    """What applying did, or would do."""

    changes: list[NotedChange]
    dry_run: bool


class DeclaredService:
    """Applies documents, and gives them back."""

    def __init__(
        self,
        handlers: Sequence[Handler],
        transaction: Callable[[], AbstractContextManager[Any]],
        audit: AuditLog,
        second: SecondPerson,
        purposes: PurposeUse,
        rights: DomainRights,
        names: NameCheck,
        origins: DocumentOrigins,
    ) -> None:
        self._applier = Applier(handlers, transaction, partial(_hold, purposes, rights))
        self._rights, self._names = rights, names
        self._audit = audit
        self._second = second
        self._origins = origins

    def apply(
        self,
        text: str,
        subject: Subject,
        *,
        dry_run: bool,
        prune: bool,
        allow_unknown: bool = False,
        later: Callable[[], Subject] | None = None,
        checkout: Checkout | None = None,
    ) -> AppliedDocuments:
        """Without `allow_unknown` a typing error in a name
        (`api.joins.names`) is refused, but by a dry run. `later` gives the subject as they are when it is written;
        `checkout`: where the documents are from.
        Raises InvalidInput naming line and field; NotAllowed for what the subject may not declare."""
        documents = load(text, KINDS)
        self._rights.require(subject, documents, prune=prune)
        if dry_run:
            changes = self._applier.plan(documents, prune=prune)
            self._applier.rehearse(documents, changes)
        else:
            changes = self._apply(documents, subject, prune, allow_unknown, later)
            self._origins.applied(changes, subject.user, checkout, self._applier.get)
        warnings = self._names.warnings(changes, subject, allowed=allow_unknown or not dry_run)
        noted = [NotedChange(*each) for each in zip(changes, warnings, strict=True)]
        return AppliedDocuments(noted, dry_run)

    def _apply(
        self,
        documents: list[Document],
        subject: Subject,
        prune: bool,
        allow_unknown: bool,
        later: Callable[[], Subject] | None,
    ) -> list[Change]:
        # Who they are, and what they may declare, can change between the first look and the writing.
        def allowed() -> None:
            self._rights.require(later() if later is not None else subject, documents, prune=prune)

        def review(changes: Sequence[Change]) -> None:
            if not allow_unknown:
                self._names.require(changes, subject)

        if self._second.active:
            review(self._applier.plan(documents, prune=prune))  # before anybody is asked to second it
        try:
            seconded = self._second.check(documents, subject)
        except Conflict as error:
            self._audit.record(subject.user, "apply.proposed", str(error.details["name"]), "deny", [error.message])
            raise
        with self._second.carrying(seconded):
            changes = self._applier.apply(
                documents,
                prune=prune,
                by=subject.user,
                allowed=allowed,
                review=review,
                record=partial(self._record_apply, subject),
            )
        self._second.done(seconded)
        return changes

    def apply_own(self, text: str) -> None:
        """Apply documents that Weir itself decides on. Raises InvalidInput, Conflict, Unavailable."""
        self._applier.apply(load(text, KINDS), by=_WEIR.user, record=partial(self._record_apply, _WEIR))

    def delete_own(self, kind: str, name: str) -> None:
        """Take away a document that Weir itself declared. Raises NotFound, Conflict, Unavailable."""

        def record() -> None:
            self._record(_WEIR, "delete", f"{kind} {name}", [f"delete {kind} {name}"], ())

        self._applier.delete(kind, name, by=_WEIR.user, record=record)

    def documents(self, kind: str, name: str | None) -> list[WrittenDocument]:
        """Documents of a kind as `apply` takes them back; an unknown name gives none. Raises InvalidInput."""
        kind = self._applier.kind_named(kind)
        try:
            return self._applier.get(kind, name)
        except NotFound:
            return []

    def origins(self, kind: str) -> dict[str, ShownOrigin]:
        """Of the documents of a kind that came from a git checkout, by name. Raises InvalidInput."""
        kind = self._applier.kind_named(kind)
        return self._origins.of_kind(kind, self._applier.get(kind))

    def delete(
        self, kind: str, name: str, subject: Subject, later: Callable[[], Subject] | None = None
    ) -> dict[str, str]:
        """Take one document away; what scans found stays: {kind, name, action, problem?}. `later`: see `apply`.

        Raises NotFound; Conflict where others need it; NotAllowed."""
        kind = self._applier.kind_named(kind)
        self._rights.require_delete(subject, kind, name)
        document = self._applier.get(kind, name)[0]
        if kind == "Grant" and document["spec"].get("request"):
            raise Conflict(
                f"Grant {name!r} is what an approved request ended in; revoke it: weir access revoke {name}."
            )

        def allowed() -> None:
            self._rights.require_delete(later() if later is not None else subject, kind, name)

        def record() -> None:
            about = mentioned(kind, name, document["spec"], None)
            self._record(subject, "delete", f"{kind} {name}", [f"delete {kind} {name}"], about)

        problem = self._applier.delete(kind, name, by=subject.user, allowed=allowed, record=record)
        self._origins.removed(kind, name)
        return {"kind": kind, "name": name, "action": "delete"} | ({"problem": problem} if problem else {})

    def _record_apply(self, subject: Subject, changes: Sequence[Change]) -> None:
        changed = [change for change in changes if change.action != "unchanged"]
        if changed:
            words = [f"{change.action} {change.kind} {change.name}" for change in changed]
            about = (each for c in changed for each in mentioned(c.kind, c.name, c.before, c.after))
            self._record(subject, "apply", f"{len(changed)} documents", words, about)

    def _record(
        self, subject: Subject, action: AuditAction, target: str, reasons: Sequence[str], about: Iterable[Mentioned]
    ) -> None:
        """One entry; where it is about more names than an entry holds, more of them with the others."""
        for number, part in enumerate(details(about)):
            words = reasons if not number else [f"part {number + 1} of the names that this is about"]
            self._audit.record(subject.user, action, target, "allow", words, {**part, **subject.sign_in_method})

    def everything(self) -> list[WrittenDocument]:
        """Every declared document, in an order that can be applied again."""
        return self._applier.to_documents()
