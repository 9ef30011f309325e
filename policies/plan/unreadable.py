"""What an answer reports of values that do not fit their columns: counts by column, and sentences with the fix. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from catalog.datatypes import Alternatives, ArrayType, DataType, MapType, Primitive, StructType
from catalog.paths import FieldPath, StepKind
from policies.plan.model import Unreadable
from policies.plan.ports import QueryTable

_NAMED = 5
_KEEP_INFINITY = frozenset({"STRING", "FLOAT", "DOUBLE", "VARIANT"})
"""Types that show a number beyond a DOUBLE (1e400) as Infinity."""
_UNCOUNTED = "The answer was cut before the end, so values that do not fit their column were not counted."
RECORDS = "*"
"""In place of the columns of a record's value where the whole record cannot be decoded."""


class UnreadableCounts(TypedDict):
    """The report as JSON has it."""

    unreadable: dict[str, int] | None
    unreadableText: str | None


@dataclass(frozen=True, slots=True)
class UnreadableReport:
    """counts  column, or place inside one (`items[].qty`), or `*` -> values; with several tables `TABLE.column`. None:
               nobody counted them, since the answer was cut
    text       a sentence on values and one on records, with counts and the fix; None where there is nothing to report
    drifted    references of the datasets with values that a scan may find the right type for
    """

    counts: Mapping[str, int] | None = field(default_factory=dict)
    text: str | None = None
    drifted: tuple[str, ...] = ()

    def to_json(self) -> UnreadableCounts:
        return {"unreadable": None if self.counts is None else dict(self.counts), "unreadableText": self.text}

    def with_scans(self, queued: Mapping[str, str]) -> UnreadableReport:
        """The same, its sentence followed by one on the scans (dataset -> id) that are under way for it."""
        if not queued or self.text is None:
            return self
        scans = " and ".join(f"of {reference} ({number})" for reference, number in queued.items())
        return UnreadableReport(
            self.counts, f"{self.text} A scan {scans} is queued for it; ask again once it is done.", self.drifted
        )


def report(tables: Mapping[str, tuple[str, QueryTable]], unreadable: Unreadable | None) -> UnreadableReport:
    """What to report of the counts of an engine, by view; `tables`: view -> the table's name in the query, and the table."""
    if unreadable is None:
        return UnreadableReport(None, _UNCOUNTED)
    counts: dict[str, int] = {}
    kinds: dict[str, str] = {}
    drifted: dict[str, None] = {}
    misfits: dict[str, None] = {}
    undecoded: dict[str, None] = {}
    many = len(tables) > 1
    for view, (name, table) in tables.items():
        for path, number in unreadable.get(view, {}).items():
            if not number:
                continue
            place = FieldPath.parse(path)
            kind: DataType | None = table.key.kind if place.root == "key" else table.value.kind
            label = _label(place, kind, name if many else None)
            # The same topic may be read under two names; each is a reading of its own.
            counts[label] = counts.get(label, 0) + number
            inner = _kind_at(kind, place)
            kinds[label] = _short(inner)
            (undecoded if label.endswith(RECORDS) else misfits)[table.reference] = None
            if place.steps:
                drifted[table.reference] = None
    if not counts:
        return UnreadableReport()
    return UnreadableReport(counts, _sentences(counts, kinds, list(misfits), list(undecoded)), tuple(drifted))


def _label(path: FieldPath, kind: DataType | None, table: str | None) -> str:
    text = str(path)
    if path.root == "key":
        label = f"_key{text.removeprefix('key')}"
    elif path.steps:
        label = text.removeprefix("value").removeprefix(".")
    else:
        label = RECORDS if isinstance(kind, StructType) else "value"
    return label if table is None else f"{table}.{label}"


def _sentences(counts: Mapping[str, int], kinds: Mapping[str, str], misfits: list[str], undecoded: list[str]) -> str:
    """What does not fit, and what helps. `misfits`: datasets with such values, `undecoded`: those with such records."""
    values = [
        f"{_amount(n, 'value')} of {label} ({kinds[label]})"
        for label, n in counts.items()
        if not label.endswith(RECORDS)
    ]
    records = sum(n for label, n in counts.items() if label.endswith(RECORDS))
    more = len(values) - _NAMED
    columns = ", ".join(values[:_NAMED]) + (f" and values of {more} more columns" if more > 0 else "")
    sentences = []
    if values:
        one = len(values) == 1 and next(iter(n for label, n in counts.items() if not label.endswith(RECORDS))) == 1
        shown = "NULL here, or rounded where a number has more digits than its type"
        if any(kinds[label] in _KEEP_INFINITY for label in counts if not label.endswith(RECORDS)):
            shown = f"{shown.replace(', or', ',')}, or Infinity where it is larger than any DOUBLE"
        sentences.append(
            f"{columns} {'does' if one else 'do'} not fit the column's type and {'is' if one else 'are'} {shown}:"
            f" scan the topic again ({_scan(misfits)}), or declare its columns (schema.spark of the Dataset {misfits[0]},"
            " weir apply)."
        )
    if records:
        sentences.append(
            f"{_amount(records, 'record')} cannot be decoded, so all {'its' if records == 1 else 'their'} columns are NULL:"
            f" correct what their producer sends ({_scan(undecoded)} --dead-letter copies such records), or declare the"
            f" topic's format where it is another one (format of the Dataset {undecoded[0]}, weir apply)."
        )
    return " ".join(sentences)


def _scan(references: list[str]) -> str:
    """The command that scans the datasets of the first one's cluster."""
    cluster = references[0].partition("/")[0]
    names = " ".join(f"--topics {r.partition('/')[2]}" for r in references if r.partition("/")[0] == cluster)
    return f"weir scan {cluster} {names}"


def _amount(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def _kind_at(kind: DataType | None, path: FieldPath) -> DataType | None:
    for step in path.steps:
        if isinstance(kind, Alternatives):
            kind = kind.get("as_array" if step.kind is StepKind.ELEMENTS else "as_object")
        match kind:
            case StructType() if step.kind is StepKind.FIELD:
                kind = kind.get(step.name or "")
            case ArrayType(element):
                kind = element
            case MapType(_, value):
                kind = value
    return kind


def _short(kind: DataType | None) -> str:
    match kind:
        case Primitive(name):
            return name
        case ArrayType():
            return "ARRAY"
        case MapType():
            return "MAP"
    return "STRUCT"
