"""What any record store promises of transactions, and of counting what changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from catalog.adapters.sql.database import Database
from catalog.adapters.sql.tables import DatasetRow
from catalog.model import Owner
from catalog.ports import CatalogStore
from catalog.records import ClusterRecord, DatasetFilter, DatasetRecord, DeclaredDocument, FieldNote, StoredSchema
from tests.catalog_records import NOW, put, schema, tag
from tests.catalog_samples import NAMESPACE, ORDERS
from tests.catalog_stores import STORES, catalog_store


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        yield kept


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
    "quietly": lambda s: s.put_dataset(replace(stored_orders(s), deleted_at=NOW), quiet=True),
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


def stored_orders(store: CatalogStore) -> DatasetRecord:
    record = store.dataset(ORDERS)
    assert record is not None
    return record


def fill_store(store: CatalogStore) -> None:
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
        fill_store(store)
        before = store.changes()
        assert before is not None and store.changes() == before
        change(store)
        now = store.changes()
        assert now is not None and now > before, name


def test_a_change_is_counted_when_its_transaction_ends(store: CatalogStore) -> None:
    fill_store(store)
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
    fill_store(store)
    before = store.changes()
    store.add_usage(ORDERS, 3)
    store.claim_index(ORDERS, 5)
    store.mark_indexed(ORDERS, 1, 5)
    store.schema(ORDERS)
    assert store.changes() == before
    assert stored_orders(store).usage == 3


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
