"""The scan of a cluster's topics: plan, sample by Spark, finish, classify; one dataset after another as they are done."""

from __future__ import annotations

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
from scanners.scan.topic_group import OnFailure, ScanOrder, Tools, TopicGroup
from scanners.scan.topic_names import resolved
from scanners.settings import ScannerSettings


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
    ) -> None:
        self._tools = Tools(
            sampler=sampler,
            offsets=offsets,
            registry=registry,
            settings=settings or ScannerSettings(),
            clock=clock,
            letters=letters,
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
        resume: str = "",
    ) -> Iterator[DatasetScan]:
        """Scan the named topics and those that match patterns (`shop.*`); no names at all means every topic.

        Yields a DatasetScan as soon as its topic is done, in no promised order. `last_windows` (by topic) are the
        windows of earlier scans, for the strategy since-last; `formats` are declared ones, `declared` the columns declared
        as Spark DDL, which the records are compared with, as with registered schemas. A topic without records gives a
        scan without fields and the problem `empty`. `resume` names the scan: with the name of one that was interrupted it
        continues after the offsets that one had read. Ends early and without error once `cancelled()` is true.
        `on_failure` gets each topic that could not be scanned, with the error; the other topics are scanned. Without it
        the first such error is raised.

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
        """Group after group, until the scan is cancelled."""
        size = self._tools.settings.topics_per_job
        for start in range(0, len(names), size):
            if order.cancelled():
                return
            yield from TopicGroup(self._tools, order, names[start : start + size]).results()

    def resolve(self, cluster: ClusterConnection, topics: Sequence[str]) -> list[str]:
        """The topics that names and patterns mean, sorted. Raises as `scan` does."""
        available = self._tools.offsets.topics(cluster)
        return resolved(topics, available, self._tools.settings.default_exclude, cluster.name)


def _raised(_topic: str, error: Exception) -> None:
    raise error
