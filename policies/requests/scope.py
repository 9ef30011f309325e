"""What an access request asks for, against what the dataset holds, and which workflows are about it. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from catalog.entities import tag_matches
from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean
from catalog.paths import FieldPath
from policies.matching import EVERYTHING, dataset_matches, folded, is_path, selection
from policies.model import UNSCANNED_TAG, DatasetFacts, FieldFacts, Target
from policies.personal_data import is_personal_dataset
from policies.sql.names import fold, nearest
from policies.workflow import Workflow

_SYSTEM = ("_key", "_headers", "_partition", "_offset", "_timestamp", "value")


@dataclass(frozen=True, slots=True)
class RequestedFields:
    """Entries of `fields` and `unmask` of a request."""

    fields: tuple[str, ...]
    unmask: tuple[str, ...]


def read_fields(facts: DatasetFacts, fields: Sequence[str], unmask: Sequence[str] | None) -> RequestedFields:
    """Check what is asked for against the dataset. Without `unmask`, all of `fields` is to be shown unmasked.

    Raises InvalidInput for an entry that reaches no field, with the nearest path, and for one of `unmask` that reaches none of
    `fields`: its grant would show no more of it than before.
    """
    entries = tuple(dict.fromkeys(fields)) or (EVERYTHING,)
    clear = entries if unmask is None else tuple(dict.fromkeys(unmask))
    for entry in (*entries, *clear):
        if entry != EVERYTHING and not any(_covers(entry, f) for f in facts.fields):
            names = [f.path for f in facts.fields] + sorted({t for f in facts.fields for t in f.tags})
            guess = entry if is_path(entry) else f"value.{entry}"
            close = difflib.get_close_matches(guess, names, 1, 0.4)
            hint = did_you_mean(close, "write a path such as value.customer.email, a tag, or *.")
            raise InvalidInput(f"{facts.reference} has no field {entry!r}; {hint}", details={"field": entry})
    requested = [f for f in facts.fields if any(_covers(entry, f) for entry in entries)]
    for entry in clear:
        if entry != EVERYTHING and not any(_covers(entry, f) for f in requested):
            raise InvalidInput(
                f"{entry!r} is to be shown unmasked and is not among the requested fields; request it in fields, too.",
                details={"field": "unmask", "entry": entry},
            )
    return RequestedFields(entries, clear)


def check_rows(facts: DatasetFacts, columns: Iterable[str]) -> None:
    """Whether the record has the fields that a row condition names; a grant with others would open nothing.

    Raises InvalidInput with the nearest name. A dataset without known fields passes.
    """
    paths = (FieldPath.parse(f.path) for f in facts.fields)
    names = sorted({p.steps[0].name for p in paths if p.root == "value" and p.steps and p.steps[0].name})
    have = {fold(name) for name in (*names, *_SYSTEM)}
    for name in columns if names else ():
        if fold(name) not in have:
            near = nearest(name, names)
            hint = did_you_mean(near, f"there are {', '.join(names[:20])}.")
            text = f"The row condition names {name[:60]!r}, which {facts.reference} does not have; {hint}"
            raise InvalidInput(text, details={"field": "rows", "column": name[:60]})


def _covers(entry: str, field: FieldFacts) -> bool:
    return selection((entry,)).covers(FieldPath.parse(field.path), _tags(field))


def _tags(field: FieldFacts) -> tuple[str, ...]:
    return (*field.tags, *(() if field.classified else (UNSCANNED_TAG,)))


def matching_workflows(workflows: Iterable[Workflow], facts: DatasetFacts, asked: RequestedFields) -> list[Workflow]:
    """Workflows about the dataset, or about a field that is asked for (by tag or by path)."""
    everything = selection(asked.fields + asked.unmask)
    fields = [f for f in facts.fields if everything.covers(FieldPath.parse(f.path), _tags(f))]
    return [w for w in workflows if any(_about(target, facts, fields) for target in w.match)]


def _about(target: Target, facts: DatasetFacts, fields: Sequence[FieldFacts]) -> bool:
    if target.dataset is not None and not dataset_matches(target.dataset, facts.reference):
        return False
    if target.path is not None:
        path = folded(FieldPath.parse(target.path))
        paths = [folded(FieldPath.parse(f.path)) for f in fields]
        return any(path.contains(p) or p.contains(path) for p in paths)
    if target.tag is None:
        return True
    if any(tag_matches(target.tag, tag) for field in fields for tag in _tags(field)):
        return True
    return target.tag in facts.tags or (target.tag == "PII" and any(map(is_personal_dataset, facts.tags)))


def shortest(spans: Iterable[timedelta | None], otherwise: timedelta) -> timedelta:
    """The shortest of those that are given, else another."""
    return min((each for each in spans if each is not None), default=otherwise)
