"""A stream view never gives its readers more than they have on what it was made of.

A view runs under the decision on somebody else, so its rows may hold what the reader would not get from the sources. Then
it is opened by a grant on the view, which the owners of its sources approve, and by nothing else: no role, no ownership.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from catalog.paths import FieldPath
from policies.decision.mask_order import strictest
from policies.decision.places import Places, Rule
from policies.model import DatasetFacts, Decision, Effect, Mask, Reason, SourceFacts, SourceField

Decide = Callable[[DatasetFacts], Decision]
"""The same question about a source."""

Granted = Callable[[str, Iterable[str]], bool]
"""Whether a grant on the view opens a field of it: (path, tags)."""


def no_more_than_sources(decision: Decision, facts: DatasetFacts, decide: Decide, granted: Granted) -> Decision:
    """The decision on a view, denied where it would give more than the sources; with a reason for each source and field.

    A grant on the view has to open all of it that is opened: rows of the view are rows of its sources in every column. What
    rests on the sources ends when the right there does.
    """
    if not facts.sources or decision.effect is not Effect.ALLOW:
        return decision
    tags = {field.path: field.tags for field in facts.fields}
    opened = [column.path for column in decision.columns if column.effect is Effect.ALLOW]
    if opened and all(granted(path, tags.get(path, ())) for path in opened):
        return decision
    places = Places(decision.columns)
    more: list[Reason] = []
    grants, ends = set(decision.grants), [decision.expires] if decision.expires is not None else []
    for source in facts.sources:
        own = decide(source.facts) if source.facts is not None else None
        more += _more(source, own, places)
        if own is not None:
            grants.update(own.grants)
            ends += [own.expires] if own.expires is not None else []
    if more:
        reasons = (*dict.fromkeys(more), *decision.reasons)
        return replace(decision, effect=Effect.DENY, columns=(), filters=(), grants=(), expires=None, reasons=reasons)
    return replace(decision, grants=tuple(sorted(grants)), expires=min(ends, default=None))


def _more(source: SourceFacts, own: Decision | None, own_places: Places) -> Iterator[Reason]:
    name = source.reference
    if own is None:
        yield Reason("view", name, f"{name} is not in the catalog any more, so what you may see of it is unknown")
        return
    if own.effect is not Effect.ALLOW:
        yield Reason("view", name, f"the view holds records of {name}, which you may not read")
        return
    if sorted(each.where for each in own.filters) not in ([], sorted(source.filters)):
        yield Reason("view", name, f"the view holds rows of {name} that are hidden from you there")
    places = Places(own.columns)
    for field in source.fields:
        hidden = places.rule(FieldPath.parse(field.path)).mask
        if hidden is not None and not _hides(field, own_places.rule(FieldPath.parse(field.at)), hidden):
            column = field.at.removeprefix("value.")
            yield Reason("view", column, f"{column} shows {name} {field.path}, which is hidden from you there")


def _hides(field: SourceField, rule: Rule, hidden: Mask) -> bool:
    """Whether the view hides a field at least as much as the source does: by what it holds, or by what it shows of that."""
    masks = [mask for mask in (field.mask, rule.mask if not rule.clear_when else None) if mask is not None]
    return any(strictest((mask, hidden)) == mask for mask in masks)
