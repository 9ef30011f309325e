"""What is declared: policies, roles, users, groups, workflows, grants. One service, and a view ready for deciding."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from catalog.errors import InvalidInput, NotFound, Unavailable
from policies.decision.decide import decide, denied
from policies.decision.policy_index import Compiled, Problem
from policies.declared import access_specs, convert, kinds, policy_specs, provider_specs
from policies.declared.builtin import ADMIN_USER, BUILT_IN_ROLES
from policies.declared.directory import DIRECTORY_KINDS, Directory, DirectoryRuleSpec, DirectorySpec, Given
from policies.declared.directory import NAME as DIRECTORY_NAME
from policies.declared.service_specs import ServiceAccountSpec
from policies.matching import resolve
from policies.model import DatasetFacts, Decision, Grant, Policy, Role, Subject
from policies.ports import Change, Clock, Document, PolicyStore
from policies.settings import PolicySettings
from policies.workflow import Workflow

GOVERNANCE_KINDS = frozenset(kinds.KINDS)
_VERSION_KINDS = GOVERNANCE_KINDS | {"ScimUser", "ScimGroup"}
"""Names and memberships change with their user or group alone, so they need no look of their own before each decision."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Checks of SQL that another part of the room does; each raises InvalidInput saying what stands in the way.

    expression: of a CUSTOM mask; condition: of rows; provider: what an IdentityProvider names of this machine.
    Without them nothing is checked.
    """

    expression: Callable[[str], object] = lambda _: None
    condition: Callable[[str], object] = lambda _: None
    provider: Callable[[provider_specs.IdentityProviderSpec], object] = lambda _: None


@dataclass(frozen=True)
class View:
    """All that is declared, at one version."""

    version: int
    roles: Mapping[str, Role]
    policies: Compiled
    grants: Mapping[str, Grant]
    workflows: tuple[Workflow, ...]
    users: Mapping[str, access_specs.UserSpec]
    groups: Mapping[str, access_specs.GroupSpec]
    removed_users: frozenset[str]
    problems: tuple[str, ...]
    _by_subject: Mapping[tuple[str, str], Sequence[Grant]] = field(default_factory=dict)
    providers: Mapping[str, provider_specs.IdentityProviderSpec] = field(default_factory=dict)
    services: Mapping[str, ServiceAccountSpec] = field(default_factory=dict)
    directory: Directory = field(default_factory=Directory)
    directory_rules: tuple[DirectoryRuleSpec, ...] = ()

    def given_by_directory(self, user: str) -> Given:
        """What the directory (SCIM) gives a user; nothing that is declared by hand."""
        return self.directory.given(user, self.directory_rules)

    def has_group(self, name: str) -> bool:
        """Whether a group is declared, or given by the directory."""
        return name in self.groups or any(
            name in rule.groups or (rule.group_of_same_name and name in self.directory_groups())
            for rule in self.directory_rules
        )

    def directory_groups(self) -> frozenset[str]:
        """Names of the directory's groups."""
        return frozenset(str((each.spec or {}).get("name", "")) for each in self.directory.groups.values())

    def subject(self, user: str, groups: frozenset[str] = frozenset(), roles: frozenset[str] = frozenset()) -> Subject:
        """A user with the groups and roles declared for them, those of the directory, and those given (of a provider)."""
        spec = self.users.get(user) or self.services.get(user)
        if spec is not None:
            groups, roles = groups | set(spec.groups), roles | set(spec.roles)
        given = self.given_by_directory(user)
        groups, roles = groups | given.groups, roles | given.roles
        groups = groups | {name for name, group in self.groups.items() if user in group.members}
        return Subject(user, groups, roles.union(*(self.groups[g].roles for g in groups if g in self.groups)))

    def grants_of(self, subject: Subject) -> list[Grant]:
        """Every grant, of any state, that names the user, a group, or a role held directly or by inheritance."""
        keys = [("user", subject.user), *(("group", g) for g in subject.groups)]
        keys += [("role", r) for r in resolve(subject, self.roles).roles]
        return list({g.name: g for key in keys for g in self._by_subject.get(key, ())}.values())

    def decide(
        self,
        subject: Subject,
        facts: DatasetFacts,
        purpose: str | None,
        now: datetime,
        unscanned_is_sensitive: bool = True,
    ) -> Decision:
        """What the subject may read, by what is declared in this view."""
        return decide(
            subject, facts, roles=self.roles, policies=self.policies, grants=self.grants_of(subject), purpose=purpose,
            now=now, unscanned_is_sensitive=unscanned_is_sensitive,
        )  # fmt: skip


