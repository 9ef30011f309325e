"""One dataset by several names: columns as paths, symbolic links, addresses of one cluster."""

from __future__ import annotations

import random
from typing import Any

import pytest

from catalog.field_names import FieldNames
from catalog.model import DatasetId
from lineage.fold.writer import GraphWriter
from lineage.ingest.parse import parse
from lineage.names import Link, canonical, field_text
from lineage.questions.queries import Lineage
from lineage.settings import LineageSettings
from lineage.sql.flows import KnownNames
from tests.lineage_samples import KAFKA, columns, content, dataset, flows, graph_of, run
from tests.twins.lineage import MemoryGraph


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("email", "value.email"),
        ("value.email", "value.email"),
        ("key", "key"),
        ("key.id", "key.id"),
        ("headers.trace", "headers.trace"),
        ("_offset", "_offset"),
        ("customer.email", "value.customer.email"),
        ("items[].sku", "value.items[].sku"),
        ("key_id", "value.key_id"),
        ("values", "value.values"),
        ("a..b", "value.a.``.b"),
        ("x[0]", "value.`x[0]`"),
        ("'); MATCH (n) DETACH DELETE n //", "value.'); MATCH (n) DETACH DELETE n //"),
    ],
)
def test_columns_of_a_topic_are_paths(column: str, text: str) -> None:
    assert field_text(DatasetId(KAFKA, "t"), column) == text


def test_columns_elsewhere_stay_as_they_are() -> None:
    assert field_text(DatasetId("postgres://h:5432", "db.t"), "customer.email") == "customer.email"


def test_a_symlink_makes_two_names_one_dataset_whatever_comes_first() -> None:
    table = {"namespace": "hive://h:9083", "name": "db.t"}
    path = dataset("/wh/t", "hdfs://nn", symlinks={"identifiers": [{**table, "type": "TABLE"}]})
    events = [
        run(0, [dataset("db.t", "hive://h:9083")], ["x"], job="by table"),
        run(1, ["y"], [path], job="by path", run_id="r2"),
    ]
    for order in (events, events[::-1]):
        graph = graph_of(*order, batch=1)
        assert flows(graph) == {("y", "/wh/t"), ("/wh/t", "x")}
        assert "dataset:hive://h:9083:db.t" not in graph._store.datasets


def test_of_names_that_are_each_others_symlink_the_table_stands() -> None:
    table, path = DatasetId("hive://h", "db.t"), DatasetId("hdfs://nn", "/wh/t")
    assert canonical([table, path], [Link(path, table, "TABLE"), Link(table, path, "LOCATION")]) == table
    assert canonical([table, path], [Link(path, table, "TABLE")]) == path


def test_one_cluster_by_many_addresses() -> None:
    def resolve(namespace: str, name: str) -> DatasetId:
        return DatasetId(KAFKA if namespace.startswith("kafka://") else namespace, name)

    graph = MemoryGraph()
    events = [
        run(0, [dataset("a", "kafka://broker-1:9092")], [dataset("x", "kafka://broker-2:9092")]),
        run(1, ["x"], ["y"], job="next", run_id="r2"),
    ]
    GraphWriter(graph, resolve).write([parse(event) for event in events])
    assert flows(graph) == {("a", "x"), ("x", "y")}


@pytest.mark.parametrize("seed", range(3))
def test_a_cluster_declared_after_its_events_is_one_namespace_all_the_same(seed: int) -> None:
    """The same graph as if it had been declared before: edges, columns, links, drops, and what was reported of datasets."""
    known: set[str] = set()

    def shown(graph: MemoryGraph) -> Any:
        parts = content(graph)  # what was noted under the old names lies there, and nobody asks for it
        for part in ("infos", "drops"):
            parts[part] = [row for row in parts[part] if row[0].namespace != other]
        parts["links"] = [link for link in parts["links"] if link.primary.namespace != other]
        return parts

    def resolve(namespace: str, name: str) -> DatasetId:
        return DatasetId("kafka://first:9092" if namespace in known else namespace, name)

    owned = {
        "ownership": {"owners": [{"name": "ann"}]},
        "symlinks": {"identifiers": [{"namespace": "urn", "name": "a"}]},
    }
    gone = {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}
    other = "kafka://second:9092"
    events = [
        run(0, [dataset("a", other, **owned)], [dataset("b", "kafka://first:9092")]),
        run(
            1,
            [dataset("b", other)],
            [dataset("c", other, columnLineage=columns({"x": [("b", "y")]}))],
            job="n",
            run_id="r2",
        ),
        run(2, [dataset("c", other)], [dataset("d", other)], job="streamer", run_id="r3", processing="STREAMING"),
        run(3, [], [dataset("d", other, **gone)], job="dropper", run_id="r4"),
        run(4, [dataset("a", other)], [], job="reader", run_id="r5", kind="START"),
    ]
    random.Random(seed).shuffle(events)
    late = MemoryGraph()
    writer = GraphWriter(late, resolve)
    writer.write([parse(event) for event in events])
    assert writer.realign() == 0
    known.add(other)
    assert writer.realign() == 4 and writer.realign() == 0
    early = MemoryGraph()
    GraphWriter(early, resolve).write([parse(event) for event in events])
    assert shown(late) == shown(early)
    assert Lineage(late, resolve).find(f"dataset:{other}:a").info["owners"] == [{"name": "ann", "type": None}]
    writer.write([parse(event) for event in events])  # and it goes on under the new name
    assert shown(late) == shown(early)


