"""The terms of SQL lineage: origins, the ways a value takes, what a statement shows, and what it leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Columns = Mapping[str, "Columns | None"]
"""Columns of a table by name, in order; nested ones under a struct, `[]` as the one name under an array."""

DIRECT, INDIRECT = "DIRECT", "INDIRECT"
IDENTITY, TRANSFORMATION, AGGREGATION = "IDENTITY", "TRANSFORMATION", "AGGREGATION"
JOIN, FILTER, GROUP_BY, SORT, WINDOW, CONDITIONAL = "JOIN", "FILTER", "GROUP_BY", "SORT", "WINDOW", "CONDITIONAL"


class TooComplex(Exception):
    """The text would take more time or memory than it may. The message names the measure, never the text."""


class NotUnderstood(Exception):
    """The text is not SQL that is read here. The message gives the reason, without values from the text."""


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """A column of a table, or a place inside one. `path` holds names, and `[]` for the elements of an array."""

    table: str
    path: tuple[str, ...]

    def inside(self, step: str) -> Origin:
        return Origin(self.table, (*self.path, step))


@dataclass(frozen=True, slots=True, order=True)
class Way:
    """How a column takes part, in the words of OpenLineage's columnLineage facet."""

    type: str = DIRECT
    subtype: str = IDENTITY
    masking: bool = False

    def then(self, subtype: str, masking: bool = False) -> Way:
        """This way, and then through one more step. The strongest step names it; what was masked stays masked."""
        if self.type == INDIRECT:
            return self
        strength = (IDENTITY, TRANSFORMATION, AGGREGATION)
        strongest = max(self.subtype, subtype, key=strength.index)
        return Way(DIRECT, strongest, self.masking or masking)


Ways = dict[Origin, frozenset[Way]]


@dataclass(frozen=True, slots=True, order=True)
class ColumnEdge:
    """Origin -> a column of the target (`field`), or the whole of it (None: filters, joins, groups, sorts)."""

    source: Origin
    target: str
    field: tuple[str, ...] | None
    way: Way


@dataclass(slots=True)
class SqlLineage:
    """What a text of SQL shows.

    edges     tables are named as the text names them: parts joined with dots, without quotes
    inputs    tables read; outputs: tables written ("" is the result of a plain query)
    topics    table -> topic, where the text itself declares it (Flink's and ksqlDB's CREATE ... WITH)
    unknown   sentences about what could not be determined; nothing is guessed in its place
    """

    edges: set[ColumnEdge] = field(default_factory=set)
    inputs: set[str] = field(default_factory=set)
    outputs: set[str] = field(default_factory=set)
    topics: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    def doubt(self, sentence: str) -> None:
        if sentence not in self.unknown and len(self.unknown) < 100:
            self.unknown.append(sentence)
