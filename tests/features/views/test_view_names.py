"""Names of views: none reads itself by any spelling of its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.ports import CatalogStore
from catalog.records import DeclaredDocument
from tests.served_view import ServedView, served_view
from views.model import State
from views.runner.state import ViewState


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    with served_view(tmp_path) as view:
        yield view


def document(name: str, sql: str, more: str = "") -> str:
    spec = f'{{sql: "{sql}", runAs: {{user: ana}}{more}}}'
    return f"apiVersion: weir/v1\nkind: View\nmetadata: {{name: {name}}}\nspec: {spec}\n"


def sink(topic: str) -> str:
    return f", sink: {{cluster: prod, topic: {topic}}}"


def applied(served: ServedView, *documents: str) -> Any:
    return served.world.admin.post("/api/v1/apply", content="\n---\n".join(documents).encode())


@pytest.mark.parametrize(
    "first",
    [
        "SELECT id FROM prod.b",
        "SELECT id FROM PROD.B",
        "SELECT id FROM `prod/b`",
        "SELECT id FROM `kafka://localhost:9092/b`",
    ],
)
def test_views_that_read_each_other_by_the_names_of_their_clusters(served: ServedView, first: str) -> None:
    refused = applied(served, document("a", first), document("b", "SELECT id FROM prod.a"))
    assert refused.status_code == 400 and "would read itself: " in refused.text
    assert applied(served, document("a", first)).status_code == 200
    refused = applied(served, document("b", "SELECT id FROM c"), document("c", "SELECT id FROM prod.a"))
    assert refused.status_code == 400 and "would read itself: " in refused.text


def test_a_view_that_reads_itself_by_its_cluster_or_its_output_topic(served: ServedView) -> None:
    for name, sql, more in (
        ("a", "SELECT id FROM prod.a", ""),
        ("a", "SELECT id FROM `prod/out`", sink("out")),
        ("a", "SELECT id FROM Prod.Out", sink("out")),
    ):
        refused = applied(served, document(name, sql, more))
        assert refused.status_code == 400 and "would read itself: a -> a." in refused.text, (sql, refused.text)


def test_names_that_end_alike_are_no_cycle(served: ServedView) -> None:
    assert applied(served, document("a", "SELECT id FROM b"), document("b", "SELECT id FROM shop.a")).status_code == 200
    assert applied(served, document("c", "SELECT id FROM prod.orders", sink("out"))).status_code == 200
    chain = [document(f"d{n}", f"SELECT x.id FROM d{n + 1} x JOIN prod.d{n + 1} y ON y.id = x.id") for n in range(40)]
    assert applied(served, *chain).status_code == 200


def test_views_in_a_circle_from_before_are_denied(served: ServedView) -> None:
    """Documents that are kept already are not checked again."""
    services = served.world.services
    for name, other in (("a", "b"), ("b", "a")):
        spec = {"sql": f"SELECT email FROM prod.{other}", "runAs": {"user": "ana"}}
        services[CatalogStore].put_document(DeclaredDocument("View", name, {"name": name}, spec))
        generation = served.generation(sources=[f"prod/{other}"], columns=[["email", "string"]])
        served.states.put(name, ViewState(state=State.RUNNING, active=generation).to_json())
    ana = served.world.user("ana")
    query = ana.post("/api/v1/query", json={"sql": "SELECT email FROM a"})
    for refused in (ana.get("/api/v1/views/a/rows"), query):
        assert refused.status_code == 403 and refused.json()["error"]["code"] == "not_allowed", refused.text
