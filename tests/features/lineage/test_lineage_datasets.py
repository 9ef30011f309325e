"""Datasets known from lineage in the rest of Weir: one record each, whatever comes when; tags, reports, policies, rebuilds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.wiring.duties import Duties
from catalog.datasets.datasets import Datasets
from catalog.datasets.tag_propagation import TagFlow
from catalog.ports import CatalogStore
from catalog.search.service import Search
from lineage.producers.catalog import ProducerCatalog
from policies.ports import FactsSource
from tests.api_world import BOOTSTRAP, ApiWorld, world
from tests.lineage_samples import real_rows
from tests.reported_door import LAKE, SCHEMA, SHOP, USERS, ask, event, place, post, ref

KAFKA = f"kafka://{BOOTSTRAP}"


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as weir:
        yield weir


def catalog_of(weir: ApiWorld) -> list[Any]:
    """Everything the catalog knows from lineage, without the times at which it learned it."""
    entries = []
    for dataset in ask(weir, "datasets", limit=1000)["datasets"]:
        at = place(dataset["name"], dataset["namespace"])
        shown = {key: value for key, value in ask(weir, at).items() if key not in ("createdAt", "updatedAt")}
        entries.append((shown, ask(weir, f"{at}/schema")))
    return entries


def flow(raw: bool = True) -> dict[str, Any]:
    """orders.value.customer.email goes into a table, raw or masked."""
    way = {"type": "DIRECT", "subtype": "IDENTITY" if raw else "TRANSFORMATION", "masking": not raw}
    facet = {
        "fields": {
            "mail": {
                "inputFields": [
                    {"namespace": KAFKA, "name": "orders", "field": "customer.email", "transformations": [way]}
                ]
            }
        }
    }
    return event(inputs=[ref("orders", KAFKA)], outputs=[ref(columnLineage=facet)])


def test_events_in_any_order_and_doubled_give_the_same_catalog(tmp_path: Path) -> None:
    link = {"identifiers": [{"namespace": "hive://m", "name": "shop.users", "type": "TABLE"}]}
    events = [
        event(0, run_id="a", outputs=[ref(schema=SCHEMA, documentation={"description": "old"})]),
        event(5, run_id="b", outputs=[ref(schema={"fields": [{"name": "id", "type": "int"}]}, symlinks=link)]),
        event(7, run_id="b", kind="RUNNING", inputs=[ref("shop.users", "hive://m", version={"datasetVersion": "3"})]),
        event(
            9,
            run_id="c",
            outputs=[ref(documentation={"description": "new"}, lifecycleStateChange={"lifecycleStateChange": "ALTER"})],
        ),
        flow(),
    ]
    orders = [events, events[::-1], [*events, *events[::-1]], random.Random(7).sample(events, len(events))]
    seen = []
    for number, order in enumerate(orders):
        folder = tmp_path / str(number)
        folder.mkdir()
        with world(folder) as weir:
            for one in order:  # each in a batch of its own
                post(weir, one)
            seen.append(catalog_of(weir))
    assert seen[0][0] and all(other == seen[0] for other in seen[1:])


def test_recorded_events_reversed_and_doubled(shared_data: Path, tmp_path: Path) -> None:
    rows = [row["event"] for row in real_rows(shared_data) if row["valid"]]
    seen = []
    for number, order in enumerate((rows, rows[::-1] + rows)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with world(folder) as weir:
            post(weir, *order)
            seen.append(catalog_of(weir))
            total = len(weir.graph.named_in("dataset", None, 10_000))
    assert len(seen[0]) == total, "every dataset of lineage is in the catalog"
    assert seen[0] == seen[1]


def test_a_topic_that_is_scanned_later_is_one_record_and_the_scan_wins(weir: ApiWorld) -> None:
    post(
        weir,
        event(
            outputs=[
                ref(
                    "orders",
                    "kafka://127.0.0.1:9092",
                    documentation={"description": "From a job"},
                    schema={"fields": [{"name": "guess", "type": "int"}]},
                )
            ]
        ),
    )
    (only,) = ask(weir, "datasets")["datasets"]
    assert (only["source"], only["cluster"]) == ("lineage", None)
    weir.apply(
        f"apiVersion: weir/v1\nkind: Cluster\nmetadata: {{name: prod}}\nspec: {{bootstrapServers: {BOOTSTRAP}}}\n"
    )
    weir.services[ProducerCatalog].realign()
    while weir.services[ProducerCatalog].settle():
        pass
    weir.scan(cluster="prod", topics=["orders"])
    (only,) = ask(weir, "datasets")["datasets"]
    assert (only["source"], only["reference"], only["description"]) == ("catalog", "prod/orders", "From a job")
    schema = ask(weir, "datasets/prod/orders/schema")
    assert (schema["source"], schema["version"]) == ("scan", 1)
    assert "value.guess" not in {f["path"] for f in schema["fields"]}
    post(
        weir, event(9, run_id="r2", outputs=[ref("orders", KAFKA, schema={"fields": [{"name": "again", "type": "x"}]})])
    )
    assert ask(weir, "datasets/prod/orders/schema") == schema, "producers change nothing of what was scanned"
    assert ask(weir, "search", q="guess")["total"] == 0
    weir.apply(
        "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: prod}\nspec: {description: Mine}\n"
    )
    shown = ask(weir, "datasets/prod/orders")
    assert (shown["description"], shown["descriptionSource"]) == ("Mine", "user")
    assert shown["reported"]["description"] == "From a job"


def test_tags_reach_tables_and_stop_at_masks(weir: ApiWorld) -> None:
    weir.apply(
        f"apiVersion: weir/v1\nkind: Cluster\nmetadata: {{name: prod}}\nspec: {{bootstrapServers: {BOOTSTRAP}}}\n"
    )
    weir.scan(cluster="prod", topics=["orders"])
    post(weir, flow())
    assert weir.services[TagFlow].sweep().inherited == 1
    (tag,) = ask(weir, f"{place()}/classifications")
    assert (tag["path"], tag["entity"], tag["state"]) == ("value.mail", "EMAIL_ADDRESS", "suggested")
    assert ask(weir, place())["entities"] == ["EMAIL_ADDRESS"]
    hits = ask(weir, "search", q="", entity="EMAIL_ADDRESS", source="lineage", kind="field")["hits"]
    assert [(hit["name"], hit["path"]) for hit in hits] == [(USERS, "value.mail")]
    report = ask(weir, "reports/where-is", entity="EMAIL_ADDRESS")
    assert (USERS, "value.mail") in {(p["name"], p["path"]) for p in report["places"]}
    field = f"datasetField:{KAFKA}:orders:value.customer.email"
    assert f"datasetField:{SHOP}:{USERS}:mail" in {row["id"] for row in ask(weir, "impact", nodeId=field)["affected"]}
    facts = weir.services[Datasets].facts(weir.services[Datasets].find(f"{SHOP}/{USERS}"))
    assert {f.path: (dict(f.tags) != {}, f.classified) for f in facts.fields} == {"value.mail": (True, True)}
    masked = {**flow(raw=False), "eventTime": "2026-01-02T00:00:00Z", "run": {"runId": "r2"}}
    masked["outputs"][0]["facets"]["lifecycleStateChange"] = {"lifecycleStateChange": "OVERWRITE"}
    post(weir, masked)
    assert weir.services[TagFlow].sweep().ended == 1, "what was there raw is overwritten, and masked from now on"


def test_where_is_names_a_column_and_what_nobody_looked_into(weir: ApiWorld) -> None:
    post(
        weir,
        event(
            inputs=[ref(schema=SCHEMA)],
            outputs=[
                ref(
                    "copy",
                    LAKE,
                    columnLineage={
                        "fields": {"email": {"inputFields": [{"namespace": SHOP, "name": USERS, "field": "email"}]}}
                    },
                )
            ],
        ),
    )
    report = ask(weir, "reports/where-is", field="email")
    places = {(p["namespace"], p["path"]): p for p in report["places"]}
    assert set(places) == {(SHOP, "value.email"), (LAKE, "value.email")}
    assert [flow["id"] for flow in places[SHOP, "value.email"]["flows"]] == [f"datasetField:{LAKE}:copy:email"]
    (gap,) = [gap for gap in report["gaps"] if gap["kind"] == "lineage_only"]
    assert gap["message"].startswith("2 datasets are known from lineage only") and len(gap["datasets"]) == 2


def test_policies_see_columns_as_unscanned_and_nothing_can_be_queried(weir: ApiWorld) -> None:
    post(weir, event(inputs=[ref(schema=SCHEMA)]))
    facts = weir.services[FactsSource].facts(f"{SHOP}/{USERS}")
    assert [f.path for f in facts.fields if f.classified] == []
    assert "value.email" in [f.path for f in facts.fields]
    refused = weir.admin.post("/api/v1/query", json={"sql": f"SELECT * FROM `{SHOP}/{USERS}`", "purpose": "x"})
    assert refused.status_code in (400, 404) and "Traceback" not in refused.text
    assert ask(weir, f"{place()}/access")["access"] is not None
    assert weir.admin.get(f"/api/v1/{place()}/access", params={"path": "value.email"}).status_code == 200
    unknown = weir.admin.get(f"/api/v1/{place()}/access", params={"path": "value.emial"})
    assert unknown.status_code == 404 and "has no field value.emial" in unknown.json()["error"]["message"]


def test_rebuilding_lineage_makes_the_same_records_and_drops_what_no_event_says(weir: ApiWorld) -> None:
    post(weir, event(outputs=[ref(schema=SCHEMA, documentation={"description": "People"})]), flow())
    before = catalog_of(weir)
    store = weir.services[CatalogStore]
    from catalog.report_store import DATASET, Fact, Subject

    old = Subject(DATASET, SHOP, "old")
    store.put_facts(
        [
            Fact(old, "named", 0, {}),
            Fact(Subject(DATASET, SHOP, USERS), "datasetType", 9**13, {"datasetType": "READ BY AN OLDER WEIR"}),
        ],
        stamp=1,
    )
    while weir.services[ProducerCatalog].settle():
        pass
    assert len(ask(weir, "datasets")["datasets"]) == len(before) + 1
    assert weir.services[Duties].rebuild_lineage()["eventsFolded"] == 2
    assert catalog_of(weir) == before
    assert weir.admin.get(f"/api/v1/{place('old')}").status_code == 404
    assert ask(weir, "search", q="old")["total"] == 0
    assert weir.services[Search].rebuild_search() == len(before)
    assert catalog_of(weir) == before and ask(weir, "search", q="People")["total"] >= 1


def test_search_that_was_away_learns_of_lineage_later(weir: ApiWorld) -> None:
    post(weir, event(outputs=[ref(schema=SCHEMA)]))
    assert weir.services[Search].reindex_dirty() == 0, "indexed at once"
    assert ask(weir, "search", q="users", kind="dataset")["total"] == 1


def test_names_with_slashes_are_found_by_their_reference_and_topics_of_kafka_itself_are_left_out(
    weir: ApiWorld,
) -> None:
    own = [ref(name, KAFKA) for name in ("__consumer_offsets", "_weir.lineage")]
    post(weir, event(inputs=[*own, ref("2024/03/01/orders.parquet", LAKE, schema=SCHEMA), ref("x|//y", "airflow")]))
    assert {(d["namespace"], d["name"]) for d in ask(weir, "datasets")["datasets"]} == {
        (LAKE, "2024/03/01/orders.parquet"),
        ("airflow", "x|//y"),
    }
    facts = weir.services[FactsSource].facts(f"{LAKE}/2024/03/01/orders.parquet")
    assert facts.fields and not any(field.classified for field in facts.fields)
    assert (
        ask(weir, f"{place('2024/03/01/orders.parquet', LAKE)}/access")["dataset"]
        == f"{LAKE}/2024/03/01/orders.parquet"
    )
    completed = weir.admin.post("/api/v1/query/complete", json={"sql": "SELECT * FROM ", "position": 14})
    assert completed.status_code != 200 or "parquet" not in completed.text, "what cannot be queried is not offered"