class CatalogOfScans:
    """A catalog whose topics are scanned now and then."""

    def __init__(self) -> None:
        self.fields: dict[DatasetId, FieldNames] = {}
        self.versions: dict[DatasetId, tuple[int, object]] = {}
        self.names = KnownNames(DatasetId, lambda _: None, self.fields.get, lambda: self.versions)

    def scan(self, dataset: DatasetId, *paths: str) -> None:
        self.fields[dataset] = FieldNames(paths)
        self.versions[dataset] = (self.versions.get(dataset, (0, 0))[0] + 1, 0)


def derived(graph: MemoryGraph) -> set[tuple[str, str]]:
    return {
        (edge.source.rpartition(":")[2], edge.target.rpartition(":")[2])
        for edge in graph._store.edges.values()
        if edge.kind == "derives"
    }


PAYMENTS, CLEAN = DatasetId(KAFKA, "payments"), DatasetId("postgres://h:5432", "db.clean")
REPORTED = columns({"IBAN": [("payments", "children.iban")], "sku": [("payments", "items.value.sku")]})
FIELDS = (
    "value.children",
    "value.children[]",
    "value.children[].iban",
    "value.items",
    "value.items{}",
    "value.items{}.sku",
)
FITTING = {("value.children[].iban", "iban"), ("value.items{}.sku", "sku")}


def copied(at: int = 0, run_id: str = "r1") -> dict[str, Any]:
    return run(at, ["payments"], [dataset(CLEAN.name, CLEAN.namespace, columnLineage=REPORTED)], run_id=run_id)


def test_columns_that_name_no_array_or_map_are_the_fields_of_the_catalog() -> None:
    catalog = CatalogOfScans()
    catalog.scan(PAYMENTS, *FIELDS)
    catalog.scan(CLEAN, "value.iban", "value.sku")
    graph = MemoryGraph()
    GraphWriter(graph, catalog.names).write([parse(copied())])
    assert derived(graph) == FITTING
    lineage = Lineage(graph, catalog.names)
    assert lineage.find(f"datasetField:{KAFKA}:payments:children.iban").field == "value.children[].iban"
    assert lineage.find(f"datasetField:{CLEAN.namespace}:{CLEAN.name}:IBAN").field == "iban"


@pytest.mark.parametrize("runs_kept", [50, 2], ids=["runs kept", "runs forgotten"])
def test_fields_that_are_learned_after_the_events_name_their_columns_all_the_same(runs_kept: int) -> None:
    catalog, graph = CatalogOfScans(), MemoryGraph()
    writer = GraphWriter(graph, catalog.names, LineageSettings(runs_kept=runs_kept))
    later = [run(at, [], [], run_id=f"later {at}", kind="START") for at in range(1, 4)]
    writer.write([parse(event) for event in (copied(), *later)])
    assert derived(graph) == {("value.children.iban", "IBAN"), ("value.items.value.sku", "sku")}
    assert writer.realign() == 0
    catalog.scan(PAYMENTS, *FIELDS)
    catalog.scan(CLEAN, "value.iban", "value.sku")
    assert writer.realign() == 2 and writer.realign() == 0
    assert derived(graph) == FITTING
    assert {column for _, column in graph._store.columns.values()} == {name for pair in FITTING for name in pair}


def test_a_column_that_several_fields_fit_is_none_of_them() -> None:
    catalog, graph = CatalogOfScans(), MemoryGraph()
    catalog.scan(PAYMENTS, "value.children[].iban", "value.children{}.iban", "value.items{}.sku")
    catalog.scan(CLEAN, "value.Iban", "value.iban")
    GraphWriter(graph, catalog.names).write([parse(copied())])
    assert derived(graph) == {("value.children.iban", "IBAN"), ("value.items{}.sku", "sku")}
