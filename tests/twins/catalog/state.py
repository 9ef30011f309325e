"""What the record store in memory holds, and how its changes are counted."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from catalog.check_positions import CheckPosition
from catalog.contract_store import ContractBreach, ContractCheck
from catalog.document_origins import DocumentOrigin
from catalog.event_model import DeliveryState, Event
from catalog.incident_store import Incident, IncidentEntry
from catalog.model import DatasetId
from catalog.quality_store import Anomaly, QualityMark, QualityPoint, QualityState, Tier
from catalog.question_store import DescriptionVersion, Question, QuestionAnswer
from catalog.records import (
    ClassificationEvent,
    ClassificationRecord,
    ClusterRecord,
    DatasetRecord,
    DeclaredDocument,
    FieldNote,
    StoredSchema,
)
from catalog.saved_queries import SavedQuery
from catalog.scan_store import ScanPosition, ScanRecord


@dataclass
class State:
    """Everything stored. Values are frozen, so a copy two levels deep is a snapshot."""

    clusters: dict[str, ClusterRecord] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    datasets: dict[DatasetId, DatasetRecord] = field(default_factory=dict)
    documents_written: dict[DatasetId, int] = field(default_factory=dict)
    schemas: defaultdict[DatasetId, dict[int, StoredSchema]] = field(default_factory=lambda: defaultdict(dict))
    notes: dict[DatasetId, list[FieldNote]] = field(default_factory=dict)
    tags: defaultdict[DatasetId, dict[tuple[str, str], ClassificationRecord]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    history: list[tuple[DatasetId, ClassificationEvent]] = field(default_factory=list)
    documents: dict[tuple[str, str], DeclaredDocument] = field(default_factory=dict)
    scans: dict[str, ScanRecord] = field(default_factory=dict)
    positions: defaultdict[DatasetId, dict[int, ScanPosition]] = field(default_factory=lambda: defaultdict(dict))
    events: list[Event] = field(default_factory=list)
    deliveries: dict[str, DeliveryState] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    reports: dict[DatasetId, Any] = field(default_factory=dict)
    clicks: dict[tuple[str, DatasetId], float] = field(default_factory=dict)
    together: dict[tuple[DatasetId, DatasetId], tuple[int, float]] = field(default_factory=dict)
    lags: dict[tuple[str, str, str, datetime], int] = field(default_factory=dict)
    saved_queries: dict[str, SavedQuery] = field(default_factory=dict)
    contract_checks: dict[tuple[str, str], ContractCheck] = field(default_factory=dict)
    contract_breaches: dict[str, ContractBreach] = field(default_factory=dict)
    quality_states: dict[DatasetId, QualityState] = field(default_factory=dict)
    quality_points: dict[DatasetId, dict[tuple[Tier, datetime], QualityPoint]] = field(default_factory=dict)
    anomalies: dict[str, Anomaly] = field(default_factory=dict)
    quality_marks: dict[str, QualityMark] = field(default_factory=dict)
    incidents: dict[str, Incident] = field(default_factory=dict)
    incident_entries: dict[str, tuple[IncidentEntry, ...]] = field(default_factory=dict)
    check_positions: dict[DatasetId, CheckPosition] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    answers: dict[str, QuestionAnswer] = field(default_factory=dict)
    descriptions: dict[str, DescriptionVersion] = field(default_factory=dict)
    origins: dict[tuple[str, str], DocumentOrigin] = field(default_factory=dict)

    def snapshot(self) -> State:
        deep = {"schemas", "tags", "positions"}
        parts: dict[str, Any] = {}
        for name, part in vars(self).items():
            parts[name] = copy(part)
            if name in deep:
                for key in part:
                    parts[name][key] = copy(part[key])
        return State(**parts)


_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


def counted(change: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
    """A change that raises the store's number of changes, once it is made."""

    @wraps(change)
    def change_counted(*given: _Given.args, **named: _Given.kwargs) -> _Answer:
        try:
            return change(*given, **named)
        finally:
            store: Any = given[0]
            with store._lock:
                store._changes += 1

    return change_counted


class Stateful:
    """What the parts of the store share: the state, and the lock that guards it."""

    _state: State
    _lock: threading.RLock