class GovernanceState:
    """Reads and changes what is declared. Every read sees every change that was answered before it began."""

    def __init__(
        self, store: PolicyStore, clock: Clock, settings: PolicySettings | None = None, checks: Checks | None = None
    ) -> None:
        self.store = store
        self._clock = clock
        self._settings = settings or PolicySettings()
        self._checks = checks or Checks()
        self._view: View | None = None
        self._lock = threading.Lock()

    # --- reading ---------------------------------------------------------------------------------------------------

    def version(self) -> int:
        """Rises with every change of anything declared here."""
        return self.store.version(_VERSION_KINDS)

    def view(self, as_of: datetime | None = None) -> View:
        """The present view, or that of a past moment. Raises Unavailable."""
        if as_of is not None:
            return build_view(self.store, 0, as_of)
        with self._lock:
            version = self.version()
            if self._view is None or self._view.version != version:
                self._view = self._renewed(self._view, version)
            return self._view

    def _renewed(self, before: View | None, version: int) -> View:
        """The view at another version. A directory of thousands changes often, and is read whole once: its changes are laid
        over the view before, and nothing else is read for them."""
        if before is None or before.version > version:
            return build_view(self.store, version)
        changed = self.store.changed(GOVERNANCE_KINDS | DIRECTORY_KINDS, before.version)
        directory = before.directory.with_changes(each for each in changed if each.kind in DIRECTORY_KINDS)
        if any(each.kind in GOVERNANCE_KINDS for each in changed):
            return build_view(self.store, version, directory=directory)
        return replace(before, version=version, directory=directory)

    def decide(self, subject: Subject, facts: DatasetFacts, purpose: str | None = None) -> Decision:
        """What the subject may read now. Without an answer of the store: nothing."""
        try:
            view = self.view()
        except Unavailable as error:
            return denied(
                facts, f"Nothing of {facts.reference} is opened, because policies cannot be read: {error.message}"
            )
        return view.decide(subject, facts, purpose, self._clock(), self._settings.unscanned_is_sensitive)

    __call__ = decide

    def get(self, kind: str, name: str) -> Document:
        """Raises NotFound."""
        found = self.store.get(kind, name)
        if found is None:
            raise NotFound(f"There is no {kind} named {name!r}; `weir get {kind}` lists them.", details={"kind": kind})
        return found

    def documents(self, kind: str | None = None) -> list[Document]:
        """Documents of one kind, or of all kinds of this room, by kind and name."""
        return [d for d in self.store.documents(kind) if d.kind in GOVERNANCE_KINDS]

    # --- changing --------------------------------------------------------------------------------------------------

    def check(self, kind: str, name: str, spec: Any) -> Mapping[str, Any]:
        """The spec as it would be stored. Raises InvalidInput naming the document, the field and the mend."""
        model = kinds.parse(kind, name, spec)
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
        if isinstance(model, provider_specs.IdentityProviderSpec):
            self._checks.provider(model)
            try:
                provider_specs.check_provider_name(name)
            except ValueError as error:
                raise InvalidInput(f"IdentityProvider {name}: metadata.name {error}.") from None
        return kinds.dump(model)

    def _check_one_owner(self, kind: str, name: str) -> None:
        """A name is a person's or a service account's, never both. Raises InvalidInput."""
        other = {"User": "ServiceAccount", "ServiceAccount": "User"}.get(kind)
        if other is not None and self.store.get(other, name) is not None:
            raise InvalidInput(f"{kind} {name}: there is a {other} of this name; take another.")
        if kind == "ServiceAccount" and name == ADMIN_USER:
            raise InvalidInput(f"ServiceAccount {name}: this is a name of Weir's own; take another.")
        if kind == "ServiceAccount" and self.store.get(DIRECTORY_NAME, name.casefold()) is not None:
            raise InvalidInput(f"ServiceAccount {name}: the directory has a person of this name; take another.")

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

    def put(self, kind: str, name: str, metadata: Mapping[str, Any] | None, spec: Any, by: str | None = None) -> bool:
        """Declare a document; False when it stands so already. Raises InvalidInput."""
        checked = self.check(kind, name, spec)
        kept = {k: v for k, v in (metadata or {}).items() if k != "name"}
        with self.store.transaction():
            present = self.store.get(kind, name)
            if present is not None and present.spec == checked and dict(present.metadata) == kept:
                return False
            self.store.apply([Change(kind, name, checked, kept, by)], self._clock())
        return True

    def delete(self, kind: str, name: str, by: str | None = None) -> bool:
        """Take a document away; False when there is none.

        A role that others inherit may go: until they are changed, their holders are denied, with a gap that says so.
        """
        with self.store.transaction():
            if self.store.get(kind, name) is None:
                return False
            self.store.apply([Change(kind, name, None, {}, by)], self._clock())
        return True


