"""A column as producers write it means the one field of the catalog that fits, or none."""

from __future__ import annotations

import pytest

from catalog.field_names import FieldNames
from catalog.paths import FieldPath

FIELDS = FieldNames(
    [
        "key.id",
        "value.id",
        "value.iban",
        "value.children",
        "value.children[]",
        "value.children[].iban",
        "value.items",
        "value.items{}",
        "value.items{}.sku",
        "value.items@keys",
        "value.lines",
        "value.lines[]",
        "value.lines[].tags",
        "value.lines[].tags[]",
        "value.attributes{contact}",
        "value.Mixed.name",
        "value.mixed.name",
        "value.either[].x",
        "value.either{}.x",
        "value.both.x",
        "value.both[].x",
        "value.deep[][].y",
    ]
)


@pytest.mark.parametrize(
    ("reported", "field"),
    [
        ("value.children.iban", "value.children[].iban"),
        ("value.`children[0]`.iban", "value.children[].iban"),
        ("value.`children[*]`.iban", "value.children[].iban"),
        ("value.children.element.iban", "value.children[].iban"),
        ("value.children._element.iban", "value.children[].iban"),
        ("value.children.list.element.iban", "value.children[].iban"),
        ("value.children.element", "value.children[]"),
        ("value.`children[0]`", "value.children[]"),
        ("value.items.value.sku", "value.items{}.sku"),
        ("value.items.key_value.value.sku", "value.items{}.sku"),
        ("value.items.sku", "value.items{}.sku"),
        ("value.items[].sku", "value.items{}.sku"),
        ("value.items.key", "value.items@keys"),
        ("value.items.value", "value.items{}"),
        ("value.lines.tags.element", "value.lines[].tags[]"),
        ("value.lines.tags", "value.lines[].tags"),
        ("value.attributes.contact", "value.attributes{contact}"),
        ("value.deep.y", "value.deep[][].y"),
        ("value.IBAN", "value.iban"),
        ("value.Children.Iban", "value.children[].iban"),
        ("value.CHILDREN", "value.children"),
        ("key.ID", "key.id"),
        ("value.BOTH.X", "value.both.x"),
    ],
)
def test_the_one_field_that_fits(reported: str, field: str) -> None:
    assert FIELDS.fitting(reported) == field


@pytest.mark.parametrize(
    "reported",
    [
        "value.children[].iban",
        "value.mixed.name",
        "value.both.x",
        "value.MIXED.name",
        "value.either.x",
        "value.unknown",
        "value.iban.child",
        "value.child.iban",
        "value.email",
        "key.iban",
        "value",
        "key",
        "value.``",
        "not a path",
        "value" + ".children" * 5000,
    ],
    ids=lambda text: text[:30],
)
def test_it_stays_as_it_is_where_it_is_a_field_or_none_or_several_fit(reported: str) -> None:
    assert FIELDS.fitting(reported) == reported


def test_every_field_is_itself() -> None:
    for path in FIELDS._paths:
        assert FIELDS.fitting(path) == path == str(FieldPath.parse(path))


def test_names_of_the_same_fields_are_equal() -> None:
    assert FieldNames(["value.a", "value.b"]) == FieldNames(["value.b", "value.a"]) != FieldNames(["value.a"])
    assert hash(FieldNames(["value.a"])) == hash(FieldNames(["value.a"]))
