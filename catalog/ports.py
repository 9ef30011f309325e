"""What the catalog needs from the outside: a record store, a search index, brokers.

The store is split by subject, so that a caller can ask for the part it needs; `CatalogStore` is all of it. Writes
inside `transaction()` happen together or not at all. Every method raises Unavailable when the store does not answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from catalog.check_positions import CheckPositionStore
from catalog.contract_store import ContractStore
from catalog.document_origins import OriginStore
from catalog.event_model import Event
from catalog.event_store import EventStore
from catalog.incident_store import IncidentStore
from catalog.lags import LagStore
from catalog.model import DatasetId, SchemaVersion
from catalog.quality_store import QualityStore
from catalog.question_store import QuestionStore
from catalog.records import (
    ClassificationEvent,
    ClassificationRecord,
    ClusterRecord,
    DatasetFilter,
    DatasetOutline,
    DatasetRecord,
    DeclaredDocument,
    FieldNote,
    FieldTag,
    Page,
    StoredSchema,
)
from catalog.report_store import ReportStore
from catalog.saved_queries import SavedQueryStore
from catalog.scan_store import ScanStore
from catalog.search_model import Entry, IndexPage, SearchQuery, Unseen
from catalog.signals import SignalStore
from catalog.topics import ClusterDescription, TopicFacts

Clock = Callable[[], datetime]
"""Gives the present as an aware datetime."""


class ClusterStore(Protocol):
    def put_cluster(self, cluster: ClusterRecord) -> None:
        """Insert or replace by name."""

    def cluster(self, name: str) -> ClusterRecord | None: ...

    def clusters(self) -> list[ClusterRecord]:
        """All, by name."""

    def delete_cluster(self, name: str) -> None:
        """Forget it and the aliases of its namespace; its datasets stay, without a cluster."""

    def put_aliases(self, namespace: str, aliases: Collection[str]) -> None:
        """Every alias now leads to the namespace, wherever it led before."""

    def aliases(self) -> dict[str, str]:
        """alias namespace -> canonical namespace."""

    def rename_namespace(self, old: str, new: str) -> list[DatasetId]:
        """Move datasets; one whose name is taken there stays behind. Gives the new ids of those that moved."""


class DatasetStore(Protocol):
    def put_dataset(self, dataset: DatasetRecord, quiet: bool = False) -> DatasetRecord:
        """Insert or replace by id and give it back, its revision raised by one; `indexed_revision` is left alone.

        quiet: nothing changed that search shows, so the revision of a known dataset stays.
        """

    def dataset(self, dataset: DatasetId) -> DatasetRecord | None: ...

    def datasets(self, where: DatasetFilter, limit: int | None = None, offset: int = 0) -> Page: ...

    def named(self, name: str) -> list[DatasetRecord]:
        """Every dataset of this name that was not deleted, in any namespace."""

    def names(self) -> list[tuple[str, str]]:
        """(cluster or namespace, name) of every dataset that was not deleted."""

    def outlines(self) -> list[DatasetOutline]:
        """Of every dataset, deleted ones too, by id. Much quicker than `datasets`."""

    def unindexed(self, limit: int) -> list[DatasetRecord]:
        """Datasets whose search documents are older than their record."""

    def claim_index(self, dataset: DatasetId, documents: int) -> int:
        """Announce that so many field documents will be written; gives how many there may be by now, the larger of both."""

    def mark_indexed(self, dataset: DatasetId, revision: int, documents: int) -> None:
        """The index holds this revision, with so many field documents. An older revision changes nothing."""

    def add_usage(self, dataset: DatasetId, reads: int) -> None:
        """Count reads; does not raise the revision."""

    def delete_dataset(self, dataset: DatasetId) -> None:
        """Forget it with all that hangs on it; nothing where there is none."""

    def clear_schemas(self, dataset: DatasetId) -> None:
        """Forget all versions of its schema."""

    def add_schema(self, dataset: DatasetId, schema: StoredSchema) -> None:
        """A new version (its number is in `schema.baseline.version`)."""

    def set_current_schema(self, dataset: DatasetId, version: int, current: SchemaVersion) -> None: ...

    def schema(self, dataset: DatasetId, version: int | None = None) -> StoredSchema | None:
        """One version, or the newest."""

    def current_schema(self, dataset: DatasetId) -> SchemaVersion | None:
        """The newest version as its last scan saw it; quicker than `schema`."""

    def schemas(self, dataset: DatasetId) -> list[StoredSchema]:
        """All versions, oldest first."""

    def notes(self, dataset: DatasetId) -> list[FieldNote]: ...

    def put_notes(self, dataset: DatasetId, notes: Iterable[FieldNote]) -> None:
        """Replace all notes of the dataset."""

    def schema_versions(self) -> Mapping[DatasetId, int]:
        """The newest version of each dataset that has a schema; most of those known from lineage have none."""

    def noted(self) -> set[DatasetId]:
        """Datasets that have notes on fields."""

    def term_carriers(self, terms: Collection[str]) -> list[DatasetId]:
        """Datasets not deleted that carry one of these glossary terms, themselves or on a field; by id."""


class ClassificationStore(Protocol):
    def classifications(self, dataset: DatasetId) -> list[ClassificationRecord]:
        """By path and entity."""

    def all_classifications(
        self, entities: Collection[str] | None = None
    ) -> list[tuple[DatasetId, ClassificationRecord]]:
        """Of every dataset that was not deleted; only of these entities, when given."""

    def field_tags(self, entities: Collection[str] | None = None) -> list[FieldTag]:
        """The same without evidence and review, in any order, in a fraction of the time."""

    def put_classifications(
        self,
        dataset: DatasetId,
        records: Iterable[ClassificationRecord],
        ended: Iterable[tuple[str, str]],
        at: datetime,
    ) -> None:
        """Insert or replace by (path, entity), delete the ended ones, and append both to the history."""

    def classification_history(
        self, dataset: DatasetId | None, until: datetime
    ) -> list[tuple[DatasetId, ClassificationEvent]]:
        """Every step up to and with a moment, oldest first; of all datasets when none is given."""


class DocumentStore(Protocol):
    def put_document(self, document: DeclaredDocument) -> None: ...

    def document(self, kind: str, key: str) -> DeclaredDocument | None: ...

    def documents(self, kind: str | None = None) -> list[DeclaredDocument]:
        """By kind and key."""

    def delete_document(self, kind: str, key: str) -> None: ...


class EventSink(Protocol):
    """Where any room reports what happened; see `catalog.events.events.Events.emit`."""

    def emit(self, type: str, subject: str, data: Mapping[str, Any] | None = None) -> Event: ...


class ScanChecks(Protocol):
    """Looks at what a scan learned, in the transaction that records it. Must not raise for what it finds."""

    def scanned(self, record: DatasetRecord, scanned: SchemaVersion, before: SchemaVersion | None) -> None:
        """`before`: the profile before a new version of the schema began; None where none did."""


class Receiver(Protocol):
    """Takes events, and sends them to someone.

    since     a receiver not known before gets what happened from then on; None = everything kept
    at_once   so many events are given to it in one call
    lasting   it gets everything however long it was away; others miss what they refused for too long
    """

    name: str
    since: datetime | None
    at_once: int
    lasting: bool

    def wants(self, event: Event) -> bool: ...

    def tell(self, events: Sequence[Event]) -> None:
        """Raises DeliveryFailed when it did not take them all."""


class FieldFlows(Protocol):
    """The sliver of lineage that tags follow; see `catalog.datasets.tag_propagation`."""

    def downstream_of_each(
        self, fields: Collection[tuple[DatasetId, str]], as_of: datetime | None
    ) -> Mapping[tuple[DatasetId, str], Iterable[Mapping[str, Any]]]:
        """Where each field goes, any number of hops: {id: nodeId, raw: False where it is only reached masked}. Fields that go
        nowhere are left out."""
        ...


class CatalogStore(
    ClusterStore,
    DatasetStore,
    ClassificationStore,
    DocumentStore,
    ScanStore,
    EventStore,
    ReportStore,
    SignalStore,
    LagStore,
    SavedQueryStore,
    ContractStore,
    QualityStore,
    IncidentStore,
    CheckPositionStore,
    QuestionStore,
    OriginStore,
    Protocol,
):
    def transaction(self) -> AbstractContextManager[None]:
        """Everything inside happens together or not at all; a transaction inside another joins it."""

    def after_commit(self, action: Callable[[], None]) -> None:
        """Do this when the outermost transaction has been committed, never when it fails; at once outside of one."""

    def changes(self) -> int | None:
        """A number that is another one after any change of clusters, names, datasets, their schemas, tags and notes, and
        declared documents, by any process; not of usage and of what is indexed. Read before something else, it shows
        later whether that is still what the store holds.

        None inside a transaction, whose reads may be of changes that are not kept.
        """

    def ping(self) -> None: ...


class IndexRebuild(Protocol):
    """A fresh index beside the one in use."""

    def add(self, entries: Sequence[Entry]) -> None: ...

    def swap(self) -> None:
        """Search reads the fresh one from now on; the old one is removed."""

    def abandon(self) -> None:
        """Remove the fresh one."""


class Meaning(Protocol):
    def vectors(self, texts: Sequence[str]) -> Any:
        """For each text a row of numbers of length 1: numpy float32 of shape (len(texts), n). Texts of like meaning have
        rows whose product is near 1."""


class SearchIndex(Protocol):
    """Every method raises Unavailable when the server does not answer."""

    def ensure(self) -> bool:
        """Make the index where there is none; True when it was made just now, and so holds nothing."""

    def write(self, entries: Sequence[Entry], gone: Sequence[tuple[str, int]]) -> None:
        """Write entries and remove the documents (id, version) that are gone. A newer version already there wins."""

    def forget(self, key: str) -> None:
        """Remove a dataset's document and those of its fields, whatever there is of them (see `dataset_key`)."""

    def search(self, query: SearchQuery) -> IndexPage: ...

    def ask(self, queries: Sequence[SearchQuery]) -> list[IndexPage]:
        """The answers to several queries, in one request."""

    def rebuild(self) -> IndexRebuild: ...

    def stamp(self) -> str:
        """Another text whenever something was written or removed since."""

    def labels(self, most: int, unseen: Unseen | None = None) -> list[tuple[str, int]]:
        """The distinct labels of the documents and how many carry each, the most frequent first, at most so many. Only of
        documents that a reader may find, where `unseen` is given."""

    def refresh(self) -> None:
        """Let search see what was written; for tests and for a user who waits."""

    def ping(self) -> None: ...


class Brokers(Protocol):
    """A Kafka cluster as its brokers describe it. Raises Unavailable naming the address within a few seconds."""

    def describe(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> ClusterDescription: ...

    def topics(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], offsets: bool = True
    ) -> list[TopicFacts]: ...
