"""Who there is: people, groups and roles, with what each person holds and how they hold it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from policies.access.decision_service import DecisionSubject, subject_of
from policies.access.provider_rights import Rights
from policies.access.sessions import gone_because
from policies.declared.builtin import ADMIN_USER
from policies.declared.directory import DirectoryRuleSpec
from policies.declared.state import View
from policies.effective.shown import HeldRule, Rule
from policies.matching import dataset_matches
from policies.model import DatasetFacts, Grant, Subject

USER, GROUP, ROLE = "user", "group", "role"
NO_RIGHTS = Rights()
Given = Mapping[str, Sequence[Rights]]
"""User -> what their sessions give: each request has the rights of its own session, never those of two."""


class SignedIn(Protocol):
    """What identity providers give to people whose sessions continue."""

    def given_now(self) -> Mapping[str, Sequence[Rights]]:
        """User -> what each session that continues gives, without repeats, the newest first; no provider is asked."""


@dataclass(frozen=True, slots=True)
class Principal:
    """A person, or a group or role whose members may be known elsewhere. `given`: what a session's provider gives the person."""

    kind: str
    name: str
    subject: Subject
    given: Rights = NO_RIGHTS


def person(view: View, name: str, given: Rights) -> tuple[Principal, str | None]:
    """A person as declared and as providers give it, and why they may not sign in, where that is so."""
    subject, gone = subject_of(view, DecisionSubject(name, given.groups, given.roles))
    return Principal(USER, name, subject, given), gone


def person_by_session(view: View, name: str, given: Given) -> tuple[list[Principal], str | None]:
    """A person with the rights of each session of theirs, the newest first, and why they may not sign in; without a session
    as declared. Never empty."""
    sessions = [person(view, name, each) for each in given.get(name) or (NO_RIGHTS,)]
    return [who for who, _ in sessions], sessions[0][1]


def principals(
    view: View, facts: DatasetFacts, grants: Iterable[Grant], given: Given, kinds: Iterable[str]
) -> Iterator[Principal]:
    """Everybody known who is not gone, by kind and name; a person once for each session with other rights.

    `grants`: the active ones about the dataset.
    """
    grants = list(grants)
    if USER in kinds:
        users = {ADMIN_USER, *view.people, *facts.owners.users, *given}
        for name in sorted(users.union(*(g.subject.users for g in grants))):
            if gone_because(view, name) is None:
                yield from person_by_session(view, name, given)[0]
    if GROUP in kinds:
        for name in sorted(set(view.groups) | facts.owners.groups.union(*(g.subject.groups for g in grants))):
            roles = frozenset(view.groups[name].roles) if name in view.groups else frozenset()
            yield Principal(GROUP, name, Subject("", frozenset({name}), roles))
    if ROLE in kinds:
        for name in sorted(set(view.roles).union(*(g.subject.roles for g in grants))):
            yield Principal(ROLE, name, Subject("", frozenset(), frozenset({name})))


class Holding:
    """How a principal comes to what a rule names: declared, by a group, by another role, by the directory, by a provider."""

    def __init__(self, view: View, facts: DatasetFacts | None) -> None:
        self._view, self._facts = view, facts

    def rules(self, who: Principal, rules: Iterable[Rule]) -> list[HeldRule]:
        """Rules, each with how the principal comes to it."""
        return [HeldRule(each, tuple(self.of(who, each))) for each in rules]

    def of(self, who: Principal, rule: Rule) -> list[str]:
        """Ways, each in a few words: `named`, `group team-orders`, `role analyst < group sales`. Empty: for everybody."""
        if rule.kind == "role":
            return self._role(who, rule.name)
        if rule.kind == "owner" and self._facts is not None:
            owners = self._facts.owners
            ways = ["named"] if who.name in owners.users and who.kind == USER else []
            return ways + [f"group {g}{self._origin(who, g)}" for g in sorted(who.subject.groups & owners.groups)]
        grant = self._view.grants.get(rule.name) if rule.kind == "grant" else None
        if grant is None:
            return []
        ways = ["named"] if who.kind == USER and who.name in grant.subject.users else []
        ways += [f"group {g}{self._origin(who, g)}" for g in sorted(who.subject.groups & grant.subject.groups)]
        return ways + [way for role in sorted(grant.subject.roles) for way in self._role(who, role)]

    def _role(self, who: Principal, role: str) -> list[str]:
        """The shortest chains of roles from one of their own to this one, and how they come to that one."""
        chain = self._chain(who.subject.roles, role)
        if chain is None:
            return []
        inherited = [f"role {name}" for name in reversed(chain[:-1])]
        return [" < ".join([*inherited, way]) for way in self._held(who, chain[0])]

    def _held(self, who: Principal, role: str) -> list[str]:
        if who.kind == ROLE:
            return ["the role"]
        spec = self._view.users.get(who.name) or self._view.services.get(who.name) if who.kind == USER else None
        ways = ["named"] if spec is not None and role in spec.roles else []
        if who.kind == USER and role in self._view.given_by_directory(who.name).roles:
            ways += self._by_directory(who, lambda rule, _: role in rule.roles)
        if who.kind == USER and who.name == ADMIN_USER and role == "admin":
            ways.append("built in")
        if role in who.given.roles:
            ways.append("identity provider")
        for group in sorted(who.subject.groups):
            declared = self._view.groups.get(group)
            if declared is not None and role in declared.roles:
                ways.append(f"group {group}{self._origin(who, group)}")
        return ways

    def _origin(self, who: Principal, group: str) -> str:
        """Where the group comes from, if that is not a declaration alone."""
        if who.kind != USER:
            return ""
        ways = ["identity provider"] if group in who.given.groups else []
        if group in self._view.given_by_directory(who.name).groups:
            ways += self._by_directory(
                who, lambda rule, name: group in rule.groups or (rule.group_of_same_name and name == group)
            )
        spec = self._view.users.get(who.name) or self._view.services.get(who.name)
        declared = self._view.groups.get(group)
        if ways and (
            (spec is not None and group in spec.groups) or (declared is not None and who.name in declared.members)
        ):
            ways.insert(0, "declared")
        return f" ({', '.join(ways)})" if ways else ""

    def _by_directory(self, who: Principal, gives: Callable[[DirectoryRuleSpec, str], bool]) -> list[str]:
        """The person's groups of the directory that give something, by the rules."""
        directory = self._view.directory
        document = directory.user(who.name)
        ids = directory.groups_of.get(document.name, frozenset()) if document is not None else frozenset()
        names = sorted(
            str((directory.groups[each].spec or {}).get("name", "")) for each in ids if each in directory.groups
        )
        return [
            f"directory group {name}"
            for name in names
            if any(dataset_matches(rule.group, name) and gives(rule, name) for rule in self._view.directory_rules)
        ]

    def _chain(self, direct: frozenset[str], wanted: str) -> list[str] | None:
        """From a role of their own, by inheritance, to the wanted one; the shortest, the first by name."""
        waiting = deque([name] for name in sorted(direct))
        seen: set[str] = set()
        while waiting:
            chain = waiting.popleft()
            if chain[-1] == wanted:
                return chain
            if chain[-1] in seen:
                continue
            seen.add(chain[-1])
            role = self._view.roles.get(chain[-1])
            waiting.extend([*chain, above] for above in (role.inherits if role is not None else ()))
        return None
