"""One topic as its brokers and its registry describe it, by what the asker may see of it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any, Literal

from api.features.datasets.registry_verdicts import schema_ids
from api.features.topics import answers
from api.joins.connections import Connections
from api.visibility.sight import Sight
from catalog.call_deadline import REGISTRY_SECONDS, all_calls_within
from catalog.datasets.clusters import Clusters
from catalog.errors import InvalidInput, NotFound
from catalog.model import SchemaVersion
from catalog.ports import Clock
from catalog.problems import sentence
from catalog.records import ClusterRecord, DatasetRecord, rfc3339
from catalog.topic_details import AclsKnown, TopicDetails, TopicGroup
from catalog.topics import whole_sum
from scanners.model import RegisteredSchema
from scanners.ports import SchemaRegistry
from scanners.schemas.registered import of_topic

BUCKETS = 48
_NO_RULES = {
    AclsKnown.NO_AUTHORIZER: "The brokers have no authorizer, so every client that reaches them may read and write the topic.",
    AclsKnown.NOT_ALLOWED: "The user that Weir signs in with may not list ACLs; allow it to DESCRIBE the cluster.",
    AclsKnown.YES: "No rule names this topic. Only super users may use it, unless allow.everyone.if.no.acl.found is set.",
}


class TopicPages:
    """The service behind `/datasets/{namespace}/{name}/partitions`, `/config`, `/consumer-groups`, `/acls`, `/rate` and
    `/subjects`. Everything is asked when somebody looks."""

    def __init__(
        self,
        details: TopicDetails,
        clusters: Clusters,
        connections: Connections,
        registry: SchemaRegistry,
        now: Clock,
        is_hidden: Callable[[str], bool],
        most_groups: int,
    ) -> None:
        """`is_hidden`: whether a group is one of Weir's own. `most_groups`: of one cluster that are looked at."""
        self._details, self._clusters, self._connections = details, clusters, connections
        self._registry, self._now, self._is_hidden, self._most_groups = registry, now, is_hidden, most_groups

    def partitions(self, record: DatasetRecord, sight: Sight) -> answers.TopicPartitions:
        """Raises InvalidInput for a dataset of lineage only, NotFound, Unavailable."""
        results = self._details.partitions(*self._at(record), record.id.name)
        rows = [
            answers.TopicPartition(
                partition=p.partition,
                leader=p.leader,
                replicas=list(p.replicas),
                in_sync=list(p.in_sync),
                begin=p.begin if sight.counts else None,
                end=p.end if sight.counts else None,
                records=p.records if sight.counts else None,
                size=p.size if sight.counts else None,
            )
            for p in results
        ]
        return answers.TopicPartitions(
            partitions=rows,
            records=whole_sum(row.records for row in rows),
            size=whole_sum(row.size for row in rows),
            withheld=not sight.counts,
        )

    def config(self, record: DatasetRecord) -> answers.TopicConfig:
        """Raises as `partitions`."""
        results = self._details.configs(*self._at(record), record.id.name)
        rows = [
            answers.TopicConfigEntry(
                name=c.name, value=c.value, source=c.source, read_only=c.read_only, sensitive=c.sensitive
            )
            for c in results or ()
        ]
        message = None
        if results is None:
            message = "The user that Weir signs in with may not read the configuration; allow it DESCRIBE_CONFIGS."
        return answers.TopicConfig(configs=rows, message=message)

    def groups(self, record: DatasetRecord, sight: Sight) -> answers.TopicGroups:
        """Raises as `partitions`."""
        results = self._details.groups(*self._at(record), record.id.name, self._most_groups)
        shown = [_group(g, sight.counts) for g in results.groups if not self._is_hidden(g.name)]
        return answers.TopicGroups(groups=shown, unread=results.unread, withheld=not sight.counts)

    def acls(self, record: DatasetRecord) -> answers.TopicAcls:
        """Who may ask is the caller's to check. Raises as `partitions`."""
        results = self._details.acls(*self._at(record), record.id.name)
        entries = [
            answers.TopicAcl(
                principal=a.principal,
                operation=a.operation,
                permission=a.permission,
                host=a.host,
                resource=a.resource,
                pattern=a.pattern,
            )
            for a in results.entries
        ]
        return answers.TopicAcls(
            known=results.known.value, entries=entries, message=None if entries else _NO_RULES[results.known]
        )

    def rate(self, record: DatasetRecord, sight: Sight, hours: int) -> answers.TopicRate:
        """By the times that records are stamped with. Raises as `partitions`."""
        if not sight.counts:
            return answers.TopicRate(buckets=[], records=None, per_second=None, seconds=0.0, withheld=True)
        until = self._now()
        step = timedelta(hours=hours) / BUCKETS
        moments = [until - step * n for n in range(BUCKETS, -1, -1)]
        offsets = self._details.offsets_at(*self._at(record), record.id.name, moments)
        counts = [max(0, after - before) for before, after in pairwise(offsets)]
        total = sum(counts)
        return answers.TopicRate(
            buckets=[answers.RateBucket(at=rfc3339(at), records=n) for at, n in zip(moments, counts, strict=False)],
            records=total,
            per_second=total / (hours * 3600),
            seconds=step.total_seconds(),
            withheld=False,
        )

    def subjects(self, record: DatasetRecord, schema: SchemaVersion) -> answers.Subjects:
        """Raises as `partitions`."""
        cluster = self._cluster(record)
        results, problems = self._registered(cluster, record, schema)
        subjects: dict[str, list[answers.SubjectVersion]] = {}
        for each in results:
            for subject, number in each.subjects.items():
                version = answers.SubjectVersion(version=number, id=each.id, type=each.type)
                subjects.setdefault(subject, []).append(version)
        return answers.Subjects(
            registry=cluster.registry_url is not None,
            subjects=[
                answers.Subject(subject=subject, versions=sorted(versions, key=lambda v: -v.version))
                for subject, versions in sorted(subjects.items())
            ],
            problems=problems,
        )

    def subject_diff(
        self, record: DatasetRecord, schema: SchemaVersion, subject: str, version: int, before: int | None
    ) -> answers.SubjectDiff:
        """A version line by line, against an earlier one where that is given. Raises NotFound for a subject or version that
        is not of this topic."""
        results, problems = self._registered(self._cluster(record), record, schema)
        texts = {each.subjects[subject]: _lines(each) for each in results if subject in each.subjects}
        for number in (version, *([before] if before is not None else [])):
            if number not in texts:
                known = ", ".join(map(str, sorted(texts))) or "none"
                why = f" {problems[0]}" if problems else ""
                raise NotFound(
                    f"{record.reference} has no version {number} of the subject {subject}; there is {known}.{why}",
                    details={"subject": subject, "version": number},
                )
        old = texts[before] if before is not None else texts[version]
        return answers.SubjectDiff(
            subject=subject, version=version, before=before, lines=_compared(old, texts[version])
        )

    def _registered(
        self, cluster: ClusterRecord, record: DatasetRecord, schema: SchemaVersion
    ) -> tuple[list[RegisteredSchema], list[str]]:
        """Schemas under subjects of the topic, or that records were seen with."""
        if cluster.registry_url is None:
            return [], []
        seen = sorted(schema_ids(schema))
        with all_calls_within(REGISTRY_SECONDS):
            answer = self._registry.for_topics(self._connections.reach(cluster), [record.id.name], seen)
        mine = [
            each
            for each in answer.schemas.values()
            if each.id in seen or any(of_topic(subject, record.id.name) for subject in each.subjects)
        ]
        return mine, [sentence(problem) for problem in answer.problems]

    def _at(self, record: DatasetRecord) -> tuple[Mapping[str, Any], Sequence[str]]:
        cluster = self._cluster(record)
        return cluster.settings, cluster.bootstrap

    def _cluster(self, record: DatasetRecord) -> ClusterRecord:
        if record.cluster is None:
            raise InvalidInput(
                f"{record.reference} is known from lineage only; declare its cluster (kind: Cluster) to ask its brokers.",
                details={"dataset": record.reference},
            )
        return self._clusters.get(record.cluster)


