"""What the brokers report: which cluster answers, which topics it has."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Sequence

from catalog.datasets.datasets import Datasets, TopicChanges
from catalog.declared.cluster_specs import ClusterSpec
from catalog.errors import NotFound
from catalog.near_names import did_you_mean
from catalog.ports import Brokers
from catalog.records import ClusterRecord
from catalog.topics import TopicFacts


class Discovery:
    """Asks brokers and records their answers."""

    def __init__(self, brokers: Brokers, datasets: Datasets) -> None:
        self._brokers = brokers
        self._datasets = datasets

    def connect(self, cluster: str) -> ClusterRecord:
        """Learn a cluster's id and addresses, and join it to what is known of that id. Raises Unavailable."""
        cluster_record = self._datasets.clusters.get(cluster)
        description = self._brokers.describe(cluster_record.settings, cluster_record.bootstrap)
        return self._datasets.register_cluster(
            cluster, ClusterSpec.model_validate(dict(cluster_record.settings)), description
        )

    def list_topics(self, cluster: str, *, offsets: bool = False) -> list[TopicFacts]:
        """Every topic of a cluster as its brokers describe it, by name. Raises Unavailable."""
        cluster_record = self._datasets.clusters.get(cluster)
        return self._brokers.topics(cluster_record.settings, cluster_record.bootstrap, offsets)

    def refresh(self, cluster: str) -> TopicChanges:
        """Connect, list the topics, and record what is new and what is gone. Internal topics are left out."""
        self.connect(cluster)
        topics = [t for t in self.list_topics(cluster, offsets=True) if not hidden(t.name, t.internal)]
        return self._datasets.record_topics(cluster, topics)

    def select(self, cluster: str, patterns: Sequence[str]) -> list[TopicFacts]:
        """The topics that the patterns (`shop.*`, `*` = all) name, offsets included; the cluster is refreshed first.

        A pattern that begins with an underscore or is a whole name also finds internal topics. Raises NotFound naming
        a whole name that does not exist.
        """
        self.connect(cluster)
        topics = self.list_topics(cluster, offsets=True)
        visible = [t for t in topics if not hidden(t.name, t.internal)]
        self._datasets.record_topics(cluster, visible)
        chosen: dict[str, TopicFacts] = {}
        for pattern in patterns or ["*"]:
            among = topics if pattern.startswith("_") else visible
            matches = [t for t in among if t.name == pattern or fnmatch.fnmatchcase(t.name, pattern)]
            if not matches and not any(c in pattern for c in "*?["):
                near = difflib.get_close_matches(pattern, [t.name for t in topics], 3)
                advice = did_you_mean(near, "weir dataset list lists those it has.")
                raise NotFound(
                    f"Cluster {cluster!r} has no topic {pattern!r}; {advice}",
                    details={"cluster": cluster, "topic": pattern, "nearest": near},
                )
            chosen.update({t.name: t for t in matches})
        return [chosen[name] for name in sorted(chosen)]


def hidden(name: str, internal: bool) -> bool:
    """Topics that Kafka and its companions keep for themselves, and ours (`_weir.*`)."""
    return internal or name.startswith("_")
