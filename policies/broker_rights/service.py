"""Asks the brokers, the catalog, lineage and the audit, and joins what they answer. The service behind `/rights`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from catalog.broker_acls import AclReader, BrokerAcl, BrokerAcls
from catalog.errors import InvalidInput, NotAllowed, NotFound, WeirError
from catalog.model import DatasetId
from catalog.near_names import did_you_mean
from catalog.records import ClusterRecord, rfc3339
from catalog.topic_details import AclsKnown
from policies.audit.log import AuditLog
from policies.audit.names import DATASET, READING
from policies.broker_rights.cluster_findings import of_cluster, of_drift
from policies.broker_rights.findings import Finding, ordered
from policies.broker_rights.granted import GrantedOn, Holders
from policies.broker_rights.ledger import AclState, RightsLedger
from policies.broker_rights.principals import BrokerPrincipal, Principals
from policies.broker_rights.requested import GrantedOnCopy, RequestedRead
from policies.broker_rights.rows import ClusterRights, RightsRow, TopicRights, matching, most_first
from policies.broker_rights.topic_findings import of_topic
from policies.broker_rights.used import Reader, ReadingGroup, Usage
from policies.effective.dataset_access import DatasetAccess
from policies.effective.moment import Moment, Moments
from policies.effective.person_access import Listed
from policies.matching import dataset_matches
from policies.model import DatasetFacts, Subject
from policies.sql.names import nearest

GroupsOf = Callable[[str], tuple[Sequence[ReadingGroup], int]]
"""Cluster -> its consumer groups, and how many were not looked at. Raises WeirError."""
ReadersOf = Callable[[Subject, Sequence[DatasetId]], Mapping[DatasetId, Sequence[Reader]]]
"""Who asks, datasets -> jobs and groups that lineage knows to read each. Raises WeirError."""
Beside = Callable[[ClusterRecord, Sequence[DatasetFacts], bool], tuple[Sequence[Finding], Sequence[str]]]
"""Cluster, its topics, whether all of it may be seen -> findings about ways around its brokers, and what is not known of them."""
DAYS = 90


@dataclass(frozen=True, slots=True)
class Topic:
    """The rights on one topic, with what the catalog knows of it."""

    cluster: ClusterRights
    facts: DatasetFacts
    rights: TopicRights


@dataclass(frozen=True, slots=True)
class RightsReport:
    """All that the caller may see.

    whole   the caller may see all of every cluster; else only topics that they own, and nothing of clusters as a whole
    outside  cluster -> how many topics of the brokers the catalog does not hold
    notes   what is not known, in sentences
    """

    clusters: Sequence[ClusterRights]
    topics: Sequence[Topic]
    whole: bool
    at: datetime
    days: int
    outside: Mapping[str, int]
    notes: Sequence[str]
    beside: Sequence[Finding] = ()
    """Findings about ways around the brokers."""
    drift: Mapping[str, Sequence[tuple[BrokerAcl, datetime]]] = field(default_factory=dict)
    """Cluster -> ACLs that were made by hand since Weir keeps those of the cluster, and when they were seen first."""

    def rows(self, principal: str | None = None, person: str | None = None) -> Sequence[RightsRow]:
        """The rows of a principal or a person, by dataset and principal; of all where neither is given."""
        return most_first(matching((topic.rights for topic in self.topics), principal, person))

    def findings(self) -> list[Finding]:
        """Everything that is wrong, the worst first."""
        collected: list[Finding] = []
        if self.whole:
            for cluster in self.clusters:
                collected += of_cluster(cluster, [t.rights for t in self.topics if t.cluster is cluster])
                collected += of_drift(cluster, self.drift.get(cluster.name, ()))
        for topic in self.topics:
            collected += of_topic(topic.cluster, topic.rights, topic.facts.owners)
        return ordered([*collected, *self.beside])

    def principals(self) -> list[tuple[str, BrokerPrincipal]]:
        """(cluster, principal) of every principal that is named anywhere, by both; none where the caller may not see all."""
        if not self.whole:
            return []
        return [(cluster.name, each) for cluster in self.clusters for each in cluster.named()]


class BrokerRights:
    """The rights at the brokers beside those of Weir. Brokers are asked each time; nothing of their answer is kept."""

    def __init__(
        self,
        moments: Moments,
        datasets: DatasetAccess,
        clusters: Callable[[], Sequence[ClusterRecord]],
        reader: AclReader,
        groups_of: GroupsOf,
        readers_of: ReadersOf,
        audit: AuditLog,
        references: Callable[[], Iterable[str]],
        shown: Listed,
        ledger: RightsLedger | None = None,
        requested: Callable[[ClusterRecord], Sequence[RequestedRead]] = lambda record: (),
        beside: Beside = lambda _cluster, _topics, _whole: ((), ()),
    ) -> None:
        """`references`: every dataset that can be queried; `shown`: of these, those whose schema a caller may know."""
        self._beside = beside
        self._moments, self._datasets, self._clusters, self._reader = moments, datasets, clusters, reader
        self._groups_of, self._readers_of, self._audit = groups_of, readers_of, audit
        self._references, self._shown, self._ledger, self._requested = references, shown, ledger, requested

    def report(
        self,
        caller: Subject,
        cluster: str | None = None,
        dataset: str | None = None,
        days: int = DAYS,
        beside: bool = False,
    ) -> RightsReport:
        """What the caller may see of the rights on datasets of a pattern, in one cluster or in all.

        `beside`: connectors and servers of the clusters are asked, too, for findings about ways around the brokers.

        Holders of report:read, audit:read or manage see all; others the topics that they own. Raises NotFound for a cluster
        that is not declared, InvalidInput, NotAllowed for who owns nothing of it.
        """
        if days < 1:
            raise InvalidInput(f"days is {days}; give 1 or more.", details={"field": "days"})
        moment = self._moments.of(None)
        whole = self._datasets.sees_all(caller)
        records = self._records(cluster)
        by_cluster = self._facts(caller, records, dataset, whole)
        if not whole and not any(by_cluster.values()):
            raise NotAllowed(
                f"{caller.user} may not see rights at the brokers; owners see those on their datasets, and holders of the"
                " permission report:read, audit:read or manage see all.",
                details={"permission": "report:read", "reasons": ["neither owner, nor one of the permissions"]},
            )
        notes = list(moment.notes_for(whole))
        if dataset is not None and not any(by_cluster.values()):
            near = nearest(dataset, self._shown(caller, self._references()))
            notes.insert(0, f"No dataset that you may know of fits {dataset[:200]!r}{did_you_mean(near, '.', '; ')}")
        reads = self._reads(moment.at - timedelta(days=days), days, notes)
        holders = Holders(moment)
        unscanned = self._moments.settings.unscanned_is_sensitive
        collected: list[ClusterRights] = []
        topics: list[Topic] = []
        ways: list[Finding] = []
        outside: dict[str, int] = {}
        for record in records:
            mine = by_cluster[record.name]
            if not mine and (not whole or dataset is not None or _is_another_name(record, records, by_cluster)):
                continue
            rights = self._cluster(caller, moment, record, mine, reads, days, notes)
            collected.append(rights)
            if beside:
                findings, unknown = self._beside(record, mine, whole and dataset is None)
                ways += findings
                notes += unknown
            known = {facts.id.name for facts in mine}
            if dataset is None and whole:
                outside[record.name] = sum(
                    not name.startswith("_") and name not in known for name in rights.acls.topics
                )
            requested = self._requested(record)
            topics += (
                Topic(
                    rights,
                    facts,
                    rights.on(facts, GrantedOnCopy(GrantedOn(holders, facts, unscanned), facts.id.name, requested)),
                )
                for facts in sorted(mine, key=lambda each: each.reference)
            )
        drift = {record.name: self._drift(record) for record in records} if whole else {}
        unique = list(dict.fromkeys(notes))
        return RightsReport(collected, topics, whole, moment.at, days, outside, unique, ways, drift)

    def _drift(self, record: ClusterRecord) -> list[tuple[BrokerAcl, datetime]]:
        entries = self._ledger.entries(record.namespace, [AclState.DRIFT]) if self._ledger is not None else {}
        return [(acl, entry.at) for acl, entry in sorted(entries.items())]

    def _records(self, cluster: str | None) -> list[ClusterRecord]:
        every = sorted(self._clusters(), key=lambda each: each.name)
        records = [each for each in every if cluster is None or each.name == cluster]
        if cluster is not None and not records:
            names = ", ".join(each.name for each in every) or "none"
            raise NotFound(f"There is no cluster {cluster!r}; known: {names}.", details={"cluster": cluster})
        return records

    def _facts(
        self, caller: Subject, records: Iterable[ClusterRecord], pattern: str | None, whole: bool
    ) -> dict[str, list[DatasetFacts]]:
        """Cluster -> facts of its topics that the caller may see the rights on."""
        by: dict[str, list[DatasetFacts]] = {record.name: [] for record in records}
        namespaces = {record.name: record.namespace for record in records}
        for reference in sorted(self._shown(caller, self._references())):
            cluster = reference.partition("/")[0]
            if cluster not in by or (pattern is not None and not dataset_matches(pattern, reference)):
                continue
            try:
                facts = self._moments.source.facts(reference)
            except NotFound:
                continue
            # A stream view is read by Weir alone, whatever its name begins with.
            if facts.id.namespace != namespaces[cluster]:
                continue
            if whole or self._datasets.sees(caller, facts):
                by[cluster].append(facts)
        return by

    def _cluster(
        self,
        caller: Subject,
        moment: Moment,
        record: ClusterRecord,
        facts: Sequence[DatasetFacts],
        reads: Mapping[tuple[str, str], datetime],
        days: int,
        notes: list[str],
    ) -> ClusterRights:
        problem = None
        try:
            acls = completed(self._reader.read(record.settings, record.bootstrap), record.settings)
        except WeirError as error:
            problem = f"Rights at the brokers of {record.name} are not known: {error.message}"
            notes.append(problem)
            acls = BrokerAcls(AclsKnown.NOT_ALLOWED, super_users=None, everyone_if_no_acl=None)
        if acls.left_out:
            notes.append(
                f"The brokers of {record.name} have {acls.left_out:,} ACLs more than the {len(acls.acls):,} that are looked at, so"
                " more may be possible there."
            )
        notes += _hidden_settings(record.name, acls)
        usage = Usage(
            groups=self._groups(record.name, notes) if problem is None else None,
            readers=self._readers(caller, facts, notes),
            reads=reads,
            now=moment.at,
            days=days,
        )
        return ClusterRights(record.name, acls, Principals(moment.view, record.name, own=acls.own), usage, problem)

    def _groups(self, cluster: str, notes: list[str]) -> Sequence[ReadingGroup] | None:
        try:
            groups, unread = self._groups_of(cluster)
        except WeirError as error:
            notes.append(f"Consumer groups of {cluster} are not known: {error.message}")
            return None
        if unread:
            notes.append(
                f"{unread:,} consumer groups of {cluster} could not be looked at, so use by them is not known."
            )
        return groups

    def _readers(self, caller: Subject, facts: Sequence[DatasetFacts], notes: list[str]) -> dict[str, Sequence[Reader]]:
        try:
            by_id = self._readers_of(caller, [each.id for each in facts])
        except WeirError as error:
            notes.append(f"What lineage knows of use is not known: {error.message}")
            return {}
        return {each.reference: by_id.get(each.id, ()) for each in facts}

    def _reads(self, since: datetime, days: int, notes: list[str]) -> dict[tuple[str, str], datetime]:
        """(person, dataset) -> when they last read it through Weir."""
        first = self._audit.first()
        if first is None or first > since:
            begin = f"begins at {rfc3339(first)}" if first is not None else "is empty"
            notes.append(f"The audit {begin}: reading through Weir in the last {days} days is known from then on.")
        return {(use.actor, use.name): use.at for use in self._audit.uses(DATASET, READING, since)}


def _is_another_name(
    record: ClusterRecord, records: Iterable[ClusterRecord], by_cluster: Mapping[str, Sequence[DatasetFacts]]
) -> bool:
    """Whether the topics of a cluster are known by another name of it."""
    return any(each.namespace == record.namespace and by_cluster[each.name] for each in records if each is not record)


def completed(acls: BrokerAcls, settings: Mapping[str, Any]) -> BrokerAcls:
    """The ACLs with the settings of the authorizer that the cluster's document has, where the brokers do not show it."""
    if acls.known is AclsKnown.NO_AUTHORIZER:
        return replace(acls, everyone_if_no_acl=True)
    if acls.known is AclsKnown.NOT_ALLOWED:
        return replace(acls, super_users=None, everyone_if_no_acl=None)
    declared = settings.get("authorizer") or {}
    users = frozenset(declared.get("superUsers") or ())
    known = acls.super_users
    if "superUsers" in declared:
        known = users | (known or frozenset())
    everyone = acls.everyone_if_no_acl
    if everyone is None:
        everyone = declared.get("allowEveryoneIfNoAclFound")
    return replace(acls, super_users=known, everyone_if_no_acl=everyone)


def _hidden_settings(cluster: str, acls: BrokerAcls) -> Iterable[str]:
    if acls.known is not AclsKnown.YES:
        return
    if acls.super_users is None:
        yield (
            f"The brokers of {cluster} do not show super.users, so super users are not known; list them in the document of the"
            " cluster (authorizer: {superUsers: [...]})."
        )
    if acls.everyone_if_no_acl is None:
        yield (
            f"The brokers of {cluster} do not show allow.everyone.if.no.acl.found, so who may use topics without an ACL is not"
            " known; write it in the document of the cluster (authorizer: {allowEveryoneIfNoAclFound: ...})."
        )
