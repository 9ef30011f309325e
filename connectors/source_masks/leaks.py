"""Fields that a deployed connector writes to a topic less masked than an ordinary reader sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from catalog.paths import FieldPath, Step, StepKind
from connectors.source_masks.columns import (
    column_of,
    hidden_column,
    hidden_document_field,
    is_debezium,
    is_mongodb,
)
from connectors.source_masks.fields import Hidden, MaskedField
from connectors.source_masks.transforms import unwraps, way_of

_ENVELOPE = ("before", "after")


@dataclass(frozen=True, slots=True)
class Leak:
    """A field that reaches the topic with more than the mask leaves.

    weaker   what the configuration does to it, where that hides less than the mask
    missed   settings that name it and do not reach it, in sentences
    unknown  transforms of which it is not known whether they mask it
    """

    field: MaskedField
    weaker: str | None = None
    missed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def leaks(config: Mapping[str, str], topic: str, fields: Iterable[MaskedField]) -> Sequence[Leak]:
    """The fields of a topic that a source connector leaves unmasked, in the order given."""
    every = list(fields)
    wrapped = is_wrapped(every)
    if is_debezium(config) and not unwraps(config):
        every = with_earlier_values(every, wrapped)
    return [leak for field in every if (leak := _leak(config, topic, field, wrapped)) is not None]


def with_earlier_values(fields: Sequence[MaskedField], wrapped: bool) -> list[MaskedField]:
    """The fields, and those of `before` of which no record has come yet: an update brings them."""
    paths = {each.path for each in fields}
    every = []
    for each in fields:
        every.append(each)
        at = 1 if wrapped else 0
        names = names_in_record(each, wrapped)
        if each.path.root == "value" and len(names) > 1 and names[0] == "after":
            steps = each.path.steps
            before = FieldPath("value", (*steps[:at], Step(StepKind.FIELD, "before"), *steps[at + 1 :]))
            if before not in paths:
                every.append(replace(each, path=before))
    return every


def is_wrapped(fields: Iterable[MaskedField]) -> bool:
    """Whether the values are JSON in the envelope of Connect's converter: `schema` and `payload`."""
    values = [each.names for each in fields if each.path.root == "value"]
    return bool(values) and all(names[:1] in (("payload",), ("schema",)) for names in values)


def names_in_record(field: MaskedField, wrapped: bool) -> tuple[str, ...]:
    """Where a field is in the record that the transforms made."""
    return field.names[1:] if wrapped and field.names[:1] == ("payload",) else field.names


def _leak(config: Mapping[str, str], topic: str, field: MaskedField, wrapped: bool) -> Leak | None:
    if field.path.root == "headers" or (wrapped and field.names[:1] == ("schema",)):
        return None  # what a header holds, and what describes the payload, comes from no column
    way = way_of(config, topic, field.path.root, names_in_record(field, wrapped))
    hidden, missed = way.hidden, list(way.missed)
    if hidden is None and way.names is not None and is_debezium(config):
        hidden, more = _at_database(config, topic, way.part, way.names, field)
        missed += more
    if hidden is not None and hidden.satisfies(field):
        return None
    weaker = hidden.by if hidden is not None else None
    return Leak(field, weaker, tuple(dict.fromkeys(missed)), tuple(way.unknown))


def _at_database(
    config: Mapping[str, str], topic: str, part: str, names: tuple[str, ...], field: MaskedField
) -> tuple[Hidden | None, list[str]]:
    column_names = names[1:] if part == "value" and names[:1] and names[0] in _ENVELOPE else names
    if part == "value" and names[:1] and names[0] not in _ENVELOPE:
        return None, []  # what Debezium says of the change itself
    if not column_names:
        return None, []
    if is_mongodb(config):
        return hidden_document_field(config, topic, column_names), []
    column = column_of(config, topic, column_names[0])
    if column is None:
        return None, ["the table behind the topic is not known, as a transform names the topic"]
    hidden, missed = hidden_column(config, column, field.text if len(column_names) == 1 else False)
    if part == "key" and hidden is not None:
        return None, [f"{hidden.by} does not reach the key of a record"]
    return hidden, missed
