"""The fields of a payload as columns of their own: under the decision of their true path, beside the record's own names."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.datatypes import STRING, leaves, parse_ddl
from catalog.model import DatasetId
from catalog.paths import VALUE, FieldPath
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, FieldFacts, Mask, MaskType, RowFilter
from policies.plan.model import PartRead, Window
from policies.plan.ports import QueryTable
from policies.plan.projection import Mentioned, narrowed
from policies.plan.value_columns import value_columns
from policies.plan.views import GovernedTable, govern

ROW = "STRUCT<email: STRING, id: BIGINT, op: STRING, address: STRUCT<city: STRING>>"
KIND = parse_ddl(f"payload STRUCT<after: {ROW}, before: {ROW}, op: STRING>, id STRING")
ID = DatasetId("kafka://tests", "users")
FACTS = DatasetFacts(ID, "prod/users", tuple(FieldFacts(str(p)) for p, _ in leaves(KIND, VALUE)))
AFTER = FieldPath.parse("value.payload.after")
KEYS = MaskKeys(b"a secret for tests, sixteen or more")


def governed(effects: dict[str, Any], where: str = "") -> GovernedTable:
    """`effects`: path -> Mask, or None for denied; all else is unmasked."""
    columns = tuple(
        ColumnDecision(f.path, Effect.DENY)
        if f.path in effects and effects[f.path] is None
        else ColumnDecision(f.path, Effect.ALLOW, effects.get(f.path))
        for f in FACTS.fields
    )
    filters = (RowFilter("prod/users", where),) if where else ()
    table = QueryTable(
        "prod/users", "users", FACTS, {}, PartRead("text", STRING), PartRead("json", KIND), payload=AFTER
    )
    return govern(table, Decision(ID, "prod/users", Effect.ALLOW, columns, filters), KEYS)


def shown(view: GovernedTable) -> dict[str, str]:
    return {column.name: str(column.sql) for column in view.shown if not column.system}


def test_fields_of_the_payload_come_first_under_their_own_names() -> None:
    columns = value_columns(KIND, AFTER)
    assert [(c.name, str(c.path)) for c in columns] == [
        ("email", "value.payload.after.email"),
        ("op", "value.payload.after.op"),
        ("address", "value.payload.after.address"),
        ("payload", "value.payload"),
        ("id", "value.id"),
    ]
    assert columns[0].source == "weir_value.`payload`.`after`.`email`"


@pytest.mark.parametrize("payload", ["value.payload.nothing", "value.id", "value.payload.after.email", "key.payload"])
def test_a_payload_that_is_no_struct_of_the_record_adds_nothing(payload: str) -> None:
    assert value_columns(KIND, FieldPath.parse(payload)) == value_columns(KIND)
    assert value_columns(STRING, FieldPath.parse(payload)) == value_columns(STRING)


def test_a_name_that_the_record_has_in_another_case_is_the_records() -> None:
    kind = parse_ddl("after STRUCT<Op: STRING, _OFFSET: STRING, x: STRING>, op STRING")
    assert [c.name for c in value_columns(kind, VALUE.field("after"))] == ["x", "after", "op"]


def test_a_mask_on_the_true_path_holds_for_the_column_too() -> None:
    clear, masked = shown(governed({})), shown(governed({"value.payload.after.email": Mask(MaskType.MASK_NULL)}))
    assert clear["email"] == "weir_value.`payload`.`after`.`email`"
    assert "`email`" not in masked["email"] and masked["op"] == clear["op"]


def test_what_is_denied_at_its_path_is_no_column() -> None:
    view = governed({"value.payload.after.email": None, "value.payload.after.address.city": None})
    assert "email" not in shown(view) and "address" not in shown(view) and "op" in shown(view)
    assert "email" not in shown(governed({str(p): None for p, _ in leaves(KIND, VALUE) if p.name == "email"}))


def test_a_column_carries_the_decisions_it_rests_on() -> None:
    mask = Mask(MaskType.MASK)
    view = governed({"value.payload.after.email": mask})
    (column,) = [c for c in view.columns if c.name == "email"]
    assert [(d.path, d.mask) for d in column.decisions] == [("value.payload.after.email", mask)]
    assert ("email", "value.payload.after.email") not in view.watched and (
        "op",
        "value.payload.after.op",
    ) in view.watched


def test_a_row_filter_may_name_fields_of_the_payload() -> None:
    assert "weir_value.`payload`.`after`.`email`" in governed({}, "email = 'x'").filters[0]


def test_only_the_payload_is_read_where_only_its_fields_are_named() -> None:
    plan = governed({}).plan("v", Window(()))
    slim = narrowed(plan, Mentioned(frozenset({"email"}), every_field=False))
    assert [name for name, _ in slim.columns] == ["email"]
    assert [name for name, _ in slim.value.kind.fields] == ["payload"]  # type: ignore[union-attr]
