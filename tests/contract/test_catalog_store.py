"""What any record store promises; tested with the memory twin, SQLite and PostgreSQL alike."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from catalog.adapters.sql.database import Database
from catalog.adapters.sql.tables import DatasetRow
from catalog.document_origins import Checkout, DocumentOrigin
from catalog.model import DatasetId, FieldProfile, Owner, ReviewState, ScanWindow, SchemaVersion, Shape
from catalog.ports import CatalogStore
from catalog.records import (
    ClassificationRecord,
    ClusterRecord,
    DatasetFilter,
    DatasetRecord,
    DeclaredDocument,
    FieldNote,
    FieldTag,
    Source,
    StoredSchema,
)
from catalog.scan_store import ScanPosition, ScanRecord, ScanState
from tests.catalog_stores import STORES, catalog_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
NAMESPACE = "kafka://localhost:9092"
ORDERS = DatasetId(NAMESPACE, "orders")
ODD = "value.`a\x00b\ud800`"


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        yield kept


def put(store: CatalogStore, name: str = "orders", **more: object) -> DatasetRecord:
    return store.put_dataset(DatasetRecord(DatasetId(NAMESPACE, name), cluster="prod", created_at=NOW, **more))  # type: ignore[arg-type]


def schema(version: int, *paths: str) -> SchemaVersion:
    fields = tuple(FieldProfile(p, {"string": 1.0}, 10, 1.0, lengths=(1, 9), details={"formats": ["x"]}) for p in paths)
    window = ScanWindow(({"partition": 0, "ranges": [[0, 10]]},), 10, strategy="full", complete=True)
    shapes = (Shape(1.0, paths, {"value.type": "a"}),)
    return SchemaVersion({"value": "json"}, fields, shapes, window, version, "2026-03-01T12:00:00Z", ({"m": 1},))


def tag(path: str, entity: str = "EMAIL_ADDRESS", **more: object) -> ClassificationRecord:
    return ClassificationRecord(path, entity, 0.9, ReviewState.SUGGESTED, {"matched": 9, "sampled": 10}, **more)  # type: ignore[arg-type]


def test_clusters_come_back(store: CatalogStore) -> None:
    cluster = ClusterRecord("prod", NAMESPACE, ("localhost:9092",), "id-1", "http://r", {"a": {"b": 1}}, NOW, NOW)
    store.put_cluster(cluster)
    store.put_cluster(replace(cluster, cluster_id="id-2"))
    assert store.cluster("prod") == replace(cluster, cluster_id="id-2")
    assert [c.name for c in store.clusters()] == ["prod"]
    assert store.cluster("other") is None


def test_deleting_a_cluster_forgets_its_aliases_and_keeps_its_datasets(store: CatalogStore) -> None:
    store.put_cluster(ClusterRecord("prod", NAMESPACE, ("localhost:9092",)))
    store.put_aliases(NAMESPACE, ["kafka://127.0.0.1:9092"])
    put(store)
    store.delete_cluster("prod")
    store.delete_cluster("prod")
    assert store.clusters() == [] and store.aliases() == {}
    kept = store.dataset(ORDERS)
    assert kept is not None and kept.cluster is None


def test_an_alias_leads_to_where_it_was_put_last(store: CatalogStore) -> None:
    store.put_aliases("kafka://a:1", ["kafka://b:1", "kafka://c:1"])
    store.put_aliases("kafka://d:1", ["kafka://b:1"])
    assert store.aliases() == {"kafka://b:1": "kafka://d:1", "kafka://c:1": "kafka://a:1"}


def test_datasets_come_back_whole(store: CatalogStore) -> None:
    record = DatasetRecord(
        ORDERS,
        "prod",
        "Orders",
        (Owner("user", "otto"), Owner("group", "team")),
        ("domain.sales", "a"),
        ("order",),
        {"key": "string", "value": "json"},
        "a STRING",
        {"partitions": 3},
        {"unscanned": [ODD]},
        created_at=NOW,
        updated_at=NOW,
        last_seen_at=NOW,
        scanned_at=NOW,
    )
    stored = store.put_dataset(record)
    assert stored == replace(record, revision=1)
    assert store.dataset(ORDERS) == stored
    assert store.put_dataset(replace(stored, owners=(), tags=("a",))).revision == 2
    assert store.dataset(ORDERS) == replace(record, owners=(), tags=("a",), revision=2)


def test_datasets_are_listed_in_order_by_page_and_filter(store: CatalogStore) -> None:
    for name in ("b", "B_100%", "a", "é"):
        put(store, name)
    put(store, "owned", owners=(Owner("group", "team"),), tags=("t",), scanned_at=NOW)
    put(store, "gone", deleted_at=NOW)
    store.put_classifications(DatasetId(NAMESPACE, "a"), [tag("value.x")], [], NOW)

    def names(where: DatasetFilter, limit: int | None = None, offset: int = 0) -> list[str]:
        return [d.id.name for d in store.datasets(where, limit, offset).items]

    assert names(DatasetFilter()) == ["B_100%", "a", "b", "owned", "é"]
    assert names(DatasetFilter(), 2, 1) == ["a", "b"] and store.datasets(DatasetFilter(), 2, 1).total == 5
    assert names(DatasetFilter(text="b")) == ["B_100%", "b"]
    assert names(DatasetFilter(text="0%")) == ["B_100%"] and names(DatasetFilter(text="_")) == ["B_100%"]
    assert names(DatasetFilter(owner="team")) == names(DatasetFilter(tag="t")) == ["owned"]
    assert names(DatasetFilter(scanned=True)) == ["owned"]
    assert names(DatasetFilter(entity="EMAIL_ADDRESS")) == ["a"]
    assert names(DatasetFilter(cluster="test")) == names(DatasetFilter(namespace="kafka://x:1")) == []
    assert names(DatasetFilter(deleted=True)) == ["gone"] and len(names(DatasetFilter(deleted=None))) == 6
    assert ("prod", "gone") not in store.names() and ("prod", "a") in store.names()
    assert store.named("gone") == [] and [d.id for d in store.named("a")] == [DatasetId(NAMESPACE, "a")]


def test_what_the_index_lacks_is_known(store: CatalogStore) -> None:
    first = put(store)
    assert [d.id for d in store.unindexed(10)] == [ORDERS]
    assert store.claim_index(ORDERS, 50) == 50
    assert store.claim_index(ORDERS, 20) == 50
    store.mark_indexed(ORDERS, first.revision, 20)
    assert store.unindexed(10) == [] and store.claim_index(ORDERS, 1) == 20
    newer = store.put_dataset(first)
    store.mark_indexed(ORDERS, newer.revision, 5)
    store.mark_indexed(ORDERS, first.revision, 99)
    assert store.unindexed(10) == []
    assert store.claim_index(ORDERS, 1) == 5


def test_a_quiet_change_keeps_the_revision(store: CatalogStore) -> None:
    first = store.put_dataset(DatasetRecord(ORDERS), quiet=True)
    quiet = store.put_dataset(replace(first, topic={"partitions": 9}), quiet=True)
    assert (first.revision, quiet.revision, quiet.topic) == (1, 1, {"partitions": 9})


def test_usage_counts_without_a_new_revision(store: CatalogStore) -> None:
    before = put(store)
    store.add_usage(ORDERS, 3)
    store.add_usage(ORDERS, 4)
    after = store.dataset(ORDERS)
    assert after is not None and (after.usage, after.revision) == (7, before.revision)
    assert store.put_dataset(replace(before, usage=0)).usage == 7


def test_schema_versions_come_back(store: CatalogStore) -> None:
    put(store)
    one, two = schema(1, "value.a", ODD), schema(2, "value.b")
    store.add_schema(ORDERS, StoredSchema(one, one))
    store.add_schema(ORDERS, StoredSchema(two, two, ({"change": "added"},)))
    assert store.schema(ORDERS) == StoredSchema(two, two, ({"change": "added"},))
    store.set_current_schema(ORDERS, 2, replace(two, created_at="later"))
    newest = store.schema(ORDERS)
    assert newest is not None and store.current_schema(ORDERS) == newest.current
    assert store.current_schema(DatasetId("x", "y")) is None
    assert newest is not None and newest.baseline == two and newest.current.created_at == "later"
    assert store.schema(ORDERS, 1) == StoredSchema(one, one)
    assert store.schema(ORDERS, 3) is None and store.schema(DatasetId("x", "y")) is None
    assert [s.baseline.version for s in store.schemas(ORDERS)] == [1, 2]


def test_datasets_with_a_schema_or_notes_are_listed_at_once(store: CatalogStore) -> None:
    for name in ("noted", "bare"):
        store.put_dataset(DatasetRecord(DatasetId("prod", name), "prod", created_at=NOW))
    store.put_notes(DatasetId("prod", "noted"), [FieldNote("key")])
    store.put_dataset(DatasetRecord(ORDERS, "prod", created_at=NOW))
    version = SchemaVersion({"value": "json"}, ())
    store.add_schema(ORDERS, StoredSchema(version, version))
    assert (store.schema_versions(), store.noted()) == ({ORDERS: 0}, {DatasetId("prod", "noted")})


def test_carriers_of_terms_carry_them_themselves_or_on_a_field(store: CatalogStore) -> None:
    for name, terms, noted in (("a", ("t",), ()), ("b", (), ("u",)), ("c", ("v",), ("w",)), ("gone", ("t",), ())):
        dataset = DatasetId("prod", name)
        deleted = NOW if name == "gone" else None
        store.put_dataset(DatasetRecord(dataset, "prod", terms=terms, created_at=NOW, deleted_at=deleted))
        store.put_notes(dataset, [FieldNote("key", "", noted), FieldNote("value.x")])
    assert [d.name for d in store.term_carriers({"t", "u"})] == ["a", "b"]
    assert [d.name for d in store.term_carriers({"w"})] == ["c"]
    assert store.term_carriers({"none"}) == [] and store.term_carriers(set()) == []


def test_notes_are_replaced_as_a_whole(store: CatalogStore) -> None:
    put(store)
    store.put_notes(ORDERS, [FieldNote("value.b", "x", ("t",)), FieldNote("value.a")])
    store.put_notes(ORDERS, [FieldNote("value.b", "y", ("t", "u")), FieldNote("key", "k")])
    assert store.notes(ORDERS) == [FieldNote("key", "k"), FieldNote("value.b", "y", ("t", "u"))]


def test_classifications_and_their_history(store: CatalogStore) -> None:
    put(store)
    put(store, "gone", deleted_at=NOW)
    later = NOW + timedelta(hours=1)
    first = [tag("value.b"), tag(ODD, "PERSON", rejected_recognizers=("r",), seen_at=NOW, first_at=NOW)]
    store.put_classifications(ORDERS, first, [], NOW)
    store.put_classifications(DatasetId(NAMESPACE, "gone"), [tag("value.b")], [], NOW)
    confirmed = replace(
        first[0], state=ReviewState.CONFIRMED, source=Source.REVIEW, reviewed_by="petra", reviewed_at=NOW
    )
    store.put_classifications(ORDERS, [confirmed], [(ODD, "PERSON"), ("value.none", "PERSON")], later)
    assert store.classifications(ORDERS) == [confirmed]
    assert store.all_classifications() == store.all_classifications({"EMAIL_ADDRESS"}) == [(ORDERS, confirmed)]
    assert store.all_classifications({"PERSON"}) == [] and store.all_classifications(set()) == []
    light = [FieldTag(ORDERS, "value.b", "EMAIL_ADDRESS", confirmed.score, ReviewState.CONFIRMED)]
    assert store.field_tags() == store.field_tags({"EMAIL_ADDRESS"}) == light and light[0].holds
    assert store.field_tags({"PERSON"}) == [] and store.field_tags(set()) == []
    then = store.classification_history(ORDERS, NOW)
    assert [(d, e.path, e.record) for d, e in then] == [(ORDERS, "value.b", first[0]), (ORDERS, ODD, first[1])]
    steps = store.classification_history(ORDERS, later)
    assert [(e.path, e.at, e.record) for _, e in steps[2:]] == [("value.b", later, confirmed), (ODD, later, None)]
    assert len(store.classification_history(None, later)) == 5


def test_documents_come_back(store: CatalogStore) -> None:
    term = DeclaredDocument("GlossaryTerm", "b", {"name": "b"}, {"definition": "x", "n": 1.0, "m": None}, NOW, "otto")
    store.put_document(term)
    store.put_document(replace(term, key="a"))
    store.put_document(replace(term, kind="Cluster"))
    assert store.document("GlossaryTerm", "b") == term
    assert [(d.kind, d.key) for d in store.documents()] == [
        ("Cluster", "b"),
        ("GlossaryTerm", "a"),
        ("GlossaryTerm", "b"),
    ]
    store.delete_document("GlossaryTerm", "b")
    assert store.document("GlossaryTerm", "b") is None and len(store.documents("GlossaryTerm")) == 1


def scan(scan_id: str, minutes: int = 0, state: ScanState = ScanState.QUEUED) -> ScanRecord:
    return ScanRecord(scan_id, state, {"cluster": scan_id, "topics": ["a.*"]}, NOW + timedelta(minutes=minutes))


def test_scans_are_claimed_once_oldest_first(store: CatalogStore) -> None:
    store.put_scan(scan("b", 1))
    store.put_scan(scan("a", 0))
    store.put_scan(scan("c", -1, ScanState.DONE))
    before = NOW - timedelta(minutes=5)
    first = store.claim_scan("w1", NOW, before)
    assert first is not None
    assert (first.id, first.state, first.worker, first.started_at) == ("a", ScanState.RUNNING, "w1", NOW)
    second = store.claim_scan("w2", NOW, before)
    assert second is not None and second.id == "b"
    assert store.claim_scan("w3", NOW, before) is None
    assert [s.id for s in store.scans(10)] == ["b", "a", "c"] and [s.id for s in store.scans(1, 1)] == ["a"]


def test_a_scan_whose_worker_fell_silent_is_claimed_again(store: CatalogStore) -> None:
    store.put_scan(scan("a"))
    store.claim_scan("w1", NOW, NOW - timedelta(minutes=1))
    later = NOW + timedelta(minutes=2)
    again = store.claim_scan("w2", later, later - timedelta(minutes=1))
    assert again is not None and (again.worker, again.started_at, again.heartbeat_at) == ("w2", NOW, later)


def test_scans_of_one_topic_do_not_run_over_each_other(store: CatalogStore) -> None:
    def asked(scan_id: str, minutes: int, cluster: str, *topics: str, by: str | None = None) -> None:
        request = {"cluster": cluster, "topics": list(topics)}
        store.put_scan(replace(scan(scan_id, minutes), request=request, requested_by=by))

    asked("all", 0, "prod", "*", by="schedule:prod")
    asked("one", 1, "prod", "orders")
    asked("other", 2, "test", "orders")
    asked("again", 3, "prod", "*", by="schedule:prod")

    def claim(at: timedelta = timedelta()) -> str | None:
        got = store.claim_scan("w", NOW + at, NOW + at - timedelta(minutes=1))
        return got.id if got else None

    assert [claim(), claim(), claim()] == ["all", "other", None]
    store.update_scan("all", {"state": ScanState.DONE})
    asked("two", 4, "prod", "payments")
    assert [claim(), claim(), claim()] == ["one", "two", None]
    newest = store.last_scan("schedule:prod")
    assert newest is not None and newest.id == "again" and store.last_scan("nobody") is None
    assert claim(timedelta(minutes=5)) == "one", "a silent worker's scan is taken before those that wait for it"


def test_a_scan_is_changed_in_parts(store: CatalogStore) -> None:
    store.put_scan(scan("a"))
    store.update_scan("a", {"cancel_requested": True})
    changed = store.update_scan("a", {"progress": 0.5, "datasets": ({"name": "x"},), "state": ScanState.CANCELLED})
    assert changed == store.scan("a")
    assert changed is not None and changed.cancel_requested and changed.datasets == ({"name": "x"},)
    assert changed.state is ScanState.CANCELLED
    assert store.update_scan("none", {"progress": 1.0}) is None and store.scan("none") is None


def test_many_workers_never_share_a_scan(store: CatalogStore) -> None:
    for n in range(20):
        store.put_scan(scan(f"s{n:02}", n))
    claimed: list[str] = []

    def work(worker: str) -> None:
        while (got := store.claim_scan(worker, NOW, NOW - timedelta(hours=1))) is not None:
            claimed.append(got.id)

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == [f"s{n:02}" for n in range(20)]


def test_positions_are_kept_by_partition(store: CatalogStore) -> None:
    put(store)
    store.put_positions(ORDERS, [ScanPosition(1, 5), ScanPosition(0, 2**40, {"ranges": [[0, 5]]})])
    store.put_positions(ORDERS, [ScanPosition(1, 9)])
    assert store.positions(ORDERS) == [ScanPosition(0, 2**40, {"ranges": [[0, 5]]}), ScanPosition(1, 9)]


def test_a_renamed_namespace_takes_everything_along(store: CatalogStore) -> None:
    put(store)
    put(store, "both")
    new = "kafka://new:1"
    store.put_dataset(DatasetRecord(DatasetId(new, "both")))
    store.add_schema(ORDERS, StoredSchema(schema(1, "value.a"), schema(1, "value.a")))
    store.put_classifications(ORDERS, [tag("value.a")], [], NOW)
    moved = DatasetId(new, "orders")
    assert store.rename_namespace(NAMESPACE, new) == [moved]
    assert store.dataset(ORDERS) is None and store.dataset(DatasetId(NAMESPACE, "both")) is not None
    assert store.schema(moved) is not None and len(store.classifications(moved)) == 1
    assert [d for d, _ in store.classification_history(None, NOW)] == [moved]
    renamed = store.dataset(moved)
    assert renamed is not None and renamed.revision == 2


def test_a_failed_transaction_leaves_nothing(store: CatalogStore) -> None:
    kept = put(store)
    with pytest.raises(ZeroDivisionError), store.transaction():
        put(store, "other")
        store.put_dataset(replace(kept, description="changed"))
        store.put_classifications(ORDERS, [tag("value.a")], [], NOW)
        with store.transaction():
            store.put_notes(ORDERS, [FieldNote("key")])
        raise ZeroDivisionError
    assert store.dataset(ORDERS) == kept
    assert store.datasets(DatasetFilter()).total == 1
    assert store.classifications(ORDERS) == [] and store.notes(ORDERS) == []


def test_writers_wait_for_each_other(store: CatalogStore) -> None:
    put(store)

    def work() -> None:
        for _ in range(10):
            with store.transaction():
                record = store.dataset(ORDERS)
                assert record is not None
                store.put_dataset(replace(record, description=record.description + "x"))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    record = store.dataset(ORDERS)
    assert record is not None and record.description == "x" * 40


def test_what_is_due_after_a_commit_waits_for_the_outermost(store: CatalogStore) -> None:
    done: list[str] = []
    store.after_commit(lambda: done.append("outside"))
    assert done == ["outside"]
    with store.transaction():
        with store.transaction():
            store.after_commit(lambda: done.append(str(put(store).revision)))
        assert done == ["outside"]
    assert done == ["outside", "1"]
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.after_commit(lambda: done.append("never"))
        raise ZeroDivisionError
    with store.transaction():
        pass
    assert done == ["outside", "1"]


CHANGES: dict[str, Callable[[CatalogStore], object]] = {
    "cluster": lambda s: s.put_cluster(ClusterRecord("new", "kafka://new:1", ("new:1",))),
    "cluster changed": lambda s: s.put_cluster(ClusterRecord("prod", NAMESPACE, ("localhost:9093",))),
    "cluster gone": lambda s: s.delete_cluster("prod"),
    "alias": lambda s: s.put_aliases(NAMESPACE, ["kafka://b:1"]),
    "alias moved": lambda s: s.put_aliases(NAMESPACE, ["kafka://a:1"]),
    "namespace": lambda s: s.rename_namespace(NAMESPACE, "kafka://other:1"),
    "dataset": lambda s: put(s, "more"),
    "declared": lambda s: put(s, declared_ddl="a STRING"),
    "owners": lambda s: put(s, owners=(Owner("user", "otto"),)),
    "tags": lambda s: put(s, tags=("a",)),
    "terms": lambda s: put(s, terms=("a",)),
    "quietly": lambda s: s.put_dataset(replace(_orders(s), deleted_at=NOW), quiet=True),
    "dataset gone": lambda s: s.delete_dataset(ORDERS),
    "schema": lambda s: s.add_schema(ORDERS, StoredSchema(schema(2, "value.b"), schema(2, "value.b"))),
    "schema changed": lambda s: s.set_current_schema(ORDERS, 1, schema(1, "value.c")),
    "schemas gone": lambda s: s.clear_schemas(ORDERS),
    "notes": lambda s: s.put_notes(ORDERS, [FieldNote("value.a", "", ("t",))]),
    "tag of a field": lambda s: s.put_classifications(ORDERS, [tag("value.a", "PERSON")], [], NOW),
    "tag changed": lambda s: s.put_classifications(ORDERS, [tag("value.a", reviewed_by="otto")], [], NOW),
    "tag ended": lambda s: s.put_classifications(ORDERS, [], [("value.a", "EMAIL_ADDRESS")], NOW),
    "document": lambda s: s.put_document(DeclaredDocument("GlossaryTerm", "b", {}, {})),
    "document changed": lambda s: s.put_document(DeclaredDocument("GlossaryTerm", "a", {}, {"tags": ["x"]})),
    "document gone": lambda s: s.delete_document("GlossaryTerm", "a"),
}


def _orders(store: CatalogStore) -> DatasetRecord:
    record = store.dataset(ORDERS)
    assert record is not None
    return record


def _filled(store: CatalogStore) -> None:
    store.put_cluster(ClusterRecord("prod", NAMESPACE, ("localhost:9092",)))
    store.put_aliases("kafka://d:1", ["kafka://a:1"])
    put(store)
    store.add_schema(ORDERS, StoredSchema(schema(1, "value.a"), schema(1, "value.a")))
    store.put_classifications(ORDERS, [tag("value.a")], [], NOW)
    store.put_document(DeclaredDocument("GlossaryTerm", "a", {}, {}))


def test_every_change_of_what_is_known_is_counted(store: CatalogStore) -> None:
    for name, change in CHANGES.items():
        for record in store.datasets(DatasetFilter(deleted=None)).items:
            store.delete_dataset(record.id)
        _filled(store)
        before = store.changes()
        assert before is not None and store.changes() == before
        change(store)
        now = store.changes()
        assert now is not None and now > before, name


def test_a_change_is_counted_when_its_transaction_ends(store: CatalogStore) -> None:
    _filled(store)
    before = store.changes()
    with store.transaction():
        store.put_notes(ORDERS, [FieldNote("value.a", "", ("t",))])
        assert store.changes() is None
    after = store.changes()
    assert before is not None and after is not None and after > before
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.delete_dataset(ORDERS)
        raise ZeroDivisionError
    assert store.changes() is not None and store.dataset(ORDERS) is not None


def test_reads_and_what_is_indexed_are_not_counted(store: CatalogStore) -> None:
    _filled(store)
    before = store.changes()
    store.add_usage(ORDERS, 3)
    store.claim_index(ORDERS, 5)
    store.mark_indexed(ORDERS, 1, 5)
    store.schema(ORDERS)
    assert store.changes() == before
    assert _orders(store).usage == 3


def test_every_column_of_a_dataset_is_counted_but_those_that_nothing_depends_on(tmp_path: Path) -> None:
    """A new column must be named in the trigger, by a migration, or what is kept of a dataset grows old unseen."""
    database = Database(f"sqlite:///{tmp_path}/weir.db")
    database.migrate()
    with database.read() as session:
        trigger = session.scalar(
            text("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'datasets_changed'")
        )
    database.close()
    counted = set(str(trigger).partition(" OF ")[2].partition(" ON ")[0].split(", "))
    columns = {column.name for column in DatasetRow.__table__.columns}
    assert columns - counted == {"usage", "revision", "indexed_revision", "indexed_documents"}


def test_outlines_are_what_the_records_have(store: CatalogStore) -> None:
    for name, cluster in (("b", "prod"), ("a", None)):
        store.put_dataset(
            DatasetRecord(
                DatasetId("kafka://h:9092", name),
                cluster,
                owners=(Owner("group", "g"), Owner("user", "u")),
                tags=("t2", "t1"),
                terms=("term",),
            )
        )
    listed = store.outlines()
    assert [each.reference for each in listed] == ["kafka://h:9092/a", "prod/b"]
    for outline in listed:
        record = store.dataset(outline.id)
        assert record is not None and record.outline == outline


def test_origins_of_documents_are_kept_by_kind_and_name(store: CatalogStore) -> None:
    checkout = Checkout("https://git.example.com/g.git", "0a1b2c3d", "roles", dirty=True)
    first = DocumentOrigin("Role", "readers", checkout, "d1", NOW, "ana")
    other = replace(first, kind="Policy")
    store.put_origins([first, replace(first, name="writers"), other])
    assert store.origins("Role")["readers"] == first and store.origins("Policy") == {"readers": other}
    changed = replace(first, changed_at=NOW, changed_by="otto")
    store.put_origins([changed])
    assert store.origins("Role")["readers"] == changed
    store.delete_origins("Role", ["readers", "nothing"])
    assert store.origins("Role").keys() == {"writers"} and store.origins("Policy").keys() == {"readers"}
