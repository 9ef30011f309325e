"""Documents into a view: each is read once, and a view shares with the one before what did not change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.errors import InvalidInput
from policies.decision.policy_index import Compiled, Problem
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
from policies.declared.builtin import BUILT_IN_ROLES
from policies.declared.directory import DIRECTORY_KINDS, Directory, DirectoryRuleSpec, Given, strong
from policies.declared.directory import NAME as DIRECTORY_NAME
from policies.declared.view import GOVERNANCE_KINDS, PEOPLE_KINDS, READ_KINDS, View
from policies.model import Grant, Policy, Role
from policies.ports import Document, PolicyStore
from policies.purposes import NO_PURPOSES, Purposes
from policies.workflow import Workflow


@dataclass(frozen=True, slots=True)
class _Read:
    """A document at one version as decisions need it; `problem` where it cannot be read."""

    version: int
    value: Any
    problem: str | None = None


_Key = tuple[str, str]
"""Kind and name."""


class Declared:
    """Documents that were read, by kind and name, and the view of them.

    One that cannot be read closes what it may be about, and never fails the others. Not for several threads at once; `with_`
    gives a new one and leaves this one as it is.
    """

    def __init__(self) -> None:
        self._read: dict[_Key, _Read] = {}
        self._parts: View | None = None

    def with_(self, documents: Iterable[Document], version: int) -> Declared:
        """These documents' states put over what was read before (a deleted one is taken away), as the state at `version`."""
        after = Declared()
        documents = list(documents)
        after._read = dict(self._read)
        changed: dict[_Key, _Read | None] = {}
        before = {} if self._parts is None else self._read
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
        after._parts = _view(self._parts, before, after._read, changed, version, directory)
        return after

    def only(self, documents: Sequence[Document], version: int) -> View:
        """The view of these documents and no others; those that were read before are not read again."""
        fresh = Declared()
        for document in documents:
            key = (document.kind, document.name)
            cached = self._read.get(key)
            if cached is not None and cached.version == document.version and document.spec is not None:
                fresh._read[key] = cached
        return fresh.with_(documents, version).view

    @property
    def view(self) -> View:
        """Of all that was read."""
        return self._parts if self._parts is not None else Declared().with_((), 0).view


def build_view(store: PolicyStore, version: int, as_of: datetime | None = None) -> View:
    """Read every document, now or as it was at a moment."""
    if as_of is not None:
        return Declared().only(documents_at(store, as_of), version)
    return Declared().with_(store.changed(READ_KINDS), version).view


def documents_at(store: PolicyStore, as_of: datetime) -> list[Document]:
    """What was declared at a moment, with an empty document for each name of a person that had been taken away by then."""
    deletions = [
        Document(kind, name, None, {}, 0, as_of)
        for kind in (*sorted(PEOPLE_KINDS), DIRECTORY_NAME)
        for name in sorted(store.deleted(kind, as_of))
    ]
    return [*store.documents(as_of=as_of), *deletions]


def _read(document: Document) -> _Read:
    name = document.name
    try:
        match kinds.parse(document.kind, name, document.spec):
            case policy_specs.PolicySpec(root=spec):
                return _Read(document.version, convert.policy(name, spec, (document.metadata or {}).get("domain")))
            case access_specs.RoleSpec() as spec:
                return _Read(document.version, convert.role(name, spec))
            case access_specs.GrantSpec() as spec:
                return _Read(document.version, convert.grant(name, spec))
            case purpose_specs.PurposeSpec() as spec:
                return _Read(document.version, purpose_specs.purpose(name, spec))
            case access_specs.WorkflowSpec() as spec:
                return _Read(document.version, convert.workflow(name, spec))
            case visibility_specs.VisibilitySpec() as spec:
                return _Read(document.version, visibility_specs.rule(name, spec))
            case domain_specs.DomainSpec() as spec:
                return _Read(document.version, domain_specs.domain(name, spec))
            case spec:
                return _Read(document.version, spec)
    except InvalidInput as error:
        closing: Any = Role(name, problem=error.message) if document.kind == "Role" else None
        if document.kind == "Visibility":
            closing = VisibilityRule(name, problem=error.message)
        return _Read(document.version, closing, error.message)


