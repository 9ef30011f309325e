"""Approval in part: fewer fields, masked instead of unmasked, shorter. Never more than was requested. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from catalog.entities import is_personal
from catalog.errors import InvalidInput
from catalog.model import PERSONAL_DATA_TAG
from catalog.paths import FieldPath
from catalog.records import rfc3339
from policies.access_request import AccessRequest, Terms
from policies.matching import EVERYTHING, is_path, selection
from policies.model import UNSCANNED_TAG, DatasetFacts, FieldFacts
from policies.requests.scope import read_fields


@dataclass(frozen=True, slots=True)
class Part:
    """What an approver leaves of a request; None: as it is. `unmask` empty: masks stay."""

    fields: tuple[str, ...] | None = None
    unmask: tuple[str, ...] | None = None
    valid_to: datetime | None = None

    @property
    def is_whole(self) -> bool:
        return self.fields is None and self.unmask is None and self.valid_to is None


def narrowed(request: AccessRequest, part: Part, facts: DatasetFacts, now: datetime) -> AccessRequest:
    """The request with what is left of it, and what was requested at first.

    Raises InvalidInput for an entry that reaches no field or was not requested, and for an end that is later or over.
    """
    if part.is_whole:
        return request
    terms = request.terms
    if request.extends is not None and (part.fields is not None or part.unmask is not None):
        raise InvalidInput("An extension moves the end of a grant and nothing else; leave out fields and unmask.")
    if part.fields is not None:
        if not part.fields:
            raise InvalidInput("An approval in part leaves at least one field; deny the request to leave none.")
        fields = read_fields(facts, part.fields, ()).fields
        _require(fields, terms.fields, facts, "fields")
        terms = replace(terms, fields=fields, unmask=_met(terms.unmask, fields, facts))
    if part.unmask is not None:
        unmask = read_fields(facts, terms.fields, part.unmask).unmask
        _require(unmask, request.unmask, facts, "unmask")
        terms = replace(terms, unmask=_met(unmask, terms.fields, facts))
    if part.valid_to is not None:
        terms = replace(terms, valid_to=_end(request, part.valid_to, now))
    if terms == request.terms:
        return request
    return replace(
        request, fields=terms.fields, unmask=terms.unmask, valid_to=terms.valid_to, asked=request.asked or request.terms
    )


def marked(request: AccessRequest, before: Terms) -> AccessRequest:
    """With the last vote marked as an approval in part, where it left less than there was before."""
    if request.terms == before:
        return request
    return replace(request, votes=(*request.votes[:-1], replace(request.votes[-1], narrowed=request.terms)))


def _end(request: AccessRequest, until: datetime, now: datetime) -> datetime:
    if until.tzinfo is None:
        raise InvalidInput("until needs a zone, as in 2026-06-01T00:00:00Z.", details={"field": "until"})
    if until > request.valid_to:
        raise InvalidInput(
            f"until is later than what was requested, {rfc3339(request.valid_to)}; an approval in part gives less.",
            details={"field": "until"},
        )
    if until <= max(now, request.valid_from):
        raise InvalidInput(
            "until must be later than now, and than the begin of the access.", details={"field": "until"}
        )
    return until


def _require(entries: Sequence[str], requested: tuple[str, ...], facts: DatasetFacts, field: str) -> None:
    for entry in entries:
        if not within(entry, requested, facts):
            raise InvalidInput(
                f"{entry!r} is more than was requested ({', '.join(requested) or 'nothing unmasked'}); an approval in part"
                " gives less.",
                details={"field": field, "entry": entry},
            )


def within(entry: str, requested: tuple[str, ...], facts: DatasetFacts) -> bool:
    """Whether an entry of `fields` or `unmask` covers nothing that the requested entries do not cover.

    A path around a tagged field counts as more, since fields may come into it; so does a tag where paths were requested,
    since it may come to other fields.
    """
    if EVERYTHING in requested:
        return True
    if entry == EVERYTHING:
        return False
    if not is_path(entry):
        personal = PERSONAL_DATA_TAG in requested and entry != UNSCANNED_TAG and is_personal(entry)
        return entry in requested or personal
    path, whole = FieldPath.parse(entry), selection(requested)
    if any(one.contains(path) for one in whole.paths):
        return True
    inside = [f for f in facts.fields if path.contains(FieldPath.parse(f.path))]
    return any(f.path == entry for f in inside) and all(_covers(requested, f) for f in inside)


def _met(first: tuple[str, ...], second: tuple[str, ...], facts: DatasetFacts) -> tuple[str, ...]:
    """Entries that cover what both cover. Where neither entry is within the other, the paths of known fields are taken."""
    if not first or not second:
        return ()
    entries = [e for e in first if within(e, second, facts)] + [e for e in second if within(e, first, facts)]
    if covered := [f for f in facts.fields if _covers(first, f) and _covers(second, f)]:
        done = selection(tuple(entries))
        entries += [
            f.path
            for f in covered
            if not done.covers(FieldPath.parse(f.path), _tags(f))
            and within(f.path, first, facts)
            and within(f.path, second, facts)
        ]
    return tuple(dict.fromkeys(entries))


def _covers(entries: tuple[str, ...], field: FieldFacts) -> bool:
    return selection(entries).covers(FieldPath.parse(field.path), _tags(field))


def _tags(field: FieldFacts) -> tuple[str, ...]:
    return (*field.tags, *(() if field.classified else (UNSCANNED_TAG,)))
