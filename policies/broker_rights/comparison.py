"""Reads the live ACLs of a cluster and compares them with those that are due. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from catalog.broker_acls import EVERYONE, AclReader, BrokerAcl, BrokerAcls, Operation, Resource
from catalog.errors import Conflict, InvalidInput, NotFound
from catalog.records import ClusterRecord
from catalog.topic_details import AclsKnown
from policies.broker_rights.authorizer import Authorizer
from policies.broker_rights.changes import Plan
from policies.broker_rights.cluster_knowledge import ClusterKnowledge
from policies.broker_rights.copies import Copies, Decide, NoCopies, by_id
from policies.broker_rights.desired import Desired, Due
from policies.broker_rights.difference import difference, mark_of, other_installations
from policies.broker_rights.granted import Holders
from policies.broker_rights.ledger import OWNED, AclState, ApplyState, RightsLedger
from policies.broker_rights.principals import Principals
from policies.broker_rights.service import completed
from policies.declared.view import View
from policies.effective.moment import Moment, Moments
from policies.model import DatasetFacts

Mode = Literal["observe", "enforce"]
_CLUSTER = "kafka-cluster"
"""Name of the cluster in its ACLs."""


def mode_of(record: ClusterRecord) -> Mode:
    """How the document of a cluster has its ACLs kept."""
    mode: Mode = (record.settings.get("rights") or {}).get("mode", "observe")
    return mode


@dataclass(frozen=True)
class Compared:
    """The live ACLs of a cluster beside those that are due."""

    record: ClusterRecord
    live: BrokerAcls
    due: Mapping[BrokerAcl, Due]
    desired: Desired
    plan: Plan
    others: Sequence[str]
    """Other Weirs that make ACLs there."""
    begun: int
    """How many applies had begun before it was looked."""


class Comparison:
    """The live ACLs are read for every question; the record store has only what is Weir's."""

    def __init__(
        self,
        moments: Moments,
        clusters: Callable[[], Sequence[ClusterRecord]],
        reader: AclReader,
        ledger: RightsLedger,
        references: Callable[[], Iterable[str]],
        installation: Callable[[], str],
        copies: Copies | None = None,
        decide: Decide | None = None,
    ) -> None:
        """`installation`: the id of this Weir among those that share a cluster; `copies`, `decide`: of masked copies."""
        self.copies, self._decide = copies or NoCopies(), decide
        self._moments, self._clusters, self._reader = moments, clusters, reader
        self._ledger, self._references, self._installation = ledger, references, installation

    def record(self, cluster: str | None) -> ClusterRecord:
        """The cluster of a name, or the only one, as the document has it that counts where there are several names of it.

        Raises NotFound, InvalidInput where there are several clusters.
        """
        records = sorted(self._clusters(), key=lambda each: each.name)
        names = ", ".join(each.name for each in records) or "none"
        first = self.records()
        if cluster is None:
            if len(first) != 1:
                raise InvalidInput(f"Name the cluster; known: {names}.", details={"field": "cluster"})
            return first[0]
        for record in records:
            if record.name == cluster:
                return next(each for each in first if each.namespace == record.namespace)
        raise NotFound(f"There is no cluster {cluster!r}; known: {names}.", details={"cluster": cluster})

    def records(self) -> Sequence[ClusterRecord]:
        """Each cluster once: by its document that declares rights, `enforce` before others, else by the first of its names."""
        by_namespace: dict[str, ClusterRecord] = {}
        for each in sorted(
            self._clusters(), key=lambda r: (mode_of(r) != "enforce", "rights" not in r.settings, r.name)
        ):
            by_namespace.setdefault(each.namespace, each)
        return list(by_namespace.values())

    def view(self) -> View:
        """All that is declared now."""
        return self._moments.state.view()

    def names(self, record: ClusterRecord) -> Sequence[str]:
        """All names of a cluster: the catalog may have its datasets under each."""
        others = [each.name for each in self._clusters() if each.namespace == record.namespace]
        return list(dict.fromkeys([record.name, *sorted(others)]))

    def plan(self, cluster: str | None) -> Plan:
        """What an apply would change now. Changes nothing.

        Raises NotFound, InvalidInput, Unavailable, Conflict where ACLs cannot be kept there.
        """
        return self.of(self.record(cluster)).plan

    def of(self, record: ClusterRecord) -> Compared:
        """The live ACLs of a cluster beside those that are due. Raises Unavailable, Conflict."""
        begun = self._ledger.begun(record.namespace)
        live = self.live(record)
        entries = self._ledger.entries(record.namespace)
        states = {acl: entry.state for acl, entry in entries.items()}
        moment = self._moments.of(None)
        desired = self.desired(record, live, moment, states)
        due = desired.acls()
        own = self._installation()
        others = other_installations(live.acls, own)
        back_again = mode_of(record) == "enforce" and not others
        plan = difference(live, due, desired, states, mark_of(own), back_again)
        notes = [*moment.notes_for(True), *dict.fromkeys(desired.notes)]
        if others:
            notes.append(
                f"{len(others)} other Weir ({', '.join(others)}) makes ACLs at these brokers. Each deletes only what is"
                " in its own care."
            )
        plan = replace(plan, name=record.name, cluster=record.namespace, notes=tuple(notes), at=moment.at)
        return Compared(record, live, due, desired, plan, others, begun)

    def live(self, record: ClusterRecord) -> BrokerAcls:
        """The ACLs at the brokers. Raises Unavailable, Conflict where they cannot be kept equal to Weir."""
        live = completed(self._reader.read(record.settings, record.bootstrap), record.settings)
        if live.known is AclsKnown.NO_AUTHORIZER:
            raise Conflict(
                f"The brokers of {record.name} have no authorizer, so ACLs would hold for nobody; set authorizer.class.name first."
            )
        if self._looks_refused(record, live):
            raise Conflict(
                f"The brokers of {record.name} show no ACL, though Weir made some; allow {live.own or 'the user of Weir'} to"
                " DESCRIBE and ALTER the cluster. Where all ACLs were deleted, write it under authorizer: {superUsers: [...]} in"
                " the document of the cluster. Nothing was changed.",
                details={"missing": "DESCRIBE on the cluster"},
            )
        if live.known is AclsKnown.NOT_ALLOWED:
            raise Conflict(
                f"The brokers of {record.name} do not show their ACLs to {live.own or 'the user of Weir'}; allow it to DESCRIBE and"
                " ALTER the cluster. Nothing was changed.",
                details={"missing": "DESCRIBE on the cluster"},
            )
        if live.left_out:
            raise Conflict(
                f"The brokers of {record.name} have {len(live.acls) + live.left_out:,} ACLs, and at most {len(live.acls):,} are"
                " looked at; no plan is made of a part of them."
            )
        return live

    def _looks_refused(self, record: ClusterRecord, live: BrokerAcls) -> bool:
        """Whether there is no ACL where Weir made some: brokers that refuse to show them give none, too."""
        if live.acls or live.everyone_if_no_acl or live.own in (live.super_users or ()):
            return False
        running = {each.id for each in self._ledger.applies(record.namespace, [ApplyState.RUNNING])}
        return any(each.by not in running for each in self._ledger.entries(record.namespace, OWNED).values())

    def desired(
        self,
        record: ClusterRecord,
        live: BrokerAcls | None,
        moment: Moment,
        states: Mapping[BrokerAcl, AclState],
        topics: Iterable[str] | None = None,
    ) -> Desired:
        """What is due at a cluster. `topics`: the only ones that are looked at; `live` None: it is not asked which there are."""
        clusters = self.names(record)
        principals = Principals(moment.view, *clusters, own=live.own if live is not None else None)
        owned = [acl for acl, state in states.items() if state in OWNED]
        names = {*principals.declared, *(acl.principal for acl in owned)}
        names |= {each.consumer for each in moment.view.grants.values() if each.consumer is not None}
        own_copies = by_id(each for each in self.copies.all() if each.cluster in clusters)
        if topics is not None:  # what a copy may hold is decided on its source
            looked = set(topics)
            topics = looked | {each.source.partition("/")[2] for each in own_copies.values() if each.topic in looked}
        names |= {acl.principal for acl in live.acls} if live is not None else set()
        facts = self._facts(record, clusters, topics)
        known = ClusterKnowledge(
            name=record.name,
            facts=facts,
            topics=_there(live, {*facts, *(acl.name for acl in owned)}) if live is not None and live.topics else None,
            principals={name: principals.of(name) for name in names - {EVERYONE}},
            holders=Holders(moment),
            unscanned_is_sensitive=self._moments.settings.unscanned_is_sensitive,
            copies=(record.settings.get("rights") or {}).get("maskedCopies") or {},
            super_users=live.super_users or frozenset() if live is not None else frozenset(),
            own_copies=own_copies,
            decide=self._decide,
        )
        return Desired(known, [acl for acl in owned if states[acl] is AclState.ADOPTED])

    def _facts(
        self, record: ClusterRecord, clusters: Collection[str], topics: Iterable[str] | None
    ) -> dict[str, DatasetFacts]:
        names = set(clusters)
        named = (f"{name}/{topic}" for topic in topics or () for name in clusters)
        facts: dict[str, DatasetFacts] = {}
        for reference in self._references() if topics is None else named:
            if reference.partition("/")[0] not in names:
                continue
            try:
                each = self._moments.source.facts(reference)
            except NotFound:
                continue
            # A stream view is read by Weir alone, whatever its name begins with.
            if each.id.namespace == record.namespace and not each.sources:
                facts[each.id.name] = each
        return facts


def _there(live: BrokerAcls, topics: Iterable[str]) -> frozenset[str]:
    """The topics that the brokers have. Of one that they do not list, and that Weir's user may not describe, nothing is known."""
    missing = set(topics) - live.topics
    if not missing or live.own is None:
        return live.topics
    authorizer = Authorizer(live)
    if not authorizer.on(Resource.CLUSTER, _CLUSTER).possible(live.own, Operation.DESCRIBE).somewhere:
        return live.topics  # it reads ACLs all the same: a super user, to whom every topic is listed
    hidden = (
        topic
        for topic in missing
        if not authorizer.on(Resource.TOPIC, topic).possible(live.own, Operation.DESCRIBE).somewhere
    )
    return live.topics.union(hidden)