def _group(group: TopicGroup, counts: bool) -> answers.TopicGroup:
    return answers.TopicGroup(
        name=group.name,
        state=group.state,
        lag=group.lag if counts else None,
        members=[
            answers.TopicGroupMember(client=m.client, host=m.host, partitions=list(m.partitions)) for m in group.members
        ],
        partitions=[
            answers.TopicGroupPartition(
                partition=p.partition,
                member=p.member,
                committed=p.committed if counts else None,
                end=p.end if counts else None,
                lag=p.lag if counts else None,
            )
            for p in group.partitions
        ],
    )


def _lines(schema: RegisteredSchema) -> list[str]:
    """Its text, a JSON one indented."""
    try:
        text = json.dumps(json.loads(schema.text), indent=2, ensure_ascii=False)
    except ValueError:
        text = schema.text
    return text.splitlines()


def _compared(old: Sequence[str], new: Sequence[str]) -> list[answers.SubjectLine]:
    """Every line of both, in order."""
    kinds: dict[str, Literal["same", "added", "removed"]] = {"  ": "same", "+ ": "added", "- ": "removed"}
    return [
        answers.SubjectLine(change=kinds[line[:2]], text=line[2:])
        for line in difflib.ndiff(old, new)
        if line[:2] in kinds
    ]
