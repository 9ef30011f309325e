"""What is declared: policies, roles, users, groups, workflows, grants. One service, and a view ready for deciding."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.change_cache import asked_once
from catalog.errors import InvalidInput, NotFound, Unavailable
from policies.decision.decide import denied
from policies.decision.visibility import ALL, DatasetKnowledge
from policies.declared import access_specs, kinds, policy_specs, principal_specs, provider_specs, purpose_specs
from policies.declared.builtin import ADMIN_USER, BUILT_IN_ROLES
from policies.declared.directory import NAME as DIRECTORY_NAME
from policies.declared.notes import notes
from policies.declared.person_names import RULE, can_be_a_name, is_own
from policies.declared.read_documents import ReadDocuments, build_view, documents_at
from policies.declared.service_specs import ServiceAccountSpec
from policies.declared.view import GOVERNANCE_KINDS, PEOPLE_KINDS, READ_KINDS, View
from policies.model import DatasetFacts, Decision, Subject
from policies.ports import Change, Clock, Document, PolicyStore
from policies.settings import PolicySettings
from policies.spellings import plain

__all__ = ["GOVERNANCE_KINDS", "Checks", "GovernanceState", "View", "build_view"]

_VERSION_KINDS = GOVERNANCE_KINDS | {"ScimUser", "ScimGroup", DIRECTORY_NAME}
"""Memberships change with their group or user alone, so they need no look of their own before each decision."""

Within = Callable[[Subject, DatasetFacts, Decision], Decision]
"""A decision without what its subject may not know."""

OnPerson = Callable[[str, str, Mapping[str, Any] | None, Mapping[str, Any] | None], object]
"""Kind (User, ServiceAccount), name, spec before and after; None where there is none."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Checks of SQL that another part of the room does; each raises InvalidInput, which names what is wrong.

    expression: of a CUSTOM mask; condition: of rows; provider: what an IdentityProvider names of this machine.
    Without them nothing is checked.
    """

    expression: Callable[[str], object] = lambda _: None
    condition: Callable[[str], object] = lambda _: None
    provider: Callable[[provider_specs.IdentityProviderSpec], object] = lambda _: None


class GovernanceState:
    """Reads and changes what is declared. Every read sees every change that was answered before it began."""

    def __init__(
        self, store: PolicyStore, clock: Clock, settings: PolicySettings | None = None, checks: Checks | None = None
    ) -> None:
        self.store = store
        self._clock = clock
        self._settings = settings or PolicySettings()
        self._checks = checks or Checks()
        self.within: Within | None = None
        """Cuts a decision to what its subject may know of the dataset; asked where something is hidden from somebody."""
        self.worded: Within | None = None
        """Cuts a decision about somebody to what a further reader may know: the subject is who reads it."""
        self.known: Callable[[Subject, DatasetFacts], DatasetKnowledge] = lambda *_: ALL
        """What a subject may know of a dataset."""
        self.on_person: OnPerson = lambda *_: None
        """Called in the transaction that declares, changes or deletes a person or a program."""
        self._read = ReadDocuments()
        self._at = -1
        self._lock = threading.Lock()

    # --- reading ---------------------------------------------------------------------------------------------------

    def version(self) -> int:
        """Rises with every change of anything declared here."""
        return self.store.version(_VERSION_KINDS)

    def view(self, as_of: datetime | None = None) -> View:
        """The present view, or that of a past moment. Raises Unavailable."""
        if as_of is not None:
            with self._lock:
                declared = self._read
            return declared.only(documents_at(self.store, as_of), 0)
        return asked_once(self._present)

    def _present(self) -> View:
        with self._lock:
            version = self.version()
            if self._at == version:
                return self._read.view
            if version < self._at:  # another store took its place, as when one is restored
                self._read, self._at = ReadDocuments(), -1
            read = self._read.with_(self.store.changed(READ_KINDS, max(self._at, 0)), version)
            # What a transaction writes may never come to be, and others get its version: it is read for now, and not kept.
            if not self.store.is_writing:
                self._read, self._at = read, version
            return read.view

    def decide(self, subject: Subject, facts: DatasetFacts, purpose: str | None = None) -> Decision:
        """What the subject may read now. Without an answer of the store: nothing."""
        try:
            view = self.view()
        except Unavailable as error:
            return denied(
                facts, f"Nothing of {facts.reference} is opened, because policies cannot be read: {error.message}"
            )
        return self.cut(
            view,
            subject,
            facts,
            view.decide(subject, facts, purpose, self._clock(), self._settings.unscanned_is_sensitive),
        )

    def cut(self, view: View, subject: Subject, facts: DatasetFacts, decision: Decision) -> Decision:
        """A decision without what its subject may not know of the dataset by now."""
        hides = view.visibility or self._settings.visibility == "closed" or subject.agent is not None
        if self.within is None or not hides:
            return decision
        return self.within(subject, facts, decision)

    def cut_for(self, reader: Subject, subject: Subject, facts: DatasetFacts, decision: Decision) -> Decision:
        """A decision about a subject as somebody reads it by now: one's own is cut, that of others is worded for the reader."""
        view = self.view()
        if reader.user == subject.user:
            return self.cut(view, subject, facts, decision)
        hides = view.visibility or self._settings.visibility == "closed" or reader.agent is not None
        if self.worded is None or not hides:
            return decision
        return self.worded(reader, facts, decision)

    __call__ = decide

    def get(self, kind: str, name: str) -> Document:
        """Raises NotFound."""
        document = self.store.get(kind, name)
        if document is None:
            raise NotFound(f"There is no {kind} named {name!r}; `weir get {kind}` lists them.", details={"kind": kind})
        return document

    def documents(self, kind: str | None = None) -> list[Document]:
        """Documents of one kind, or of all kinds of this room, by kind and name."""
        return [d for d in self.store.documents(kind) if d.kind in GOVERNANCE_KINDS]

    # --- changing --------------------------------------------------------------------------------------------------

    def check(
        self,
        kind: str,
        name: str,
        spec: Any,
        beside: purpose_specs.ProposedPurposes | None = None,
        *,
        alone: bool = True,
    ) -> Mapping[str, Any]:
        """The spec as it would be stored. Raises InvalidInput naming the document, the field and the fix.

        `beside`: purposes that are declared with it, as `together` gives them. Without `alone` whether purposes hold together is
        not looked at: the caller does so when all is written (`policies.access.purposes`).
        """
        model = kinds.parse(kind, name, spec)
        if alone:
            self._check_purposes(kind, name, spec, beside)
        for place, check, text in self._sql(model):
            try:
                check(text)
            except InvalidInput as error:
                path = ["spec", *place]
                where = ".".join(map(str, path))
                problem = {"field": where, "path": path, "problem": error.message}
                raise InvalidInput(
                    f"{kind} {name}: {where}: {error.message}",
                    details={"kind": kind, "name": name, "field": where, "problems": [problem]},
                ) from None
        if kind == "Role" and name in BUILT_IN_ROLES:
            raise InvalidInput(f"Role {name} is built in and cannot be declared; give yours another name.")
        self._check_one_owner(kind, name)
        if isinstance(model, ServiceAccountSpec):
            self._check_certificates(name, model)
        if isinstance(model, principal_specs.PrincipalSpec):
            self._check_principals(name, model)
        if isinstance(model, provider_specs.IdentityProviderSpec):
            self._checks.provider(model)
            try:
                provider_specs.check_provider_name(name)
            except ValueError as error:
                raise InvalidInput(f"IdentityProvider {name}: metadata.name {error}.") from None
        return kinds.dump(model)

    def together(self, given: Mapping[str, Any]) -> purpose_specs.ProposedPurposes:
        """Declared purposes with those of `given` (specs by name), for `check`."""
        return purpose_specs.ProposedPurposes(self.view().purposes, given)

    def _check_purposes(self, kind: str, name: str, spec: Any, beside: purpose_specs.ProposedPurposes | None) -> None:
        """Raises InvalidInput for a purpose that does not fit with the others, or a document that names an unknown one."""
        names = purpose_specs.named_in(kind, spec)
        if kind != "Purpose" and not names:
            return
        if kind == "Purpose":
            purpose_specs.check_name(name)
            if beside is None or beside.given.get(name) is not spec:
                beside = self.together({**(beside.given if beside is not None else {}), name: spec})
            purpose_specs.check_fits(name, beside.fit)
            return
        beside = beside or self.together({})
        missing = sorted(names - beside.by_name.keys()) if beside.by_name else ()
        if missing:
            raise InvalidInput(
                f"{kind} {name}: {beside.unknown(missing[0])}",
                details={"kind": kind, "name": name, "field": "purpose"},
            )

    def notes(self, kind: str, name: str, spec: Any) -> list[str]:
        """See `policies.declared.notes`."""
        return notes(self.view(), kind, name, spec, self._clock())

    def _check_one_owner(self, kind: str, name: str) -> None:
        """A name is a person's or a service account's, never both. Raises InvalidInput."""
        other = {"User": "ServiceAccount", "ServiceAccount": "User"}.get(kind)
        if other is not None and self.store.get(other, name) is not None:
            raise InvalidInput(f"{kind} {name}: there is a {other} of this name; take another.")
        if other is not None and not (can_be_a_name(name) and name == plain(name)):
            raise InvalidInput(f"{kind} {name!r}: metadata.name {RULE}, in composed letters (NFC).")
        if other is not None and is_own(name) and (kind, name) != ("User", ADMIN_USER):
            raise InvalidInput(f"{kind} {name}: this is a name of Weir's own; take another.")
        if kind == "ServiceAccount" and self.view().directory.user(name) is not None:
            raise InvalidInput(f"ServiceAccount {name}: the directory has a person of this name; take another.")

    def _check_certificates(self, name: str, spec: ServiceAccountSpec) -> None:
        """A certificate is of one account. Raises InvalidInput."""
        mine = {each.key for each in spec.certificates}
        for other, declared in self.view().services.items() if mine else ():
            shared = sorted(mine & {each.key for each in declared.certificates})
            if other != name and shared:
                raise InvalidInput(
                    f"ServiceAccount {name}: the certificate {shared[0]} is listed by the ServiceAccount {other}; list it in one.",
                    details={"kind": "ServiceAccount", "name": name, "field": "spec.certificates"},
                )

    def _check_principals(self, name: str, spec: principal_specs.PrincipalSpec) -> None:
        """A principal is one person, group or program. Raises InvalidInput."""
        other = principal_specs.listed_elsewhere(name, spec, self.view().principals)
        if other is not None:
            principal, document, (kind, who) = other
            raise InvalidInput(
                f"Principal {name}: {principal} is the {principal_specs.KIND_WORDS[kind]} {who} by the document {document}; a"
                " principal is one, so list it in one document.",
                details={"kind": "Principal", "name": name, "field": "spec.principals"},
            )

    def _sql(self, model: Any) -> list[tuple[list[str | int], Callable[[str], object], str]]:
        condition, expression = self._checks.condition, self._checks.expression
        match model:
            case policy_specs.PolicySpec(root=policy_specs.MaskPolicySpec(mask=mask)) if mask.expression is not None:
                return [(["mask", "expression"], expression, mask.expression)]
            case policy_specs.PolicySpec(root=policy_specs.RowFilterPolicySpec(where=where)):
                return [(["where"], condition, where)]
            case access_specs.RoleSpec(row_filters=filters):
                return [(["rowFilters", i, "where"], condition, f.where) for i, f in enumerate(filters)]
            case access_specs.GrantSpec(rows=rows) if rows is not None:
                return [(["rows"], condition, rows)]
        return []

    def put(
        self,
        kind: str,
        name: str,
        metadata: Mapping[str, Any] | None,
        spec: Any,
        by: str | None = None,
        *,
        alone: bool = True,
    ) -> bool:
        """Declare a document; False when it is declared so already. `alone`: see `check`. Raises InvalidInput."""
        checked = self.check(kind, name, spec, alone=alone)
        kept = {k: v for k, v in (metadata or {}).items() if k != "name"}
        with self.store.transaction():
            present = self.store.get(kind, name)
            if present is not None and present.spec == checked and dict(present.metadata) == kept:
                return False
            self.store.apply([Change(kind, name, checked, kept, by)], self._clock())
            if kind in PEOPLE_KINDS:
                self.on_person(kind, name, present.spec if present is not None else None, checked)
        return True

    def delete(self, kind: str, name: str, by: str | None = None) -> bool:
        """Take a document away; False when there is none.

        A role that others inherit may go: until they are changed, their holders are denied, with a gap that names it.
        """
        with self.store.transaction():
            present = self.store.get(kind, name)
            if present is None:
                return False
            self.store.apply([Change(kind, name, None, {}, by)], self._clock())
            if kind in PEOPLE_KINDS:
                self.on_person(kind, name, present.spec, None)
        return True
