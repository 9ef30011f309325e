"""The words of contracts: rules, promises, results. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from catalog.paths import FieldPath


class RuleKind(StrEnum):
    FORMAT = "format"
    TYPE = "type"
    REQUIRED = "required"
    PRESENCE = "presence"
    NULLS = "nulls"
    VALUES = "values"
    PATTERN = "pattern"
    RANGE = "range"
    LENGTH = "length"
    FORM = "form"
    UNIQUE = "unique"
    CLOSED = "closed"
    RECORD_TYPES = "recordTypes"
    ROW_COUNT = "rowCount"
    RATE = "rate"
    FRESHNESS = "freshness"
    LATENESS = "lateness"
    RETENTION = "retention"
    COMPATIBILITY = "compatibility"
    REFERENCE = "reference"
    SQL = "sql"
    OTHER = "other"


_SCHEMA_KINDS = frozenset(
    {
        RuleKind.FORMAT,
        RuleKind.TYPE,
        RuleKind.REQUIRED,
        RuleKind.VALUES,
        RuleKind.CLOSED,
        RuleKind.COMPATIBILITY,
    }
)
"""What a schema alone can decide."""


QUERIED_KINDS = frozenset({RuleKind.REFERENCE, RuleKind.SQL})
"""What a governed query decides, in the name of the contract's service account."""
OTHER_DATASET = "in another dataset"
"""In place of the name of a dataset, where people read it who may not know that dataset."""


class State(StrEnum):
    """Of a rule, a promise or a contract. WAITING: the dataset is not in the catalog yet, or was never scanned."""

    HOLDS = "holds"
    BROKEN = "broken"
    UNDECIDED = "undecided"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that is promised.

    id      the id in the document where it has one, else PATH:KIND; unique within its dataset
    path    the field it is about; None for a rule on the records or the topic
    params  by kind: {types}, {least}, {values}, {pattern}, {low, high, lowOpen, highOpen}, ... see `reading.py`
    text    for people, one sentence without its end
    never   why no scan can ever decide it; None where one can
    """

    id: str
    kind: RuleKind
    path: str | None
    text: str
    params: Mapping[str, Any] = field(default_factory=dict)
    never: str | None = None

    @property
    def is_of_schema(self) -> bool:
        """Whether the schema of the values alone can decide it: it has nothing of keys and headers."""
        return self.kind in _SCHEMA_KINDS and (self.path is None or FieldPath.parse(self.path).root == "value")

    @property
    def open_text(self) -> str:
        """The text without the name of another dataset: for incidents, breaches, and readers who may not know that one."""
        return f"{self.path or 'each record'} exists {OTHER_DATASET}" if self.kind is RuleKind.REFERENCE else self.text


@dataclass(frozen=True, slots=True)
class RunAs:
    """In whose name the queries of a contract run.

    account  name of a service account; purpose: what it asks for
    seconds  the most that one query may take
    """

    account: str
    purpose: str | None = None
    seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class Promise:
    """What a contract promises of one dataset. `dataset`: CLUSTER/TOPIC, or NAMESPACE/NAME. `check_every`: seconds within
    which a breach is to be found in new records; None: by scans alone. `run_as`: None where no rule can be queried."""

    dataset: str
    title: str
    description: str
    rules: tuple[Rule, ...]
    check_every: float | None = None
    run_as: RunAs | None = None


@dataclass(frozen=True, slots=True)
class Contract:
    """A document as it is read.

    status  as ODCS has it; only an `active` contract is promised: a breach of another is shown and reported to nobody
    """

    id: str
    title: str
    version: str
    status: str
    purpose: str
    owner: str
    promises: tuple[Promise, ...]

    @property
    def is_promised(self) -> bool:
        return self.status == "active"

    @property
    def is_over(self) -> bool:
        """It is not checked any more."""
        return self.status == "retired"


@dataclass(frozen=True, slots=True)
class Result:
    """How a rule was decided.

    reason  one sentence: what was seen, or why it cannot be decided; no value of a record
    count   records (or occurrences) that broke it, estimated for the sample; share: of those looked at, 0..1
    first, last  {time, partition, offset}, where the scan knows them
    reads   other datasets, as NAMESPACE/NAME, that it was decided by: only who may read those may know of it
    """

    state: State
    reason: str = ""
    count: int | None = None
    share: float | None = None
    first: Mapping[str, Any] | None = None
    last: Mapping[str, Any] | None = None
    reads: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """`reads` is among it only where there are some."""
        plain: dict[str, object] = {
            "state": str(self.state),
            "reason": self.reason,
            "count": self.count,
            "share": self.share,
            "first": dict(self.first) if self.first else None,
            "last": dict(self.last) if self.last else None,
        }
        return {**plain, "reads": list(self.reads)} if self.reads else plain


def state_of(states: list[State]) -> State:
    """Of several: the worst. UNDECIDED only where nothing else was decided, since some rules never are."""
    for state in (State.BROKEN, State.WAITING, State.HOLDS):
        if state in states:
            return state
    return State.UNDECIDED
