"""Whose rights, which grants and which datasets a change of declared documents is about, for the audit to be found by. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

MOST_NAMES = 1000
"""Names in one entry of the audit. Entries follow one another, so what has more of them gets more entries."""

KINDS_NAMING_PEOPLE = ("AccessReview", "Domain", "Policy", "Principal", "RequestTemplate", "Visibility", "Workflow")
"""Kinds that name people anywhere in their specs; users, groups, grants and datasets do at known places."""

_NAMING = frozenset({"user", "users", "serviceAccount"})
"""Fields whose texts are names of people or programs."""

Spec = Mapping[str, Any] | None
Mentioned = tuple[str, str]
"""A key of an entry's details (`users`, `grants`, `dataset`), and a name."""


def mentioned(kind: str, name: str, before: Spec, after: Spec) -> Iterator[Mentioned]:
    """What a change of one document is about; None: it was, or is, not there.

    Of a group whose members alone changed, only who came or went. What holds for everyone, or for a group or a role, names
    nobody.
    """
    match kind:
        case "User" | "ServiceAccount":
            yield "users", name
        case "Grant":
            yield "grants", name
        case "Dataset":
            yield "dataset", name
    old, new = set(_people(kind, before)), set(_people(kind, after))
    rest = [{k: v for k, v in (spec or {}).items() if k not in ("members", "owners")} for spec in (before, after)]
    apart = kind == "Dataset" or (kind == "Group" and rest[0] == rest[1])
    for user in sorted(old ^ new if apart else old | new):
        yield "users", user


def details(names: Iterable[Mentioned]) -> list[dict[str, list[str]]]:
    """The details of as many entries as the names need, at least one; each name once."""
    every = list(dict.fromkeys(names))
    collected: list[dict[str, list[str]]] = []
    for start in range(0, max(1, len(every)), MOST_NAMES):
        part: dict[str, list[str]] = {}
        for key, name in every[start : start + MOST_NAMES]:
            part.setdefault(key, []).append(name)
        collected.append(part)
    return collected


def _people(kind: str, spec: Spec) -> Iterator[str]:
    if spec is None:
        return
    match kind:
        case "Group":
            yield from _texts(spec.get("members"))
        case "Grant":
            yield from _texts(_mapping(spec.get("subject")).get("user"))
        case "Dataset":
            owners = spec.get("owners")
            for owner in owners if isinstance(owners, list) else ():
                yield from _texts(_mapping(owner).get("user"))
        case _ if kind in KINDS_NAMING_PEOPLE:
            yield from _named(spec)


def _named(value: Any) -> Iterator[str]:
    """Names of people and programs anywhere in a spec."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _texts(each) if key in _NAMING else _named(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _named(each)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [each for each in values if isinstance(each, str) and each]
