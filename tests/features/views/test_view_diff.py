"""What runs against what would be built: SQL, columns, what breaks, who gains and loses, rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.joins.views.service import Views
from policies.query.service import GovernedQuery
from tests.served_view import COLUMNS, ServedView, served_view
from tests.twins.views import MemoryServingTable
from tests.view_twins import Fate, TwinStreams, TwinTopics
from views.model import Row, identity
from views.runner.build import built
from views.runner.compared import rows_diff

SQL = "SELECT email, sum(amount) AS total FROM prod.orders GROUP BY email"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    engine = TwinStreams(Fate(), TwinTopics(Fate()))
    engine.columns_of = tuple((name, kind) for name, kind in COLUMNS)
    with served_view(tmp_path, streams=engine, view_topics=engine.topics) as view:
        view.engine = engine
        view.world.apply(
            "apiVersion: weir/v1\nkind: View\nmetadata: {name: spend}\nspec:\n"
            "  {sql: 'SELECT region, count(*) AS total FROM prod.orders GROUP BY region', runAs: {user: ana}}"
        )
        yield view


def ask(served: ServedView, spec: dict[str, Any] | None = None, name: str = "spend") -> dict[str, Any]:
    answer = served.world.admin.post(f"/api/v1/views/{name}/diff", json={"spec": spec} if spec else {})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def running(served: ServedView) -> str:
    """Give readers the generation that is declared; its hash."""
    served.engine.columns_of = (("region", "string"), ("total", "bigint"))
    declared = served.world.services[Views].find("spend")[0]
    preparer = served.world.services[GovernedQuery].preparer
    current = built(declared.spec, preparer, served.subject("ana"), lambda cluster, topic: False)
    served.serve(
        served.generation(
            1,
            [["region", "string"], ["total", "bigint"]],
            keys=["region"],
            id=f"1-{current.generation}",
            sql=declared.spec.sql,
            origins={"region": [["prod/orders", "value.region"]], "total": []},
            made_of=[["value.region", "prod/orders", "value.region", None]],
        )
    )
    return current.generation


def test_nothing_is_built_again_while_nothing_changed(served: ServedView) -> None:
    running(served)
    answer = ask(served)
    assert answer["changed"] is False and answer["text"] == "Nothing of spend would be built again."
    assert (
        answer["sql"] == "" and answer["readers"] == [] and {each["change"] for each in answer["columns"]} == {"same"}
    )


def test_another_declaration_is_compared_before_it_is_applied(served: ServedView) -> None:
    running(served)
    served.engine.columns_of = (("region", "string"), ("total", "double"), ("mean", "double"))
    sql = "SELECT region, count(*) AS total, avg(amount) AS mean FROM prod.orders GROUP BY region"
    answer = ask(served, {"sql": sql, "runAs": {"user": "ana"}})
    assert answer["changed"] and "+SELECT region, count(*) AS total, avg(amount) AS mean" in answer["sql"]
    assert [(each["name"], each["change"]) for each in answer["columns"]] == [
        ("region", "same"),
        ("total", "type"),
        ("mean", "added"),
    ]
    assert answer["breaks"] == ["The column total is double, and was bigint."]
    ana = next(each for each in answer["readers"] if each["user"] == "ana")
    assert ana == {
        "user": "ana",
        "couldRead": True,
        "mayRead": True,
        "gains": ["mean: not shown -> unmasked"],
        "loses": [],
    }
    assert answer["next"]["generation"] is None and answer["rows"] is None
    assert served.world.admin.get("/api/v1/declared/View?name=spend").json()["documents"][0]["spec"]["sql"] != sql


def test_who_gains_and_loses_where_the_view_runs_as_somebody_else(served: ServedView) -> None:
    """Through the masks of its subject: a column that all saw unmasked is masked in every row."""
    running(served)
    served.world.apply(
        "apiVersion: weir/v1\nkind: Policy\nmetadata: {name: hide}\n"
        "spec: {type: mask, match: {fields: [{dataset: prod/orders, path: value.region}]}, mask: {type: MASK_NULL}}"
    )
    answer = ask(served)
    assert answer["changed"] and "take the place of generation 1" in answer["text"]
    ana = next((each for each in answer["readers"] if each["user"] == "ana"), None)
    assert ana is not None and ana["couldRead"] is False and ana["mayRead"] is True, answer["readers"]
    region = next(each for each in answer["columns"] if each["name"] == "region")
    assert (region["change"], region["showsBefore"], region["showsAfter"]) == (
        "values",
        ["prod/orders value.region"],
        [],
    )


def test_a_subject_who_may_not_read_is_a_refusal_in_words(served: ServedView) -> None:
    running(served)
    answer = ask(served, {"sql": SQL, "runAs": {"user": "otto"}})
    assert answer["refused"]["code"] == "not_allowed" and answer["text"].startswith("spend would not run: ")


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ({"sql": SQL}, "runAs"),
        ({"sql": "SELECT 1 ORDER BY 1", "runAs": {"user": "ana"}}, ""),
        ({"sql": SQL, "runAs": {"user": "ana"}, "x": 1}, "x"),
    ],
)
def test_a_declaration_that_does_not_fit_is_refused_by_name(
    served: ServedView, spec: dict[str, Any], named: str
) -> None:
    refused = served.world.admin.post("/api/v1/views/spend/diff", json={"spec": spec})
    assert refused.status_code == 400 and named in refused.text
    assert served.world.admin.post("/api/v1/views/nothing/diff", json={}).status_code == 404
    assert served.world.user("ana").post("/api/v1/views/spend/diff", json={}).status_code == 403


def test_a_view_that_is_not_there_yet(served: ServedView) -> None:
    served.world.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: otto}\nspec: {disabled: true}")
    answer = ask(served, {"sql": SQL, "runAs": {"user": "ana"}}, "fresh")
    assert answer["running"] == {} and "first generation" in answer["text"]
    assert [each["change"] for each in answer["columns"]] == ["added", "added"]


def test_rows_of_two_generations_are_compared_by_key(served: ServedView) -> None:
    of = running(served)
    second = served.generation(2, [["region", "string"], ["total", "bigint"]], keys=["region"], id=f"2-{of}")
    served.serve(
        served.generation(1, [["region", "string"], ["total", "bigint"]], keys=["region"]),
        building=second,
    )
    for generation, rows in ((served.state.active, {"a": 1, "b": 2, "c": 3}), (second, {"b": 2, "c": 4, "d": 5})):
        assert generation is not None
        kept = [Row(identity([key]), {"region": key, "total": total}) for key, total in rows.items()]
        served.serving.write("spend", generation.id, kept, [], {0: 1})
    answer = ask(served)
    assert answer["rows"] == {
        "generation": 2,
        "same": 1,
        "differ": 1,
        "onlyBefore": 1,
        "onlyAfter": 1,
        "columns": {"total": 1},
        "partial": False,
    }
    assert answer["text"].startswith("Generation 2 is being built: 1 rows are the same, 1 differ")


def test_a_comparison_of_many_rows_says_that_it_is_partial() -> None:
    table = MemoryServingTable()
    for generation in ("old", "new"):
        table.prepare("v", generation)
        rows = [Row(identity([n]), {"n": n, "x": n if generation == "old" or n % 10 else -1}) for n in range(500)]
        table.write("v", generation, rows, [], {0: 1})
    whole = rows_diff(table, "v", "old", "new", ["n", "x"])
    assert (whole["same"], whole["differ"], whole["columns"], whole["partial"]) == (450, 50, {"x": 50}, False)
    part = rows_diff(table, "v", "old", "new", ["n", "x"], most=100)
    assert part["partial"] and part["same"] + part["differ"] == 100


def test_a_masked_copy_runs_as_its_group(served: ServedView) -> None:
    served.world.apply(
        "apiVersion: weir/v1\nkind: Group\nmetadata: {name: analysts}\nspec: {roles: [reading]}\n---\n"
        "apiVersion: weir/v1\nkind: View\nmetadata: {name: orders-analysts}\nspec:\n"
        "  {copyOf: prod/orders, runAs: {group: analysts}, sink: {cluster: prod, topic: orders-analysts}}"
    )
    answer = ask(served, name="orders-analysts")
    assert answer["refused"] is None and "first generation" in answer["text"]
    served.world.admin.delete("/api/v1/declared/Group/analysts")
    answer = ask(served, name="orders-analysts")
    assert answer["refused"] is not None and "There is no group analysts any more" in answer["text"]


@pytest.mark.parametrize(
    ("sql", "cleanup", "more", "words"),
    [
        ("SELECT _key AS k, email FROM prod.orders", "compact", {}, "with 6 its keys would be in others"),
        ("SELECT o._key AS k, email FROM `Orders` AS o", "compact,delete", {}, "with 6 its keys would be in others"),
        (
            "SELECT _key AS k FROM prod.orders",
            "compact",
            {"compactedAs": "stream"},
            "compact,delete -> delete.*6 partitions",
        ),
        ("SELECT _key AS k, email FROM prod.orders", "delete", {}, "compact,delete -> delete.*6 partitions"),
        ("SELECT lower(_key) AS k FROM prod.orders", "compact", {}, "compact,delete -> delete.*6 partitions"),
    ],
)
def test_an_output_topic_of_a_view_whose_key_is_that_of_its_compacted_source(
    served: ServedView, sql: str, cleanup: str, more: dict[str, Any], words: str
) -> None:
    """Without a declared key, as the runner does it."""
    topics = served.engine.topics
    topics.config |= {
        "orders": {"cleanup.policy": cleanup},
        "copy": {"cleanup.policy": "compact,delete", "retention.ms": "-1", "retention.bytes": "-1"},
    }
    sink = {"cluster": "prod", "topic": "copy", "partitions": 6}
    answer = ask(served, {"sql": sql, "runAs": {"user": "ana"}, "sink": sink} | more)
    assert re.search(words, " ".join(answer["topic"])), answer["topic"]
