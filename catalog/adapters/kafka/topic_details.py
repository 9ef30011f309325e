"""One topic as confluent_kafka's AdminClient sees it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ConfigResource,
    ConfigSource,
    OffsetSpec,
    ResourcePatternType,
    ResourceType,
)

from catalog.adapters.kafka.topics import KafkaBrokers
from catalog.errors import NotFound
from catalog.topic_details import (
    Acl,
    Acls,
    AclsKnown,
    ConfigEntry,
    Member,
    Partition,
    ReadPartition,
    TopicGroup,
    TopicGroups,
)

_GROUPS_AT_ONCE = 100
_SOURCES = {
    ConfigSource.DYNAMIC_TOPIC_CONFIG.value: "topic",
    ConfigSource.DYNAMIC_BROKER_CONFIG.value: "broker",
    ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG.value: "broker",
    ConfigSource.STATIC_BROKER_CONFIG.value: "broker",
}


class KafkaTopicDetails(KafkaBrokers):
    """Implements `catalog.topic_details.TopicDetails`. Every call asks the brokers; nothing is kept open."""

    def partitions(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str) -> list[Partition]:
        with self._admin(settings, bootstrap) as (admin, errors):
            metadata = self._metadata(admin, bootstrap, topic, errors)
            results = metadata.topics[topic]
            edges = {
                each.partition: each
                for each in self._offsets(admin, {topic: results}, bootstrap, errors).get(topic, ())
            }
            sizes = self._sizes(settings, bootstrap, metadata, [topic])
            return [
                Partition(
                    partition=number,
                    leader=each.leader if each.leader >= 0 else None,
                    replicas=tuple(each.replicas),
                    in_sync=tuple(each.isrs),
                    begin=edges[number].begin if number in edges else None,
                    end=edges[number].end if number in edges else None,
                    size=sizes.get((topic, number)),
                )
                for number, each in sorted(results.partitions.items())
            ]

    def configs(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str) -> list[ConfigEntry] | None:
        with self._admin(settings, bootstrap) as (admin, errors):
            self._partitions(admin, bootstrap, topic, errors)
            futures = admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)], request_timeout=self._timeout)
            answer = self._granted(next(iter(futures.values())), bootstrap)
            if answer is None:
                return None
            return [
                ConfigEntry(
                    name,
                    None if each.is_sensitive else each.value,
                    _SOURCES.get(each.source, "default"),
                    bool(each.is_read_only),
                    bool(each.is_sensitive),
                )
                for name, each in sorted(answer.items())
            ]

    def acls(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str) -> Acls:
        every = AclBindingFilter(
            ResourceType.TOPIC, topic, ResourcePatternType.MATCH, None, None, AclOperation.ANY, AclPermissionType.ANY
        )
        with self._admin(settings, bootstrap) as (admin, _):
            try:
                results = admin.describe_acls(every, request_timeout=self._timeout).result(timeout=self._timeout + 1)
            except KafkaException as error:
                code = error.args[0].code()
                if code == KafkaError.SECURITY_DISABLED:
                    return Acls(AclsKnown.NO_AUTHORIZER)
                if code == KafkaError.CLUSTER_AUTHORIZATION_FAILED:
                    return Acls(AclsKnown.NOT_ALLOWED)
                raise self._unavailable(bootstrap, f"does not show its ACLs ({error.args[0].name()})") from None
            except TimeoutError:
                raise self._unavailable(bootstrap, "did not answer in time") from None
            if not results:
                return Acls(self._without_rules(admin, bootstrap))
        entries = [
            Acl(
                principal=each.principal,
                operation=each.operation.name.lower(),
                permission=each.permission_type.name.lower(),
                host=each.host,
                resource=each.name,
                pattern=each.resource_pattern_type.name.lower(),
            )
            for each in results
        ]
        return Acls(AclsKnown.YES, tuple(sorted(entries, key=lambda a: (a.principal, a.operation, a.resource))))

    def groups(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str, most: int) -> TopicGroups:
        with self._admin(settings, bootstrap) as (admin, errors):
            described = self._partitions(admin, bootstrap, topic, errors)
            places = [TopicPartition(topic, number) for number in sorted(described.partitions)]
            ends = {
                each.partition: each.end
                for each in self._offsets(admin, {topic: described}, bootstrap, errors).get(topic, ())
            }
            listed = self._granted(admin.list_consumer_groups(request_timeout=self._timeout), bootstrap)
            if listed is None or listed.errors:
                raise self._unavailable(bootstrap, "does not list its consumer groups")
            names = sorted(group.group_id for group in listed.valid)
            results: list[TopicGroup] = []
            unread = max(0, len(names) - most)
            for start in range(0, min(len(names), most), _GROUPS_AT_ONCE):
                some = names[start : min(start + _GROUPS_AT_ONCE, most)]
                read, missed = self._read_by(admin, some, places, ends, bootstrap)
                results += read
                unread += missed
            return TopicGroups(tuple(results), unread)

    def offsets_at(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str, moments: Sequence[datetime]
    ) -> list[int]:
        with self._admin(settings, bootstrap) as (admin, errors):
            described = self._partitions(admin, bootstrap, topic, errors)
            ends = {
                each.partition: each.end
                for each in self._offsets(admin, {topic: described}, bootstrap, errors).get(topic, ())
            }
            lookups = []
            for moment in moments:
                spec = OffsetSpec.for_timestamp(int(moment.timestamp() * 1000))
                places = {TopicPartition(topic, number): spec for number in ends}
                lookups.append(admin.list_offsets(places, request_timeout=self._timeout) if places else {})
            deadline = time.monotonic() + 2 * self._timeout
            return [
                sum(
                    self._place(future, ends[place.partition], bootstrap, deadline) for place, future in futures.items()
                )
                for futures in lookups
            ]

    # --- parts --------------------------------------------------------------------------------------------------------

    def _partitions(
        self, admin: AdminClient, bootstrap: Sequence[str], topic: str, errors: Sequence[KafkaError]
    ) -> Any:
        return self._metadata(admin, bootstrap, topic, errors).topics[topic]

    def _metadata(self, admin: AdminClient, bootstrap: Sequence[str], topic: str, errors: Sequence[KafkaError]) -> Any:
        """The brokers and the one topic. Raises NotFound, Unavailable."""
        try:
            metadata = admin.list_topics(topic, timeout=self._timeout)
        except KafkaException:
            self._listed(admin, bootstrap, errors)  # names the cause, where the cluster is away
            raise self._unavailable(bootstrap, "does not describe the topic") from None
        results = metadata.topics.get(topic)
        if results is None or results.error is not None or not results.partitions:
            raise NotFound(
                f"The topic {topic!r} is not in the cluster any more; scan the cluster again.", details={"topic": topic}
            )
        return metadata

    def _without_rules(self, admin: AdminClient, bootstrap: Sequence[str]) -> AclsKnown:
        """What an empty list means. The client gives one, too, where the broker refused: there is no authorizer, or the
        user may not list rules."""
        brokers = sorted(admin.list_topics(timeout=self._timeout).brokers)
        futures = admin.describe_configs(
            [ConfigResource(ResourceType.BROKER, str(brokers[0]))], request_timeout=self._timeout
        )
        answer = self._granted(next(iter(futures.values())), bootstrap)
        if answer is None:
            return AclsKnown.NOT_ALLOWED
        authorizer = answer.get("authorizer.class.name")
        return AclsKnown.YES if authorizer is not None and authorizer.value else AclsKnown.NO_AUTHORIZER

    def _read_by(
        self,
        admin: AdminClient,
        names: Sequence[str],
        places: Sequence[TopicPartition],
        ends: Mapping[int, int],
        bootstrap: Sequence[str],
    ) -> tuple[list[TopicGroup], int]:
        """Those of the groups that read the topic, and how many could not be looked at."""
        described = admin.describe_consumer_groups(list(names), request_timeout=self._timeout)
        committed = {
            name: admin.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(name, list(places))], request_timeout=self._timeout
            )[name]
            for name in names
        }
        results: list[TopicGroup] = []
        missed = 0
        for name in names:
            about = self._granted(described[name], bootstrap)
            offsets = self._granted(committed[name], bootstrap)
            if about is None and offsets is None:
                missed += 1
                continue
            group = _group(name, places[0].topic, about, offsets, ends)
            if group is not None:
                results.append(group)
        return results, missed

    def _place(self, future: Future[Any], end: int, bootstrap: Sequence[str], deadline: float) -> int:
        """The offset of a time; the end where no record is stamped then or later."""
        try:
            offset = int(future.result(timeout=max(0.1, deadline - time.monotonic())).offset)
        except KafkaException as error:
            raise self._unavailable(bootstrap, f"does not find times ({error.args[0].name()})") from None
        except TimeoutError:
            raise self._unavailable(bootstrap, "did not answer in time") from None
        return end if offset < 0 else offset


def _group(name: str, topic: str, about: Any, offsets: Any, ends: Mapping[int, int]) -> TopicGroup | None:
    """The group as far as it concerns the topic; None where it does not read it."""
    members: list[Member] = []
    readers: dict[int, str] = {}
    for member in about.members if about is not None else ():
        assigned = member.assignment.topic_partitions if member.assignment else ()
        mine = sorted(place.partition for place in assigned if place.topic == topic)
        if mine:
            members.append(Member(member.client_id, member.host.lstrip("/"), tuple(mine)))
            readers |= dict.fromkeys(mine, member.client_id)
    committed = {
        place.partition: place.offset
        for place in (offsets.topic_partitions if offsets is not None else ())
        if place.offset >= 0
    }
    if not committed and not readers:
        return None
    partitions = tuple(
        ReadPartition(number, committed.get(number), ends.get(number), readers.get(number))
        for number in sorted({*committed, *readers})
    )
    state = about.state.name if about is not None else "UNKNOWN"
    return TopicGroup(name, state, tuple(sorted(members, key=lambda m: (m.client, m.partitions))), partitions)
