"""Which people, datasets, fields and grants an audit entry is about, for finding it by them. Pure.

The index that stores make of this is not part of the chain: it can be made again from the entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from catalog.errors import InvalidInput
from catalog.paths import FieldPath
from policies.matching import is_path
from policies.ports import AuditEntry, AuditFilter

PERSON, DATASET, FIELD, INSIDE, GRANT = "person", "dataset", "field", "inside", "grant"
"""Kinds of names. FIELD: a field that was used; INSIDE: what a used field is a part of. Both as `PATH` and `CLUSTER/TOPIC#PATH`."""

_ABOUT_A_PERSON = frozenset({"sign-out", "sign-in.unlink", "token.create", "delegation.set", "delegation.end"})
"""Actions whose target is a user."""
READING = ("query", "query.stream", "view.read")
"""Actions by which somebody reads records; with the decision `allow` they did."""

Name = tuple[str, str]
"""Kind and text."""


def names_of(entry: AuditEntry) -> frozenset[Name]:
    """Everything that the entry can be found by, but its own columns."""
    return frozenset(_names(entry))


def _names(entry: AuditEntry) -> Iterator[Name]:
    yield PERSON, entry.actor
    if entry.action in _ABOUT_A_PERSON:
        yield PERSON, entry.target
    for part in entry.target.split(", "):
        dataset, hash_, path = part.partition("#")
        if "/" in dataset and " " not in dataset:
            yield DATASET, dataset
            if hash_:
                yield from _field(dataset, path)
    details = entry.details
    for dataset, paths in _mapping(details.get("fields")).items():
        yield DATASET, dataset
        for path in _texts(paths):
            yield from _field(dataset, path)
    if isinstance(details.get("fields"), list) and "/" in entry.target:  # of an access request
        for path in filter(is_path, _texts(details["fields"])):
            yield from _field(entry.target, path)
    for dataset in _texts(details.get("dataset")):
        yield DATASET, dataset
    for key in ("grants", "grant"):
        for grant in _texts(details.get(key)):
            yield GRANT, grant
    for key in ("users", "requester", "insteadOf"):
        for person in _texts(details.get(key)):
            yield PERSON, person
    decisions = details.get("decisions")
    for each in decisions if isinstance(decisions, list) else ():
        decided = _mapping(each)
        for dataset in _texts(decided.get("dataset")):
            yield DATASET, dataset
        for person in _texts(_mapping(decided.get("subject")).get("user")):
            yield PERSON, person


def _field(dataset: str, path: str) -> Iterator[Name]:
    yield FIELD, path
    yield FIELD, f"{dataset}#{path}"
    for above in around(path):
        yield INSIDE, above
        yield INSIDE, f"{dataset}#{above}"


def around(path: str) -> list[str]:
    """The places that a field is a part of, nearest first; empty for a text that cannot be read as a path."""
    try:
        above = FieldPath.parse(path).parent
    except InvalidInput:
        return []
    collected = []
    while above is not None:
        collected.append(str(above))
        above = above.parent
    return collected


def field_names(path: str, dataset: str | None) -> list[Name]:
    """The names of which an entry has one when it used this field, something inside it, or something it is a part of."""
    start = f"{dataset}#" if dataset is not None else ""
    return [(FIELD, start + path), (INSIDE, start + path), *((FIELD, start + above) for above in around(path))]


def wanted_names(where: AuditFilter) -> list[list[Name]]:
    """What an entry's names have to be for it to be found: of each list at least one."""
    collected: list[list[Name]] = []
    for kind, text in ((PERSON, where.person), (GRANT, where.grant)):
        if text is not None:
            collected.append([(kind, text)])
    if where.field is not None:
        collected.append(field_names(where.field, where.dataset))
    elif where.dataset is not None:
        collected.append([(DATASET, where.dataset)])
    return collected


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [each for each in values if isinstance(each, str) and each]
