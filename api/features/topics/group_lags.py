"""Lag of consumer groups over time: brokers are asked once a minute, and what they answer is kept for a day.

Enters: groups of every declared cluster with their lag. Leaves: samples in the record store, a topic's series.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

import structlog

from api.features.topics import answers
from api.visibility.sight import Sight
from catalog.datasets.clusters import Clusters
from catalog.errors import InvalidInput, WeirError
from catalog.lags import KEPT, MOST, GroupLag, LagStore, ordered, spread
from catalog.ports import Clock
from catalog.records import DatasetRecord, rfc3339
from lineage.observed.groups import AT_ONCE, ConsumerGroup, GroupReader

log = structlog.get_logger("weir.lags")

BUCKETS = 96
"""Spans of a series, at most."""
SHOWN = 20
"""Groups of a topic whose series are shown: those that were furthest behind."""


class GroupLags:
    """One process samples, the worker; any process answers from the store."""

    def __init__(
        self,
        store: LagStore,
        clusters: Clusters,
        reader: Callable[[str], GroupReader],
        is_hidden: Callable[[str], bool],
        limit: int,
        now: Clock,
    ) -> None:
        """`reader`: the groups of a cluster, by its name. `limit`: groups of one cluster that are looked at."""
        self._store, self._clusters, self._reader = store, clusters, reader
        self._is_hidden, self._limit, self._now = is_hidden, limit, now
        self._quiet: set[str] = set()

    def step(self) -> bool:
        """Sample every cluster, and forget what is too old. A cluster that does not answer keeps no other from being
        sampled. Whether there is more to do at once: never."""
        at = self._now().replace(second=0, microsecond=0)
        for cluster in self._clusters.all():
            try:
                for samples in self._samples(cluster.name):
                    self._store.add_lags(samples, at)
                self._quiet.discard(cluster.name)
            except WeirError as error:
                self._log_once(cluster.name, error.message)
            except Exception as error:  # a client that fails in its own way keeps no other cluster from being sampled
                self._log_once(cluster.name, type(error).__name__)
        self._store.forget_lags(at - KEPT, MOST)
        return False

    def _samples(self, cluster: str) -> Iterator[list[GroupLag]]:
        reader = self._reader(cluster)
        names = [group for group in reader.names() if not self._is_hidden(group.name)]
        if len(names) > self._limit:
            self._log_once(
                f"{cluster}/limit", f"{len(names) - self._limit} groups beyond the limit have no lag over time"
            )
        for start in range(0, min(len(names), self._limit), AT_ONCE):
            yield _of(cluster, reader.describe(names[start : min(start + AT_ONCE, self._limit)], lag=True))

    def _log_once(self, key: str, message: str) -> None:
        """Log once, until the cluster answers again."""
        if key not in self._quiet:
            self._quiet.add(key)
            log.warning("lag_not_sampled", cluster=key, message=message)

    def series(self, record: DatasetRecord, sight: Sight, hours: int) -> answers.TopicLag:
        """The series of a topic's groups.

        `points`: the largest lag of each span of `seconds`, None where nothing was seen. `others`: groups that are left
        out because more than `SHOWN` read the topic. Raises InvalidInput for a dataset of lineage only.
        """
        if record.cluster is None:
            raise InvalidInput(
                f"{record.reference} is known from lineage only, so no consumer group of it is sampled; declare its cluster"
                " (kind: Cluster).",
                details={"dataset": record.reference},
            )
        until = self._now().replace(second=0, microsecond=0) + timedelta(minutes=1)
        since = until - timedelta(hours=hours)
        count = min(BUCKETS, hours * 60)
        seconds = hours * 3600 / count
        if not sight.counts:
            return answers.TopicLag(groups=[], others=0, seconds=seconds, withheld=True)
        series = self._store.lags(record.cluster, record.id.name, since)
        names = ordered(series)
        groups = [
            answers.GroupLagSeries(
                name=name,
                points=[
                    answers.LagPoint(at=rfc3339(b.at), lag=b.lag) for b in spread(series[name], since, until, count)
                ],
            )
            for name in names[:SHOWN]
        ]
        return answers.TopicLag(groups=groups, others=max(0, len(names) - SHOWN), seconds=seconds, withheld=False)


def _of(cluster: str, groups: Sequence[ConsumerGroup]) -> list[GroupLag]:
    """One sample for each group and topic whose lag is known."""
    return [
        GroupLag(cluster, topic.topic, group.name, topic.lag)
        for group in groups
        for topic in group.topics
        if topic.lag is not None
    ]
