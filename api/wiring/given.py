"""Adapters that are made once, when they are first asked for, and how a test puts a twin in their place."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, overload

if TYPE_CHECKING:
    from api.joins.connectors.places import WorkersOf
    from api.joins.observing import GroupsOf
    from catalog.adapters.sql.database import Database
    from catalog.broker_acls import AclReader, AclWriter
    from catalog.ports import Brokers, CatalogStore, Meaning, Receiver, SearchIndex
    from catalog.server_doors import DoorProbe
    from catalog.topic_details import TopicDetails
    from lineage.ports import EventLog, EventSource, LineageGraph
    from policies.access.session_ports import OpenIdClient, SessionStore
    from policies.audit.ports import AuditReceiver, AuditStore, HeadPublisher, SegmentStore, ShippingStore
    from policies.broker_rights.ledger import RightsLedger
    from policies.campaigns.ports import CampaignStore
    from policies.notify.notices import NoticeStore
    from policies.plan.ports import Engine, Offsets
    from policies.ports import AgentRows, PolicyStore, TokenStore
    from scanners.ports import DeadLetters, OffsetLookup, RecordReader, Sampler, SchemaRegistry
    from views.ports import StreamEngine, Topics, ViewStates
    from views.row_ports import ServingTable

T = TypeVar("T")


class Real(Enum):
    """The mark of an adapter that is made from the settings."""

    REAL = "real"


REAL: Final = Real.REAL


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAdapters:
    """Adapters that replace the real ones, by their ports; what is left out is made from the settings."""

    database: Database | Real | None = REAL
    store: CatalogStore | Real = REAL
    policy_store: PolicyStore | Real = REAL
    tokens: TokenStore | Real = REAL
    agent_rows: AgentRows | Real = REAL
    session_store: SessionStore | Real = REAL
    campaign_store: CampaignStore | Real = REAL
    openid: OpenIdClient | Real = REAL
    audit_store: AuditStore | Real = REAL
    notice_store: NoticeStore | Real = REAL
    audit_segments: SegmentStore | Real = REAL
    audit_positions: ShippingStore | Real = REAL
    audit_receiver: AuditReceiver | Real = REAL
    index: SearchIndex | Real = REAL
    meaning: Meaning | Real | None = REAL
    brokers: Brokers | Real = REAL
    topic_details: TopicDetails | Real = REAL
    acl_reader: AclReader | Real = REAL
    acl_writer: AclWriter | Real = REAL
    door_probe: DoorProbe | Real = REAL
    rights_ledger: RightsLedger | Real = REAL
    log: EventLog | Real = REAL
    letters: EventLog | Real = REAL
    source: EventSource | Real = REAL
    lag_source: EventSource | Real = REAL
    graph: LineageGraph | Real = REAL
    groups_of: GroupsOf | Real = REAL
    event_topic: Receiver | Real | None = REAL
    publisher: HeadPublisher | Real | None = REAL
    sampler: Sampler | Real = REAL
    dead_letters: DeadLetters | Real | None = REAL
    offsets: OffsetLookup | Real = REAL
    records: RecordReader | Real = REAL
    registry: SchemaRegistry | Real = REAL
    engine: Engine | Real = REAL
    window: Offsets | Real = REAL
    streams: StreamEngine | Real = REAL
    view_topics: Topics | Real = REAL
    serving: ServingTable | Real = REAL
    view_states: ViewStates | Real = REAL
    connect_workers: WorkersOf | Real = REAL
    mask_secret: bytes | Real = REAL


class MadeAdapters:
    """Holds what was made for one instance. What must be ended is in `closing`, last opened last."""

    def __init__(self, given: GivenAdapters) -> None:
        self.given = given
        self.kept: dict[str, Any] = {}
        self.lock = threading.RLock()
        self.closing: list[Callable[[], None]] = []


class part(Generic[T]):
    """A property of `MadeAdapters`, computed once under its lock. The field of that name in `GivenAdapters` goes before it."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type[MadeAdapters], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[MadeAdapters]) -> part[T]: ...

    @overload
    def __get__(self, instance: MadeAdapters, owner: type[MadeAdapters]) -> T: ...

    def __get__(self, instance: MadeAdapters | None, owner: type[MadeAdapters]) -> T | part[T]:
        if instance is None:
            return self
        with instance.lock:
            given: T | Real = getattr(instance.given, self._name, REAL)
            if not isinstance(given, Real):
                return given
            if self._name not in instance.kept:
                instance.kept[self._name] = self._make(instance)
            adapter: T = instance.kept[self._name]
            return adapter
