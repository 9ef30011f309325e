"""What any record store promises; tested with the memory twin, SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from catalog.document_origins import Checkout, DocumentOrigin
from catalog.model import DatasetId, Owner, ReviewState, SchemaVersion
from catalog.ports import CatalogStore
from catalog.records import (
    ClusterRecord,
    DatasetFilter,
    DatasetRecord,
    DeclaredDocument,
    FieldNote,
    FieldTag,
    Source,
    StoredSchema,
)
from tests.catalog_records import NOW, ODD, put, schema, tag
from tests.catalog_samples import NAMESPACE, ORDERS
from tests.catalog_stores import STORES, catalog_store


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        yield kept


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
