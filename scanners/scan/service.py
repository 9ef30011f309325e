"""The scan of a cluster's topics: plan, sample by Spark, finish, classify; one dataset after another as they are done."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from catalog.model import DatasetScan, ScanWindow
from scanners.model import (
    ClusterConnection,
    Recognizer,
    SampleRequest,
    ScanProgress,
    TopicFormat,
)
from scanners.ports import Cancelled, DeadLetters, OffsetLookup, Sampler, SchemaRegistry
from scanners.scan.order import OnFailure, ScanOrder, Tools
from scanners.scan.topic_group import TopicGroup
from scanners.scan.topic_names import resolved
from scanners.scan.unchanged import unchanged
from scanners.settings import ScannerSettings

_LOOKED_AT_ONCE = 500
"""Topics whose offsets are asked for together before any of them is read."""


class Scanner:
    """Scans topics. Holds no state between scans: what was read is in each result's window."""

    def __init__(
        self,
        sampler: Sampler,
        offsets: OffsetLookup,
        registry: SchemaRegistry,
        settings: ScannerSettings | None = None,
        clock: Callable[[], float] = time.time,
        letters: DeadLetters | None = None,
        salts: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self._tools = Tools(
            sampler=sampler,
            offsets=offsets,
            registry=registry,
            settings=settings or ScannerSettings(),
            clock=clock,
            letters=letters,
            salts=salts,
        )

    def scan(
        self,
        cluster: ClusterConnection,
        topics: Sequence[str] = (),
        request: SampleRequest | None = None,
        recognizers: Sequence[Recognizer] = (),
        on_progress: Callable[[ScanProgress], None] | None = None,
        cancelled: Cancelled | None = None,
        on_failure: OnFailure | None = None,
        *,
        last_windows: Mapping[str, ScanWindow] | None = None,
        formats: Mapping[str, TopicFormat] | None = None,
        declared: Mapping[str, str] | None = None,
        last_bases: Mapping[str, str] | None = None,
        resume: str = "",
    ) -> Iterator[DatasetScan]:
        """Scan the named topics and those that match patterns (`shop.*`); no names at all means every topic.

        Yields a DatasetScan as soon as its topic is done, in no promised order. `last_windows` (by topic) are the
        windows of earlier scans, for the strategy since-last; `formats` are declared ones, `declared` the columns declared
        as Spark DDL, which the records are compared with, as with registered schemas. `last_bases` (by topic) are what the
        results of the last scans depend on (`DatasetScan.basis`): a topic with the same basis is not read, and its result
        is `unchanged`. A topic without records gives a scan without fields and the problem `empty`. `resume` names the
        scan: with the name of one that was interrupted it continues after the offsets that one had read. Ends early and
        without error once `cancelled()` is true. `on_failure` gets each topic that could not be scanned, with the error;
        the other topics are scanned. Without it the first such error is raised.

        Raises NotFound for a topic that is not there, InvalidInput for a pattern that cannot be read, Unavailable when
        Kafka or Spark does not answer.
        """
        order = ScanOrder(
            cluster=cluster,
            request=request or SampleRequest(),
            recognizers=recognizers,
            cancelled=cancelled or (lambda: False),
            on_failure=on_failure or _raised,
            last_windows=last_windows or {},
            formats=formats or {},
            declared=declared or {},
            last_bases=last_bases or {},
            resume=resume,
        )
        names = self.resolve(cluster, topics)
        report = on_progress or (lambda _: None)
        progress = ScanProgress(0, len(names), 0, None)
        report(progress)
        for result in self._results(order, names):
            records = progress.records + result.schema.window.records
            progress = ScanProgress(progress.done + 1, len(names), records, result.dataset.name)
            report(progress)
            yield result

    def _results(self, order: ScanOrder, names: Sequence[str]) -> Iterator[DatasetScan]:
        """Topics that did not change, then the others, group after group, until the scan is cancelled."""
        left = list(names)
        for some in _batches(names if order.last_bases else (), _LOOKED_AT_ONCE):
            if order.cancelled():
                return
            same = unchanged(self._tools, order, some)
            yield from same
            left = sorted(set(left) - {result.dataset.name for result in same})
        for some in _batches(left, self._tools.settings.topics_per_job):
            if order.cancelled():
                return
            yield from TopicGroup(self._tools, order, some).results()

    def resolve(self, cluster: ClusterConnection, topics: Sequence[str]) -> list[str]:
        """The topics that names and patterns mean, sorted. Raises as `scan` does."""
        available = self._tools.offsets.topics(cluster)
        return resolved(topics, available, self._tools.settings.default_exclude, cluster.name)


def _raised(_topic: str, error: Exception) -> None:
    raise error


def _batches(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]
