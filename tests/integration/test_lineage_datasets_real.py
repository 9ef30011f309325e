"""Datasets of lineage on real servers: from an event in Kafka over Neo4j into the record and Elasticsearch."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from api.app import create_app
from api.bootstrap import build
from api.config.home import Home
from api.config.settings import Settings
from api.wiring.duties import Duties
from api.wiring.given import GivenAdapters
from api.wiring.instance import write_admin_token
from catalog.adapters.elastic.index import ElasticSearchIndex
from catalog.search.service import Search
from lineage.adapters.kafka.source import KafkaEventSource
from lineage.producers.catalog import ProducerCatalog
from tests.answer_check import CheckedClient
from tests.api_world import MemoryBrokers
from tests.lineage_servers import servers_on
from tests.reported_door import LAKE, SCHEMA, SHOP, USERS, event, place, ref
from tests.twins.policies.stores import MemoryHeadPublisher
from tests.twins.scanners import MemoryOffsets, MemoryRegistry, MemorySampler

if TYPE_CHECKING:
    from tests.conftest import Stack

pytestmark = pytest.mark.integration


def test_from_a_posted_event_to_search_and_pages_and_after_rebuilds(stack: Stack, tmp_path: Path) -> None:
    settings = Settings()
    settings.database.url = f"sqlite:///{tmp_path / 'weir.db'}"
    index = ElasticSearchIndex(stack.elasticsearch, alias=f"test-facets-{uuid.uuid4().hex[:8]}")
    with servers_on(stack) as servers:
        source = KafkaEventSource(servers.kafka, servers.settings)
        built = build(
            settings,
            Home(tmp_path),
            GivenAdapters(
                index=index,
                brokers=MemoryBrokers({}),
                log=servers.log,
                source=source,
                letters=servers.dead,
                graph=servers.graph,
                publisher=MemoryHeadPublisher(),
                event_topic=None,
                sampler=MemorySampler({}),
                offsets=MemoryOffsets({}),
                registry=MemoryRegistry(),
            ),
        )
        servers.log.ensure_topic()
        write_admin_token(built)
        token = (tmp_path / "admin.token").read_text().strip()
        client = CheckedClient(create_app(built), headers={"Authorization": f"Bearer {token}"})
        link = {"identifiers": [{"namespace": "hive://meta:9083", "name": "shop.users", "type": "TABLE"}]}
        facet = {
            "fields": {
                "hash": {
                    "inputFields": [
                        {
                            "namespace": SHOP,
                            "name": USERS,
                            "field": "email",
                            "transformations": [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}],
                        }
                    ]
                }
            }
        }
        events = [
            event(
                inputs=[ref(schema=SCHEMA, documentation={"description": "People who bought"})],
                outputs=[ref("2024/03/users", LAKE, columnLineage=facet, symlinks=link)],
            ),
            event(5, run_id="r2", kind="FAIL", run={"errorMessage": {"message": "no 'joe@x.example'"}}),
        ]
        try:
            assert client.post("/api/v1/lineage/batch", json=events).json()["status"] == "success"
            worker = built[Duties].lineage_worker()
            folded = 0
            while folded < 2:
                folded += worker.step(timeout=10)

            def answers() -> list[object]:
                while built[ProducerCatalog].settle():
                    pass
                built[Search].reindex_dirty()
                index.refresh()
                answer = client.get("/api/v1/search", params={"q": "receipt", "source": "lineage"}).json()
                shown = client.get(f"/api/v1/{place('shop.users', 'hive://meta:9083')}").json()
                edges = client.get(
                    "/api/v1/lineage", params={"nodeId": f"dataset:{LAKE}:2024/03/users", "level": "column"}
                )
                marquez = client.get(f"/api/v1/namespaces/{quote(SHOP, safe='')}/datasets/{USERS}").json()
                return [
                    [(hit["name"], hit["path"]) for hit in answer["hits"]],
                    (shown["namespace"], shown["name"], shown["source"]),
                    [edge["transformations"] for edge in edges.json()["edges"]],
                    marquez["facets"]["schema"]["fields"],
                    [run.get("facets") for run in client.get("/api/v1/jobs/jobs/loader/runs").json()["runs"]],
                    client.get("/api/v1/datasets").json()["total"],
                ]

            first = answers()
            assert first == [
                [(USERS, "value.email")],
                (LAKE, "2024/03/users", "lineage"),
                [[{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}]],
                SCHEMA["fields"],
                [{"errorMessage": {"message": "no […]"}}, None],
                2,
            ]
            assert built[Duties].rebuild_lineage()["eventsFolded"] == 2
            assert built[Search].rebuild_search() == 2
            assert answers() == first
        finally:
            built.close()
            source.close()
            for name in index._client.indices.get_alias(name=index._alias):
                index._client.indices.delete(index=name)
