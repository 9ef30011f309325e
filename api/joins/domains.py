"""Domains under `weir apply`: whether they hold together, and what their admins and stewards may declare."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from api.joins.contract_rights import ContractRights
from api.joins.owned import Outlines, is_owner, refuse
from catalog.datasets.terms import term_tags
from catalog.declared.documents import Document
from catalog.errors import InvalidInput, NotAllowed
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from policies.access.identity import Identity
from policies.campaigns.within import require_within
from policies.decision.domains import Domain, Power, overlap
from policies.declared.campaign_specs import AccessReviewSpec
from policies.declared.domain_documents import (
    Editor,
    curation_refused,
    domain_refused,
    edit_refused,
    guarding,
    opening,
    outside,
)
from policies.declared.domain_specs import KIND, OWN_KINDS, DomainSpec, check_name, domain
from policies.declared.kinds import parse
from policies.declared.state import GovernanceState
from policies.model import Subject


def check_document(document: Document, beside: Sequence[Document], state: GovernanceState) -> None:
    """Raises InvalidInput where a domain overlaps another, or a document of a domain is about more than its datasets.

    `beside`: what is applied with it, which counts in place of what is declared.
    """
    if document.kind == KIND:
        check_name(document.name)
        mine = _domain(document)
        for other in _domains(beside, state).values():
            if other.name != mine.name:
                _require_apart(mine, other)
        changed = {(each.kind, each.name) for each in beside}
        _require_within(
            {mine.name: mine},
            (each for each in _owned(state) if (each[0], each[1]) not in changed and each[2] == mine.name),
        )
    elif document.kind in OWN_KINDS and (name := document.metadata.get("domain")):
        _require_within(_domains(beside, state), [(document.kind, document.name, str(name), document.spec)])
    elif isinstance(review := document.model, AccessReviewSpec) and review.domain is not None:
        require_within(document.name, review, _domains(beside, state).get(review.domain))


_Owned = tuple[str, str, str, Mapping[str, Any]]
"""Kind and name of a document, its domain, its spec."""


def _owned(state: GovernanceState) -> Iterable[_Owned]:
    """Declared documents that belong to a domain."""
    for kind in sorted(OWN_KINDS):
        for each in state.store.documents(kind):
            if each.metadata.get("domain") and each.spec is not None:
                yield kind, each.name, str(each.metadata["domain"]), each.spec


def _domain(document: Document) -> Domain:
    model = parse(KIND, document.name, document.spec)
    assert isinstance(model, DomainSpec)
    return domain(document.name, model)


def _domains(beside: Iterable[Document], state: GovernanceState) -> dict[str, Domain]:
    return {**state.view().domains, **{each.name: _domain(each) for each in beside if each.kind == KIND}}


def _require_apart(one: Domain, other: Domain) -> None:
    shared = overlap(one, other)
    if shared is not None:
        mine, theirs, example = shared
        raise InvalidInput(
            f"Domains {one.name} and {other.name} overlap: {mine} of {one.name} and {theirs} of {other.name} both match"
            f" {example}; a dataset belongs to one domain at most.",
            details={"domains": [one.name, other.name], "patterns": [mine, theirs], "example": example},
        )


def _require_within(domains: Mapping[str, Domain], documents: Iterable[_Owned]) -> None:
    for kind, name, of, spec in documents:
        mine = domains.get(of)
        problem = f"there is no domain {of}; declare it by kind: Domain." if mine is None else None
        problem = problem or (outside(mine, kind, name, spec) if mine is not None else None)
        if problem is not None:
            raise InvalidInput(f"{kind} {name}: {problem}", details={"kind": kind, "name": name, "domain": of})


class DomainRights:
    """What may be declared, and by whom; who manages may declare everything."""

    def __init__(self, state: GovernanceState, identity: Identity, store: CatalogStore, outlines: Outlines) -> None:
        self._state, self._identity, self._store, self._outlines = state, identity, store, outlines
        self._contracts = ContractRights(store, identity, outlines)

    def hold(self, kinds: Collection[str]) -> None:
        """In the transaction, when documents of these kinds were written: no two domains overlap, and what belongs to one is
        about its datasets alone. Raises InvalidInput."""
        if KIND in kinds:
            for one, other in combinations(self._state.view().domains.values(), 2):
                _require_apart(one, other)
        if not OWN_KINDS.isdisjoint(kinds) or KIND in kinds:
            _require_within(self._state.view().domains, _owned(self._state))

    def check(self, documents: Sequence[Document]) -> None:
        """Raises InvalidInput for what the patterns of a domain refuse; see `check_document`."""
        for each in documents:
            check_document(each, documents, self._state)

    def require(self, subject: Subject, documents: Sequence[Document], *, prune: bool) -> None:
        """Raises NotAllowed for a document that the subject may not declare, by what it names alone: the answer is the same
        whether it exists or not."""
        if "manage" in self._identity.permissions(subject):
            return
        if prune:
            raise NotAllowed(
                f"{subject.user} may not prune, which takes documents of every domain away; delete them one by one."
            )
        for document in documents:
            match document.kind:
                case "Dataset":
                    self._require_edit(subject, document)
                case "Domain":
                    self._require_domain(subject, document)
                case "Contract":
                    self._contracts.require(subject, document.name, document.spec)
                case kind if kind in OWN_KINDS:
                    self._require_own(subject, kind, document.name, document.metadata.get("domain"))
                case kind:
                    refuse(subject, kind, document.key, f"kind {kind} is the installation's")

    def require_delete(self, subject: Subject, kind: str, name: str) -> None:
        """Raises NotAllowed unless the subject manages, or the document is a policy or visibility of a domain of theirs, or a
        contract of their datasets."""
        if "manage" in self._identity.permissions(subject):
            return
        if kind == "Contract":
            self._contracts.require(subject, name, None, "delete")
            return
        if kind not in OWN_KINDS:
            refuse(subject, kind, name, f"kind {kind} is the installation's", "delete")
        self._require_own(subject, kind, name, name.partition(".")[0], "delete")

    def _require_own(self, subject: Subject, kind: str, name: str, of: Any, verb: str = "declare") -> None:
        mine = [each for each, powers in self._identity.domains(subject).items() if Power.DECLARE in powers]
        if of not in mine:
            domains = " or ".join(sorted(mine)) or "a domain"
            refuse(
                subject,
                kind,
                name,
                f"it does not belong to {domains} by metadata.domain, or they are not its admin",
                verb,
            )
        present = self._state.store.get(kind, name)
        if not name.startswith(f"{of}."):  # before whether it is there, so that names of others are not revealed
            refuse(subject, kind, name, f"names of documents of domain {of} begin with {of}.", verb)
        if present is not None and present.spec is not None and present.metadata.get("domain") != of:
            refuse(subject, kind, name, "the installation declared it", verb)

    def _require_domain(self, subject: Subject, document: Document) -> None:
        if Power.DECLARE not in self._identity.domains(subject).get(document.name, ()):
            refuse(subject, KIND, document.name, "they are not its admin")
        present = self._state.store.get(KIND, document.name)
        if problem := domain_refused(document.name, present.spec if present is not None else None, document.spec):
            refuse(subject, KIND, document.name, problem)

    def _require_edit(self, subject: Subject, document: Document) -> None:
        key = document.key
        cluster, _, name = key.partition("/")
        # Two names of one cluster lead to the same dataset, so both its written and its own name count.
        outline = self._outlines.outline(DatasetId(cluster, name))
        reference = outline.reference
        powers = self._identity.powers(subject, reference) & self._identity.powers(subject, key)
        owned = Power.EDIT not in powers and is_owner(subject, outline.owners)
        if Power.EDIT not in powers and not owned:
            refuse(
                subject, "Dataset", key, "they do not own it, and it is in no domain that they are admin or steward of"
            )
        names = {cluster, *(each.name for each in self._store.clusters() if each.namespace == outline.id.namespace)}
        declared = [self._store.document("Dataset", f"{each}/{name}") for each in sorted(names)]
        view = self._state.view()
        kept = ((each.kind, each.metadata, each.spec or {}) for each in self._state.documents())
        # A token of Weir's own does not carry the groups that a provider gives at the pages.
        groups = subject.groups | self._identity.current(subject.user).groups
        opened_by = opening(view.roles.values(), view.grants.values(), reference)
        editor = Editor(subject.user, groups, powers, guarding(kept), opened_by)
        tags = term_tags(self._store)
        # Written under another name of the cluster, it takes the place of what was declared all the same.
        for before in [each.spec for each in declared if each is not None] or [{}]:
            refused = curation_refused(before, document.spec, tags) if owned else None
            if problem := refused if owned else edit_refused(editor, before, document.spec, tags):
                refuse(subject, "Dataset", key, problem)
