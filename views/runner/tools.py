"""What views are given to work with."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from catalog.model import DatasetId
from policies.model import Subject
from policies.plan.prepare import Preparer
from views.declared import ViewSpec
from views.ports import Clusters, Journal, Registry, StreamEngine, Topics, ViewStates
from views.row_ports import ServingTable
from views.settings import ViewSettings

FIRST_PAUSE_S = 1.0
_SHARED_S = 0.25


@dataclass(frozen=True, slots=True)
class DeclaredView:
    """A view as it is declared now. `digest` changes with the spec."""

    spec: ViewSpec
    digest: str


@dataclass(frozen=True, slots=True)
class Tools:
    """What every view works with.

    document  gives the declaration, None when it was deleted
    subject   a user or service account as they are now; raises NotSignedIn
    report    posts an OpenLineage event; raises Unavailable
    dataset   the dataset of a cluster's topic
    written   differs once somebody wrote to the record store
    """

    document: Callable[[str], DeclaredView | None]
    subject: Callable[[str], Subject]
    preparer: Preparer
    engine: StreamEngine
    topics: Topics
    registry: Registry
    clusters: Clusters
    serving: ServingTable
    states: ViewStates
    journal: Journal
    settings: ViewSettings
    checkpoints: str
    report: Callable[[Mapping[str, Any]], None] = lambda event: None
    dataset: Callable[[str, str], DatasetId] = DatasetId
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    written: Callable[[], Hashable] = object


class SharedLook:
    """Whether somebody wrote to the record store, looked at once for all views within `_SHARED_S`. Safe for threads."""

    def __init__(self, written: Callable[[], Hashable], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._written, self._monotonic = written, monotonic
        self._lock = threading.Lock()
        self._at = float("-inf")
        self._seen: Hashable = None

    def __call__(self) -> Hashable:
        """Raises what the look raises."""
        with self._lock:
            now = self._monotonic()
            if now - self._at >= _SHARED_S:
                self._seen, self._at = self._written(), now
            return self._seen


@dataclass(slots=True)
class Pause:
    """Growing pauses between tries that fail."""

    until: float = 0.0
    seconds: float = FIRST_PAUSE_S

    def over(self, now: float) -> bool:
        return now >= self.until

    def grow(self, now: float, most: float) -> None:
        self.until, self.seconds = now + self.seconds, min(self.seconds * 2, most)