def build_view(
    store: PolicyStore, version: int, as_of: datetime | None = None, directory: Directory | None = None
) -> View:
    """Read every document; those of the directory only where none is given. One that cannot be read closes what it may be
    about, and never fails the others."""
    roles: dict[str, Role] = dict(BUILT_IN_ROLES)
    policies: list[Policy] = []
    unreadable: list[Problem] = []
    grants: dict[str, Grant] = {}
    workflows: list[Workflow] = []
    users: dict[str, access_specs.UserSpec] = {}
    groups: dict[str, access_specs.GroupSpec] = {}
    providers: dict[str, provider_specs.IdentityProviderSpec] = {}
    services: dict[str, ServiceAccountSpec] = {}
    rules: list[DirectoryRuleSpec] = []
    problems: list[str] = []
    kinds_read = GOVERNANCE_KINDS | (DIRECTORY_KINDS if directory is None else frozenset())
    states = store.changed(kinds_read) if as_of is None else store.documents(as_of=as_of)
    directory = directory or Directory().with_changes(each for each in states if each.kind in DIRECTORY_KINDS)
    for document in sorted(states, key=lambda each: (each.kind, each.name)):
        if document.kind not in GOVERNANCE_KINDS or document.spec is None:
            continue
        name = document.name
        try:
            match kinds.parse(document.kind, name, document.spec):
                case policy_specs.PolicySpec(root=spec):
                    policies.append(convert.policy(name, spec))
                case access_specs.RoleSpec() as spec:
                    roles[name] = convert.role(name, spec)
                case access_specs.GrantSpec() as spec:
                    grants[name] = convert.grant(name, spec)
                case access_specs.WorkflowSpec() as spec:
                    workflows.append(convert.workflow(name, spec))
                case access_specs.UserSpec() as spec:
                    users[name] = spec
                case access_specs.GroupSpec() as spec:
                    groups[name] = spec
                case provider_specs.IdentityProviderSpec() as spec:
                    providers[name] = spec
                case ServiceAccountSpec() as spec:
                    services[name] = spec
                case DirectorySpec() as spec:
                    rules += spec.rights
        except InvalidInput as error:
            problems.append(error.message)
            if document.kind == "Policy":
                unreadable.append(Problem(None, f"{error.message} Declare it anew, or delete it."))
            elif document.kind == "Role":
                roles[name] = Role(name, problem=error.message)
    by_subject: dict[tuple[str, str], list[Grant]] = defaultdict(list)
    for grant in grants.values():
        for kind, names in (
            ("user", grant.subject.users),
            ("group", grant.subject.groups),
            ("role", grant.subject.roles),
        ):
            for each in names:
                by_subject[kind, each].append(grant)
    gone = {each.name for each in states if each.kind in ("User", "ServiceAccount") and each.spec is None}
    removed = gone - users.keys() - services.keys()
    return View(
        version, roles, Compiled(policies, unreadable, version), grants, tuple(workflows), users, groups,
        frozenset(removed), tuple(problems), by_subject, providers, services, directory, tuple(rules),
    )  # fmt: skip
