"""How names, tags, paths and subjects are matched. Pure; shared by decisions, requests and reports.

Two directions, and doubt goes the safe way in each. What *restricts* (masks, access policies) matches field names in
any case, since Spark reads `Email` and `email` as one column, map keys and headers in any spelling (`map_keys`), and
takes an unscanned field for personal data. What *opens* (grants, roles) matches exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from catalog.entities import is_personal
from catalog.model import PERSONAL_DATA_TAG
from catalog.paths import FieldPath, Step, StepKind
from policies.map_keys import with_key_forms
from policies.model import UNSCANNED_TAG, Grant, GrantStatus, Role, Subject, SubjectMatch

EVERYTHING = "*"
_LOOKS_LIKE_A_PATH = re.compile(r"(?:key|value|headers)(?:[.\[{@]|\Z)")


def dataset_matches(pattern: str, reference: str) -> bool:
    """True when `prod/orders` fits `prod/*`; `*` matches any text, letters in the same case. Linear in both."""
    if EVERYTHING not in pattern:
        return pattern == reference
    first, *middle, last = pattern.split(EVERYTHING)
    if len(reference) < len(first) + len(last) or not (reference.startswith(first) and reference.endswith(last)):
        return False
    at, end = len(first), len(reference) - len(last)
    for part in middle:
        index = reference.find(part, at, end)
        if index < 0:
            return False
        at = index + len(part)
    return True


def is_path(text: str) -> bool:
    """True when an entry of `fields` or `unmask` is a field path rather than a tag."""
    return _LOOKS_LIKE_A_PATH.match(text) is not None


@lru_cache(maxsize=65536)
def folded(path: FieldPath) -> FieldPath:
    """The path with the names of fields in one case, and those of map keys and headers in one spelling."""
    steps = tuple(
        Step(s.kind, (s.name or "").casefold()) if s.kind is StepKind.FIELD else s for s in with_key_forms(path).steps
    )
    return FieldPath(path.root, steps)


@dataclass(frozen=True, slots=True)
class Selection:
    """What `fields` or `unmask` of a grant name: everything, some tags, some paths."""

    everything: bool
    tags: frozenset[str]
    paths: tuple[FieldPath, ...]

    def covers_tags(self, tags: Iterable[str]) -> bool:
        """True when a field with these tags is selected whatever its path. `PII` does not cover UNSCANNED here."""
        if self.everything:
            return True
        personal = PERSONAL_DATA_TAG in self.tags
        return any(t in self.tags or (personal and t != UNSCANNED_TAG and is_personal(t)) for t in tags)

    def covers(self, path: FieldPath, tags: Iterable[str]) -> bool:
        """True when the field at `path` with these tags is selected: by `*`, by a tag, by its path or one around it."""
        return self.covers_tags(tags) or any(mine.contains(path) for mine in self.paths)


@lru_cache(maxsize=8192)
def selection(entries: tuple[str, ...]) -> Selection:
    """Read entries of `fields` or `unmask`. Raises InvalidInput for a path that cannot be read."""
    return Selection(
        EVERYTHING in entries,
        frozenset(e for e in entries if e != EVERYTHING and not is_path(e)),
        tuple(FieldPath.parse(e) for e in entries if is_path(e)),
    )


@dataclass(frozen=True, slots=True)
class Who:
    """A subject with every role, direct or inherited. `problems`: why the roles cannot be trusted."""

    user: str
    groups: frozenset[str]
    roles: Mapping[str, Role | None]
    problems: tuple[str, ...] = ()

    def among(self, match: SubjectMatch) -> bool:
        """True when the match names the user, one of the groups or roles, or everyone. Purposes are not looked at."""
        return (
            match.everyone
            or self.user in match.users
            or not self.groups.isdisjoint(match.groups)
            or not match.roles.isdisjoint(self.roles)
        )


def resolve(subject: Subject, roles: Mapping[str, Role]) -> Who:
    """Follow inheritance; a circle ends where it closes.

    A direct role that nobody declared opens nothing and does no harm (a name to except in a policy). One that
    a declared role inherits is a problem: its row filters are not known, so nothing can be decided for its holder.
    """
    resolved: dict[str, Role | None] = {}
    problems: list[str] = []
    waiting = sorted(subject.roles)
    while waiting:
        name = waiting.pop()
        if name in resolved:
            continue
        role = resolved[name] = roles.get(name)
        if role is None:
            continue
        if role.problem:
            problems.append(f"Role {name} cannot be read: {role.problem}")
        for above in role.inherits:
            if above not in roles:
                problems.append(f"Role {name} inherits {above}, which is not declared; declare {above} or take it out.")
            waiting.append(above)
    return Who(subject.user, subject.groups, resolved, tuple(problems))


def is_active(grant: Grant, now: datetime) -> bool:
    """Approved, and now is in [validFrom, validTo)."""
    return grant.status is GrantStatus.APPROVED and grant.valid_from <= now < grant.valid_to
