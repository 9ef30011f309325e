"""Views over views without a key: their topic may hold rows of a batch twice, so nothing follows or joins them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog.errors import InvalidInput
from policies.masks.keys import MaskKeys
from policies.model import Subject
from policies.plan.model import Rows
from policies.plan.ports import QueryTable
from policies.plan.prepare import Preparer
from policies.plan.settings import QuerySettings
from tests.unit.views.runner.test_view_steps import World
from views.declared import ViewSpec
from views.runner.build import Built, built

KEYLESS = Rows("weir-generation", "1-aa", newest=False, run_header="weir-row")
KEYED = Rows("weir-generation", "1-aa", newest=True, keys=("id",), key_header="weir-key")


class Views(World):
    """`plain` is a view without a key, `keyed` one with the key `id`, `two` one with two, `people` a topic."""

    def find(self, name: str) -> QueryTable:
        rows = {"plain": KEYLESS, "keyed": KEYED, "two": replace(KEYED, keys=("id", "email"))}.get(name)
        return replace(super().find(name), reference=f"prod/{name}", topic=name, rows=rows)


def build(sql: str, **more: Any) -> Built:
    world = Views()
    keys = MaskKeys(b"a secret for tests, sixteen or more")
    preparer = Preparer(world, world.decide, world, keys, QuerySettings())
    return built(
        ViewSpec.model_validate({"sql": sql, "runAs": {"user": "rep"}} | more),
        preparer,
        Subject("rep"),
        lambda *_: False,
    )


@pytest.mark.parametrize(
    ("sql", "more"),
    [
        ("SELECT id FROM plain", {}),
        ("SELECT id, email FROM plain", {"key": ["id"]}),
        ("SELECT email, count(*) AS n FROM plain GROUP BY email", {}),
        ("SELECT p.id, k.email FROM people p JOIN plain k ON k.id = p.id", {}),
        ("SELECT id FROM people WHERE id IN (SELECT id FROM plain)", {}),
    ],
)
def test_a_view_without_a_key_is_neither_followed_nor_joined(sql: str, more: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="plain is a view without a key") as refused:
        build(sql, **more)
    assert "give plain a key, or read the topics that it comes from" in refused.value.message
    assert refused.value.details["field"] == "spec.sql"


def test_a_view_with_a_key_is_followed_and_joined() -> None:
    assert build("SELECT id, email FROM keyed").shape.key == ("id",)
    assert build("SELECT p.id, k.email FROM people p JOIN keyed k ON k.id = p.id").shape.tables


@pytest.mark.parametrize(
    ("sql", "key"),
    [
        ("SELECT concat('p-', id) AS k, email FROM keyed", ["k"]),
        ("SELECT k.id, k.email, p.email AS other FROM keyed k JOIN people p ON p.id = k.id", ["id"]),
        ("SELECT email, id FROM two", ["id", "email"]),
    ],
)
def test_the_key_is_the_whole_key_of_the_view_below(sql: str, key: list[str]) -> None:
    assert build(sql, key=key).shape.kept


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT upper(id) AS k FROM keyed",
        "SELECT concat(id, email) AS k FROM keyed",
        "SELECT concat(id, current_date()) AS k FROM keyed",
        "SELECT concat(id, t) AS k FROM (SELECT id, email AS t FROM keyed)",
        "SELECT email AS k FROM keyed",
        "SELECT id AS k FROM two",
    ],
)
def test_a_key_that_several_rows_below_share_or_one_that_goes_does_not_have(sql: str) -> None:
    with pytest.raises(InvalidInput, match="follow the topics that it comes from") as refused:
        build(sql, key=["k"])
    assert refused.value.details["field"] == "spec.key"
