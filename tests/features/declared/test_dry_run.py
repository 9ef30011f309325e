"""A dry run is refused where the apply would be, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api_world import ApiWorld, world

CLUSTER = 'apiVersion: weir/v1\nkind: Cluster\nmetadata: {name: NAME}\nspec: {bootstrapServers: "localhost:9092"}\n'
DATASET = "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: prod}\nspec: {description: Orders}\n"
PURPOSE = "apiVersion: weir/v1\nkind: Purpose\nmetadata: {name: NAME}\nspec: {description: A}\n"
GRANT = (
    "apiVersion: weir/v1\nkind: Grant\nmetadata: {name: jo}\nspec: {status: approved, subject: {user: jo}, dataset: prod/orders,"
    " fields: ['*'], unmask: [], purpose: support, validFrom: 2026-01-01T00:00:00Z, validTo: 2099-01-01T00:00:00Z}\n"
)


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as created:
        yield created


def test_what_others_need_is_refused_by_a_dry_run_too(weir: ApiWorld) -> None:
    weir.apply("---\n".join((CLUSTER.replace("NAME", "prod"), DATASET, PURPOSE.replace("NAME", "support"), GRANT)))
    before = [weir.admin.get(f"/api/v1/declared/{kind}").json() for kind in ("Cluster", "Purpose")]
    entries = weir.admin.get("/api/v1/audit").json()["entries"]
    for text, needed in (
        (CLUSTER.replace("NAME", "other"), "still has declared datasets"),
        (PURPOSE.replace("NAME", "other"), "Purpose support is used by Grant jo"),
    ):
        answers = [
            weir.admin.post(
                "/api/v1/apply",
                params={"prune": True, "dryRun": dry},
                content=text,
                headers={"Content-Type": "application/yaml"},
            )
            for dry in (True, False)
        ]
        assert [each.status_code for each in answers] == [409, 409]
        assert all(needed in each.json()["error"]["message"] for each in answers)
    assert [weir.admin.get(f"/api/v1/declared/{kind}").json() for kind in ("Cluster", "Purpose")] == before
    assert weir.admin.get("/api/v1/audit").json()["entries"] == entries


def test_a_dry_run_leaves_no_document_and_no_event(weir: ApiWorld) -> None:
    events = weir.admin.get("/api/v1/events").json()
    answer = weir.admin.post(
        "/api/v1/apply?dryRun=true",
        content="---\n".join((CLUSTER.replace("NAME", "prod"), DATASET)),
        headers={"Content-Type": "application/yaml"},
    )
    assert [each["action"] for each in answer.json()["changes"]] == ["create", "create"]
    assert weir.admin.get("/api/v1/declared/Cluster").json()["documents"] == []
    assert weir.admin.get("/api/v1/datasets").json()["datasets"] == []
    assert weir.admin.get("/api/v1/events").json() == events
