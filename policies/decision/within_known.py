"""Decisions and facts without what a person may not know of a dataset. Pure: no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from catalog.paths import FieldPath
from policies.decision.visibility import DatasetKnowledge
from policies.matching import selection
from policies.model import DatasetFacts, Decision, Effect, Grant, Reason, SourceFacts

NOT_SEEN = "a dataset you may not see"


def within(known_of: DatasetKnowledge, decision: Decision) -> Decision:
    """A decision as its subject may see it: nothing is opened of what they may not know of, since rows show the schema; and
    no reason names a tag where the personal data is hidden."""
    if not known_of.schema:
        text = f"You may not know the schema of {decision.reference}, which rows would show."
        return Decision(
            decision.dataset, decision.reference, Effect.DENY, reasons=(Reason("visibility", decision.reference, text),)
        )
    if known_of.evidence:
        return decision
    columns = tuple(replace(each, reasons=_without_tags(each.reasons)) for each in decision.columns)
    return replace(decision, columns=columns, reasons=_without_tags(decision.reasons))


def within_sources(
    known_of: DatasetKnowledge,
    decision: Decision,
    facts: DatasetFacts,
    known: Callable[[DatasetFacts], DatasetKnowledge],
    grants: Iterable[Grant],
) -> Decision:
    """A decision on a stream view: nothing of it is opened to those who may not know the schema of all that it comes from,
    unless a grant on the very view opens all of it; and no reason names a source that its subject may not know of."""
    sources = list(_sources(facts))
    of = {source.reference: known(_facts_of(source, facts)) for source in sources}
    cut = without_hidden_sources(known_of, decision, of)
    if all(each.schema for each in of.values()) or decision.effect is not Effect.ALLOW:
        return cut
    tags = {field.path: field.tags for field in facts.fields}
    usable = [selection(g.fields) for g in grants if g.dataset == facts.reference and g.name in decision.grants]
    opened = [column.path for column in decision.columns if column.effect is Effect.ALLOW]
    if opened and all(any(u.covers(FieldPath.parse(at), tags.get(at, ())) for u in usable) for at in opened):
        return cut
    reason = Reason("view", NOT_SEEN, f"The view holds records of {NOT_SEEN}.")
    return Decision(decision.dataset, decision.reference, Effect.DENY, reasons=(reason,))


def without_hidden_sources(
    known_of: DatasetKnowledge, decision: Decision, of: Mapping[str, DatasetKnowledge]
) -> Decision:
    """A decision on a view without reasons that name a source or its fields. `of`: what is known of each source."""
    hidden = [
        name for name, each in of.items() if not (known_of.lineage and each.existence and each.schema and each.lineage)
    ]
    if hidden:
        reasons = dict.fromkeys(
            Reason("view", NOT_SEEN, f"The view shows more of {NOT_SEEN} than you get there.")
            if each.kind == "view" and any(name == each.name or name in each.text for name in hidden)
            else each
            for each in decision.reasons
        )
        decision = replace(decision, reasons=tuple(reasons))
    if all(each.evidence for each in of.values()):
        return decision
    columns = tuple(replace(each, reasons=_without_tags(each.reasons)) for each in decision.columns)
    return replace(decision, columns=columns, reasons=_without_tags(decision.reasons))


def _sources(facts: DatasetFacts) -> Iterator[SourceFacts]:
    """All that a view comes from, through other views, too."""
    for source in facts.sources:
        yield source
        if source.facts is not None:
            yield from _sources(source.facts)


def _facts_of(source: SourceFacts, view: DatasetFacts) -> DatasetFacts:
    return source.facts if source.facts is not None else DatasetFacts(view.id, source.reference, ())


def facts_within(known_of: DatasetKnowledge, facts: DatasetFacts) -> DatasetFacts:
    """The facts that answers may be made from, for somebody who may not know all: without fields, or without their tags."""
    if not known_of.schema:
        return replace(facts, fields=())
    if known_of.evidence:
        return facts
    return replace(facts, fields=tuple(replace(each, tags={}, classified=True) for each in facts.fields))


def _without_tags(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(
        replace(each, text=f"Policy {each.name} is about it.")
        if each.kind in ("policy", "gap") and "tag " in each.text
        else each
        for each in reasons
        if each.kind != "tag"
    )
