"""The types by which queries read the output topic of a view or a copy by the topic's own name: those that it was made with.

A type that producers of lineage report does not bound the digits of a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from catalog.datatypes import to_ddl
from policies.query.service import GovernedQuery
from tests.reported_door import ask, event, place, post, ref
from tests.served_view import ServedView
from views.runner.lineage_event import schema_fields
from views.runner.result import columns_of
from views.runner.state import Generation

COPY = """
apiVersion: weir/v1
kind: View
metadata: {name: spend}
spec:
  copyOf: prod/orders
  runAs: {user: ana}
  sink: {cluster: prod, topic: spend-out}
"""
KAFKA = "kafka://localhost:9092"
COLUMNS = [["amount", "decimal(12,2)"], ["customer", "struct<email:string,age:int>"], ["id", "bigint"]]
EXACT = "STRUCT<amount: DECIMAL(12,2), customer: STRUCT<email: STRING, age: INT>, id: BIGINT>"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    served = ServedView(tmp_path)
    served.world.apply(COPY)
    yield served


def reported(served: ServedView, topic: str, columns: Sequence[Sequence[str]]) -> None:
    """Columns in a job's event, of a topic that no scan has read."""
    schema = {"fields": [{"name": name, "type": kind} for name, kind in columns]}
    post(served.world, event(outputs=[ref(topic, KAFKA, schema=schema)]))


def generation(served: ServedView, number: int, columns: Sequence[Sequence[str]], **more: Any) -> Generation:
    return served.generation(number, columns, private=False, topic="spend-out", keys=[], copy_to=1, **more)


def kind(served: ServedView, name: str) -> str:
    return to_ddl(served.world.services[GovernedQuery].preparer.table(name).value.kind).replace("`", "")


def test_a_copy_is_read_by_the_types_it_was_made_with(served: ServedView) -> None:
    reported(served, "spend-out", COLUMNS)
    served.serve(generation(served, 1, COLUMNS))
    table = served.world.services[GovernedQuery].preparer.table("prod.spend-out")
    assert table.rows is None and table.reference == "prod/spend-out", "the topic, change by change"
    assert kind(served, "prod.spend-out") == EXACT and table.value.format == "json"


def test_of_several_generations_every_record_can_be_read(served: ServedView) -> None:
    reported(served, "spend-out", COLUMNS)
    before = generation(served, 1, [["amount", "int"], ["old", "string"], ["customer", "string"], ["id", "bigint"]])
    served.serve(generation(served, 2, COLUMNS), retired=[before])
    assert kind(served, "prod.spend-out") == (
        "STRUCT<amount: DECIMAL(12,2), customer: STRING, id: BIGINT, old: STRING>"
    )


def test_declared_columns_come_first(served: ServedView) -> None:
    reported(served, "spend-out", COLUMNS)
    served.world.apply(
        'apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: spend-out, cluster: prod}\nspec: {schema: {spark: "id STRING"}}'
    )
    served.serve(generation(served, 1, COLUMNS))
    assert kind(served, "prod.spend-out") == "STRUCT<id: STRING>"


def test_types_from_lineage_alone_never_narrow_a_number(served: ServedView) -> None:
    reported(
        served,
        "reported",
        [
            ["amount", "decimal(4,1)"],
            ["n", "int"],
            ["big", "bigint"],
            ["part", "double"],
            ["at", "timestamp"],
            ["ok", "boolean"],
        ],
    )
    assert kind(served, "prod.reported") == (
        "STRUCT<amount: STRING, at: STRING, big: STRING, n: STRING, ok: BOOLEAN, part: STRING>"
    )


def test_the_catalog_has_the_schema_of_a_view_whole_before_a_scan(served: ServedView) -> None:
    nested = [*COLUMNS, ["items", "array<struct<sku:string,price:decimal(8,3)>>"], ["tags", "map<string,int>"]]
    schema = {"fields": schema_fields(columns_of([(name, kind) for name, kind in nested]))}
    post(served.world, event(outputs=[ref("spend-out", KAFKA, schema=schema)]))
    answer = ask(served.world, f"{place('spend-out', KAFKA)}/schema")
    fields = {each["path"]: each for each in answer["fields"]}
    assert answer["version"] == 1
    assert {"value.customer.email", "value.customer.age", "value.items[].price", "value.tags{}"} <= fields.keys()
    assert fields["value.amount"]["details"]["reportedType"] == "decimal(12,2)"
    assert fields["value.items[].price"]["details"]["reportedType"] == "decimal(8,3)"
