"""Names of views and of topics: a view takes no topic's name, and its private topics are nobody's tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog.errors import DatasetNotFound
from catalog.ports import CatalogStore
from catalog.records import DeclaredDocument
from policies.ports import FactsSource
from policies.query.service import GovernedQuery
from tests.api_world import orders
from tests.features.views.test_view_names import applied, document, sink
from tests.served_view import ServedView, served_view

PRIVATE = "_weir.views.spend.1"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedView]:
    topics = {name: orders(5) for name in ("orders", PRIVATE)}
    with served_view(tmp_path_factory.mktemp("names"), topics=topics) as view:
        scan = view.world.scan(cluster="prod", topics=["_weir.views.*"])
        assert scan["state"] == "done", scan
        yield view


@pytest.mark.parametrize("name", ["prod.orders", "PROD.anything", "prod.shop.revenue"])
@pytest.mark.parametrize("more", ["", sink("out")])
def test_no_view_has_a_name_that_begins_with_a_cluster(served: ServedView, name: str, more: str) -> None:
    refused = applied(served, document(name, "SELECT id FROM prod.orders", more))
    assert refused.status_code == 400 and "begins with the name of the cluster prod" in refused.text


def test_a_view_with_an_output_topic_takes_no_name_of_another_topic(served: ServedView) -> None:
    refused = applied(served, document("orders", "SELECT order_id FROM prod.orders", sink("out")))
    assert refused.status_code == 400 and "prod/orders is a topic" in refused.text
    assert applied(served, document("production.orders", "SELECT id FROM prod.orders", sink("out"))).status_code == 200


def test_a_name_from_before_does_not_hide_the_topic(served: ServedView) -> None:
    spec = {"sql": "SELECT email FROM prod.spend", "runAs": {"user": "ana"}}
    served.world.services[CatalogStore].put_document(
        DeclaredDocument("View", "prod.orders", {"name": "prod.orders"}, spec)
    )
    preparer = served.world.services[GovernedQuery].preparer
    for name in ("prod.orders", "PROD.orders", "orders"):
        assert preparer.table(name).topic == "orders"
    served.world.services[CatalogStore].delete_document("View", "prod.orders")


def test_a_private_topic_that_was_scanned_is_nobodys_table(served: ServedView) -> None:
    preparer, ana = served.world.services[GovernedQuery].preparer, served.world.user("ana")
    for name in (PRIVATE, f"prod.{PRIVATE}"):
        with pytest.raises(DatasetNotFound, match="private topic of a stream view"):
            preparer.table(name)
    with pytest.raises(DatasetNotFound, match="private topic of a stream view"):
        served.world.services[FactsSource].facts(f"prod/{PRIVATE}")
    assert ana.post("/api/v1/query", json={"sql": f"SELECT * FROM prod.`{PRIVATE}`"}).status_code == 404
    assert ana.get(f"/api/v1/datasets/prod/{PRIVATE}/records").status_code == 404
    assert "person0" not in ana.get(f"/api/v1/datasets/prod/{PRIVATE}").text
    for path in ("/api/v1/datasets", "/api/v1/search?q=weir", f"/api/v1/datasets/prod/{PRIVATE}/schema"):
        assert ana.get(path).status_code < 500 and served.world.admin.get(path).status_code < 500


def test_editors_are_answered_beside_a_view_without_rows(served: ServedView) -> None:
    """`spend` has no rows; `prod/spend` is known from lineage."""
    ana = served.world.user("ana")
    for sql in ("SELECT email FROM spend", "SELECT email FROM prod.spend", "SELECT email FROM nowhere.spend"):
        answer = ana.post("/api/v1/query/check", json={"sql": sql})
        assert answer.status_code == 200 and not answer.json()["ok"], answer.text
    for sql, position in (("SELECT  FROM spend", 7), ("SELECT x. FROM spend x", 9), ("SELECT * FROM spe", 17)):
        answer = ana.post("/api/v1/query/complete", json={"sql": sql, "position": position})
        assert answer.status_code == 200, answer.text