def _view(
    old: View | None, before: Mapping[_Key, _Read], read: Mapping[_Key, _Read], changed: Mapping[_Key, _Read | None],
    version: int, directory: Directory,
) -> View:  # fmt: skip
    """The view after some documents changed: parts of which nothing did are the same objects as before."""
    kinds_changed = {kind for kind, _ in changed}

    def part(kind: str, unchanged: Any) -> Any:
        if old is not None and kind not in kinds_changed:
            return unchanged
        if old is not None:  # a copy is quicker than a walk through all that was read
            copy = dict(unchanged)
            for (of, name), each in changed.items():
                if of == kind:
                    copy.pop(name, None)
                    if each is not None and each.value is not None:
                        copy[name] = each.value
            return copy
        return {name: each.value for (of, name), each in sorted(read.items()) if of == kind and each.value is not None}

    def listed(kind: str) -> list[tuple[str, _Read]]:
        return sorted((name, each) for (of, name), each in read.items() if of == kind)

    roles = part("Role", old.roles if old else {})
    if roles is not (old.roles if old else None):
        roles = {**BUILT_IN_ROLES, **roles}
    policies = old.policies if old is not None else Compiled()
    if old is None or "Policy" in kinds_changed:
        of_policies = [each for _, each in listed("Policy")]
        unreadable = [
            Problem(None, f"{each.problem} Declare it again, or delete it.") for each in of_policies if each.problem
        ]
        readable: list[Policy] = [each.value for each in of_policies if each.value is not None]
        policies = Compiled(readable, unreadable, version)
    workflows: tuple[Workflow, ...] = old.workflows if old is not None else ()
    if old is None or "Workflow" in kinds_changed:
        workflows = tuple(each.value for _, each in listed("Workflow") if each.value is not None)
    grants: Mapping[str, Grant] = part("Grant", old.grants if old else {})
    by_subject = old.grants_by_subject if old is not None else {}
    if old is None or "Grant" in kinds_changed:
        names = [name for kind, name in changed if kind == "Grant"] if old is not None else list(grants)
        by_subject = _by_subject(by_subject, old.grants if old is not None else {}, grants, names)
    groups = part("Group", old.groups if old else {})
    groups_of = old.groups_of_user if old is not None else {}
    if old is None or "Group" in kinds_changed:
        groups_of = _groups_of(groups)
    users = part("User", old.users if old else {})
    services = part("ServiceAccount", old.services if old else {})
    gone = {name for (kind, name), each in changed.items() if kind in PEOPLE_KINDS and each is None}
    removed = (old.removed_users if old is not None else frozenset()) | gone
    rules: tuple[DirectoryRuleSpec, ...] = old.directory_rules if old is not None else ()
    adopted = old.adopted if old is not None else ()
    if old is None or "DirectoryRights" in kinds_changed:
        specs = [each.value for _, each in listed("DirectoryRights") if each.value is not None]
        rules = tuple(rule for spec in specs for rule in spec.rights)
        adopted = tuple(name for spec in specs for name in spec.adopt)
    visibility = old.visibility if old is not None else ()
    if old is None or "Visibility" in kinds_changed:
        visibility = tuple(each.value for _, each in listed("Visibility"))
    powerful = old.powerful if old is not None else Given()
    if old is None or kinds_changed & {"Role", "Group"}:
        powerful = strong(roles, {name: group.roles for name, group in groups.items()})
    purposes = old.purposes if old is not None else NO_PURPOSES
    if old is None or "Purpose" in kinds_changed:
        declared = [each.value for _, each in listed("Purpose") if each.value is not None]
        purposes = Purposes(declared) if declared else NO_PURPOSES
    unread = any(each is not None and each.problem for each in changed.values())
    problems = old.problems if old is not None and not old.problems and not unread else tuple(
        each.problem for _, each in sorted(read.items()) if each.problem
    )  # fmt: skip
    return View(
        version, roles, policies, grants, workflows, users, groups, removed - users.keys() - services.keys(), problems,
        by_subject, part("IdentityProvider", old.providers if old else {}), groups_of, services, directory, rules,
        adopted, visibility, powerful, part("RequestTemplate", old.templates if old else {}), purposes,
        part("Domain", old.domains if old else {}),
    )  # fmt: skip


def _by_subject(
    before: Mapping[tuple[str, str], Sequence[Grant]],
    old: Mapping[str, Grant],
    new: Mapping[str, Grant],
    names: Collection[str],
) -> Mapping[tuple[str, str], Sequence[Grant]]:
    """Grants by whom they name, where only those of these names changed."""
    removed: dict[tuple[str, str], set[str]] = defaultdict(set)
    added: dict[tuple[str, str], list[Grant]] = defaultdict(list)
    for name in names:
        for key in _keys(old.get(name)):
            removed[key].add(name)
        for key in _keys(grant := new.get(name)):
            if grant is not None:
                added[key].append(grant)
    after = dict(before)
    for key in removed.keys() | added.keys():
        kept = [g for g in before.get(key, ()) if g.name not in removed.get(key, ())]
        after[key] = sorted([*kept, *added.get(key, ())], key=lambda g: g.name)
    return after


def _keys(grant: Grant | None) -> list[tuple[str, str]]:
    if grant is None:
        return []
    of = (("user", grant.subject.users), ("group", grant.subject.groups), ("role", grant.subject.roles))
    return [(kind, name) for kind, names in of for name in names]


def _groups_of(groups: Mapping[str, access_specs.GroupSpec]) -> Mapping[str, frozenset[str]]:
    """User -> the groups whose declarations list them as a member."""
    collected: dict[str, set[str]] = defaultdict(set)
    for name, group in groups.items():
        for member in group.members:
            collected[member].add(name)
    return {user: frozenset(names) for user, names in collected.items()}
