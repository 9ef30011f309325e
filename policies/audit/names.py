"""Which people, datasets, fields and grants an audit entry is about, for finding it by them. Pure.

The index that stores make of this is not part of the chain: it can be made again from the entries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from catalog.errors import InvalidInput
from catalog.paths import FieldPath
from policies.audit.ports import AuditEntry, AuditFilter
from policies.matching import is_path

PERSON, DATASET, FIELD, INSIDE, MORE, GRANT = "person", "dataset", "field", "inside", "more", "grant"
AGENT, TOOL = "agent", "tool"
"""Kinds of names. FIELD: a field that was used; INSIDE: what a used field is a part of. Both as `PATH` and `CLUSTER/TOPIC#PATH`.
MORE: the entry used more fields than are indexed, so it is found by every field; as an empty text and `CLUSTER/TOPIC#`."""
LONGEST_NAME = 500
"""Characters. Of a longer name the beginning and its SHA-256 are kept: the key of an index has a limit (PostgreSQL: 2.7 kB)."""
MOST_FIELD_NAMES = 1200
"""Names of fields that one entry is found by: entries follow one another, so none may hold up the others for long."""
_MOST_LEVELS, _LONGEST_PATH = 100, 20_000

_ABOUT_A_PERSON = frozenset(
    {"sign-out", "sign-in.unlink", "token.create", "token.rotate", "delegation.set", "delegation.end"}
)
"""Actions whose target is a user; so is that of all that begin with `directory.user.`."""
READING = ("query", "query.stream", "view.read")
"""Actions by which somebody reads records; with the decision `allow` they did."""

Name = tuple[str, str]
"""Kind and text."""


def names_of(entry: AuditEntry) -> frozenset[Name]:
    """Everything that the entry can be found by, but its own columns; bounded in number and in length."""
    names = set(_names(entry))
    names.update(_field_names(_fields(entry))[0])
    return frozenset((kind, kept(text)) for kind, text in names)


def datasets_of(entry: AuditEntry) -> frozenset[str]:
    """The datasets that the entry is about."""
    return frozenset(text for kind, text in _names(entry) if kind == DATASET) | {each for each, _ in _fields(entry)}


def fields_of(entry: AuditEntry) -> dict[str, list[str]]:
    """Dataset -> paths of the fields that the entry used, sorted."""
    collected: dict[str, set[str]] = {}
    for dataset, path in _fields(entry):
        collected.setdefault(dataset, set()).add(path)
    return {dataset: sorted(paths) for dataset, paths in sorted(collected.items())}


def begins(pattern: str) -> str:
    """What the names of datasets that a pattern matches begin with."""
    return pattern.partition("*")[0]


def fields_left_out(entry: AuditEntry) -> int:
    """How many of the fields that an entry used are not indexed by their own names; it is found by every field then."""
    return _field_names(_fields(entry))[1]


def kept(text: str) -> str:
    """A name as the index has it."""
    if len(text) <= LONGEST_NAME:
        return text
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return f"{text[: LONGEST_NAME - len(digest) - 1]}~{digest}"


def _names(entry: AuditEntry) -> Iterator[Name]:
    yield PERSON, entry.actor
    if entry.action in _ABOUT_A_PERSON or entry.action.startswith("directory.user."):
        yield PERSON, entry.target
    if entry.action == "directory.user.change":  # a name that the person had before
        yield from ((PERSON, each.removeprefix("was ")) for each in entry.reasons if each.startswith("was "))
    for part in entry.target.split(", "):
        dataset = part.partition("#")[0]
        if "/" in dataset and " " not in dataset:
            yield DATASET, dataset
    details = entry.details
    for dataset in _mapping(details.get("fields")):
        yield DATASET, dataset
    for dataset in _texts(details.get("dataset")):
        yield DATASET, dataset
    for key in ("grants", "grant"):
        for grant in _texts(details.get(key)):
            yield GRANT, grant
    for key in ("agent", "agentToken"):
        for agent in _texts(details.get(key)):
            yield AGENT, agent
    for tool in _texts(details.get("tool")):
        yield TOOL, tool
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


def _fields(entry: AuditEntry) -> Iterator[tuple[str, str]]:
    """Dataset and path of each field that the entry is about."""
    for part in entry.target.split(", "):
        dataset, hash_, path = part.partition("#")
        if hash_ and "/" in dataset and " " not in dataset:
            yield dataset, path
    fields = entry.details.get("fields")
    for dataset, paths in _mapping(fields).items():
        for path in _texts(paths):
            yield dataset, path
    if isinstance(fields, list) and "/" in entry.target:  # of an access request
        for path in filter(is_path, _texts(fields)):
            yield entry.target, path


def _field_names(fields: Iterable[tuple[str, str]]) -> tuple[set[Name], int]:
    """The names of fields, as many as are kept, and how many fields have none."""
    used: set[str] = set()
    inside: set[str] = set()
    more: set[Name] = set()
    left = 0
    for dataset, path in dict.fromkeys(fields):
        parts = around(path) if len(used) + len(inside) < MOST_FIELD_NAMES and len(path) <= _LONGEST_PATH else None
        if parts is None or len(parts) > _MOST_LEVELS:
            left += 1
            more |= {(MORE, ""), (MORE, f"{dataset}#")}
            continue
        used |= {path, f"{dataset}#{path}"}
        inside.update(*((above, f"{dataset}#{above}") for above in parts))
    names = {(FIELD, each) for each in used} | {(INSIDE, each) for each in inside - used}  # FIELD is looked for too
    return names | more, left


def around(path: str) -> list[str]:
    """The places that a field is a part of, nearest first; empty for a text that cannot be read as a path."""
    try:
        whole = FieldPath.parse(path)
    except InvalidInput:
        return []
    parts = [whole.root]
    for step in whole.steps[:-1]:
        parts.append(parts[-1] + str(step))
    return parts[::-1] if whole.steps else []


def field_names(path: str, dataset: str | None) -> list[Name]:
    """The names of which an entry has one when it used this field, something inside it, or something it is a part of, or
    more fields than are indexed."""
    start = f"{dataset}#" if dataset is not None else ""
    above = around(path)[-_MOST_LEVELS:]  # no deeper ones are indexed
    used = [(FIELD, start + path), (INSIDE, start + path), *((FIELD, start + each) for each in above)]
    return [*((kind, kept(text)) for kind, text in used), (MORE, start)]


def wanted_names(where: AuditFilter) -> list[list[Name]]:
    """What an entry's names have to be for it to be found: of each list at least one."""
    collected: list[list[Name]] = []
    named = ((PERSON, where.person), (GRANT, where.grant), (AGENT, where.agent), (TOOL, where.tool))
    for kind, text in named:
        if text is not None:
            collected.append([(kind, kept(text))])
    if where.field is not None:
        collected.append(field_names(where.field, where.dataset))
    elif where.dataset is not None:
        collected.append([(DATASET, kept(where.dataset))])
    return collected


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [each for each in values if isinstance(each, str) and each]
