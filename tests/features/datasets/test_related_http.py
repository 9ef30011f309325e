"""Related datasets and opened answers at the HTTP door: reasons, what is counted, and what is not kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.errors import Unavailable
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.search.clicks import Clicks
from tests.api_world import BOOTSTRAP, ApiWorld, prepared, record
from tests.twins.catalog.index import MemorySearchIndex

PROD = f"""
apiVersion: weir/v1
kind: Cluster
metadata: {{name: prod}}
spec: {{type: kafka, bootstrapServers: "{BOOTSTRAP}"}}
"""


def many(value: dict[str, Any]) -> list[Any]:
    return [record({**value, "n": number}, offset=number) for number in range(20)]


TOPICS = {
    "orders": many({"order_id": "O-1", "customer": {"email": "ann@example.com"}, "amount": 3, "name": "x"}),
    "payments": many({"order": {"id": "O-1"}, "amount": 3, "name": "x"}),
    "parcels": many({"orderId": "O-1", "weight": 2}),
    "counters": many({"order_id": 17, "id": "x"}),
    "weather": many({"id": "x", "celsius": 2.5, "name": "x"}),
}


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with prepared(tmp_path, TOPICS, _state) as weir:
        yield weir


def _state(weir: ApiWorld) -> None:
    weir.apply(PROD)
    weir.scan(cluster="prod")


def related(weir: ApiWorld, name: str = "orders", **asked: Any) -> dict[str, Any]:
    answer = weir.admin.get(f"/api/v1/datasets/prod/{name}/related", params=asked)
    assert answer.status_code == 200, answer.text
    related_datasets: dict[str, Any] = answer.json()
    return related_datasets


def reasons(answer: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    return {each["dataset"]: each["reasons"] for each in answer["related"]}


def run(inputs: list[str], outputs: list[str]) -> dict[str, Any]:
    def named(names: list[str]) -> list[dict[str, str]]:
        return [{"namespace": f"kafka://{BOOTSTRAP}", "name": name} for name in names]

    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-03-01T12:00:00Z",
        "producer": "https://example.com/test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"0190b6d0-0000-7000-8000-{len(inputs[0]):012d}"},
        "job": {"namespace": "test", "name": f"to-{outputs[0]}"},
        "inputs": named(inputs),
        "outputs": named(outputs),
    }


def test_a_key_of_the_same_name_and_type_relates_however_it_is_written(weir: ApiWorld) -> None:
    reason_list = reasons(related(weir))
    assert set(reason_list) == {
        "prod/payments",
        "prod/parcels",
    }  # a number of that name is another key; `id` alone is none
    shared = reason_list["prod/payments"][0]
    assert (shared["kind"], shared["field"], shared["other"], shared["type"]) == (
        "shared_key",
        "value.order_id",
        "value.order.id",
        "text",
    )


def test_a_declared_type_is_compared_with_a_learned_one(weir: ApiWorld) -> None:
    weir.apply(
        "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: prod}\n"
        "spec: {schema: {spark: 'order_id STRING, amount BIGINT'}}\n"
    )
    assert set(reasons(related(weir))) == {"prod/payments", "prod/parcels"}


def test_datasets_read_in_one_query_relate_by_the_number_of_queries(weir: ApiWorld) -> None:
    ids = [weir.services[Datasets].find(f"prod/{name}") for name in ("orders", "weather")]
    for _ in range(2):
        weir.services[Datasets].count_query(ids)
    weir.services[Datasets].count_query(ids[:1])
    assert reasons(related(weir))["prod/weather"] == [{"kind": "read_together", "queries": 2}]
    usage = weir.services[CatalogStore].dataset(ids[0])
    assert usage is not None and usage.usage == 3


def test_lineage_relates_up_to_two_datasets_away(weir: ApiWorld) -> None:
    for inputs, outputs in ((["orders"], ["weather"]), (["weather"], ["counters"]), (["counters"], ["parcels"])):
        assert weir.admin.post("/api/v1/lineage", json=run(inputs, outputs)).status_code in (200, 201)
    weir.fold()
    reason_list = reasons(related(weir))
    step = {"kind": "lineage", "direction": "downstream"}
    assert reason_list["prod/weather"] == [{**step, "distance": 1}] and reason_list["prod/counters"] == [
        {**step, "distance": 2}
    ]
    assert all(each["kind"] != "lineage" for each in reason_list["prod/parcels"])
    assert {"kind": "lineage", "direction": "upstream", "distance": 1} in reasons(related(weir, "counters"))[
        "prod/weather"
    ]


def test_a_deleted_dataset_is_related_to_none(weir: ApiWorld) -> None:
    ids = [weir.services[Datasets].find(f"prod/{name}") for name in ("orders", "weather")]
    weir.services[Datasets].count_query(ids)
    TOPICS_LEFT = [t for t in weir.services[Discovery].list_topics("prod") if t.name in ("orders", "parcels")]
    weir.services[Datasets].record_topics("prod", TOPICS_LEFT)
    answer = related(weir)
    assert (set(reasons(answer)), answer["total"]) == ({"prod/parcels"}, 1)


def test_the_limit_cuts_and_the_total_counts_all(weir: ApiWorld) -> None:
    answer = related(weir, limit=1)
    assert (len(answer["related"]), answer["total"]) == (1, 2)


def test_what_a_server_that_is_away_would_add_is_named(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> Any:
        raise Unavailable("Elasticsearch at http://localhost:9200 does not answer.")

    monkeypatch.setattr(MemorySearchIndex, "search", away)
    answer = related(weir)
    assert [each["kind"] for each in answer["missing"]] == ["shared_key"]
    assert "does not answer" in answer["missing"][0]["message"]


def test_an_unknown_dataset_has_none(weir: ApiWorld) -> None:
    assert weir.admin.get("/api/v1/datasets/prod/nowhere/related").status_code == 404
    assert weir.anonymous().get("/api/v1/datasets/prod/orders/related").status_code == 401
    assert weir.user("nobody").get("/api/v1/datasets/prod/orders/related").status_code == 200


def opened(weir: ApiWorld, q: str, dataset: str) -> Any:
    return weir.admin.post("/api/v1/search/opened", json={"q": q, "dataset": dataset})


def order(weir: ApiWorld, q: str) -> list[str]:
    hits = weir.admin.get("/api/v1/search", params={"q": q, "kind": "field"}).json()["hits"]
    return [f"{hit['name']}.{hit['path']}" for hit in hits]


def test_an_opened_answer_breaks_a_tie_and_is_a_reason(weir: ApiWorld) -> None:
    before = order(weir, "name")
    last = before[-1].split(".")[0]
    for _ in range(5):
        assert opened(weir, "  NAME ", f"prod/{last}").json() == {"counted": True}
    after = order(weir, "name")
    assert after[0].startswith(f"{last}.") and sorted(after) == sorted(before)
    hits = weir.admin.get("/api/v1/search", params={"q": "name", "explain": True}).json()["hits"]
    why = {hit["name"]: hit["why"].get("clicks") for hit in hits if hit["kind"] == "field"}
    assert 1 < why.pop(last) <= 1.03 and set(why.values()) == {None}
    assert order(weir, "names of things") != [] and "clicks" not in str(
        weir.admin.get("/api/v1/search", params={"q": "amount", "explain": True}).json()
    )


def test_clicks_do_not_raise_what_fits_less(weir: ApiWorld) -> None:
    for _ in range(50):
        opened(weir, "order_id", "prod/weather")
        opened(weir, "order_id", "prod/payments")
    assert order(weir, "order_id")[0] in ("orders.value.order_id", "counters.value.order_id")


def test_neither_the_words_nor_the_person_are_kept(weir: ApiWorld, tmp_path: Path) -> None:
    ana = weir.user("ana")
    assert ana.post("/api/v1/search/opened", json={"q": "ann.smith@example.com", "dataset": "prod/orders"}).json()[
        "counted"
    ]
    with sqlite3.connect(tmp_path / "weir.db") as database:
        rows = database.execute("SELECT * FROM search_clicks").fetchall()
    assert len(rows) == 1 and len(rows[0]) == 3
    assert not any("ann" in str(each).lower() or "smith" in str(each).lower() for each in rows[0])
    key = weir.services[CatalogStore].clicks(rows[0][0], weir.services[Clicks]._clock())
    assert list(key) == [DatasetId(f"kafka://{BOOTSTRAP}", "orders")]
    audit = weir.admin.get("/api/v1/audit").text
    assert "smith" not in audit


def test_another_secret_gives_another_key() -> None:
    from datetime import UTC, datetime

    from catalog.search.clicks import Clicks
    from tests.twins.catalog.store import MemoryCatalogStore

    def key(secret: bytes) -> str | None:
        return Clicks(MemoryCatalogStore(), secret, lambda: datetime.now(UTC))._key("ann@example.com")

    assert key(b"a") == key(b"a") != key(b"b")


def test_a_query_of_nothing_is_not_counted_and_an_unknown_dataset_is_refused(weir: ApiWorld) -> None:
    assert opened(weir, "  ", "prod/orders").json() == {"counted": False}
    assert opened(weir, "x", "prod/nowhere").status_code == 404
    assert (
        weir.admin.post("/api/v1/search/opened", json={"q": "x", "dataset": "prod/orders", "user": "ana"}).status_code
        == 400
    )
    assert weir.anonymous().post("/api/v1/search/opened", json={"q": "x", "dataset": "prod/orders"}).status_code == 401
