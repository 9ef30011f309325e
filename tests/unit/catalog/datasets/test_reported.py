"""What producers report of a dataset, as its record and schema have it."""

from __future__ import annotations

from typing import Any

from catalog.datasets.reported import project
from catalog.model import DatasetId
from catalog.report_store import DATASET, Fact, Subject

TABLE = DatasetId("postgres://h:5432", "db.payments")


def fact(key: str, value: Any) -> Fact:
    return Fact(Subject(DATASET, TABLE.namespace, TABLE.name), key, 1_767_225_600_000, value)


def test_a_tag_of_a_column_that_is_named_without_marks_is_at_its_field() -> None:
    fields = [["children", "", "array", ""], ["children", "[].iban", "string", ""], ["mail", "", "string", ""]]
    tags = [
        {"key": "pii", "value": "iban", "field": name} for name in ("children.iban", "MAIL", "children.unknown", None)
    ]
    schema = project(TABLE, [fact("schema", {"fields": fields}), fact("tags", {"tags": tags})]).schema
    assert schema is not None
    tagged = {each.path: [tag["value"] for tag in each.details.get("tags", [])] for each in schema.fields}
    assert tagged == {"value.children": [], "value.children[].iban": ["iban"], "value.mail": ["iban"]}
