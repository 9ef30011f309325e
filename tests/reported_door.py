"""Tables of producers behind the HTTP door: builders of events with facets, and how answers are asked for."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from tests.api_world import ApiWorld
from tests.lineage_samples import at

SHOP = "postgres://db.shop:5432"
USERS = "shop.public.users"
LAKE = "s3://lake"


def ref(name: str = USERS, namespace: str = SHOP, side: str | None = None, given: Any = None, **facets: Any) -> Any:
    document = {"namespace": namespace, "name": name, "facets": facets}
    return {**document, side: given} if side else document


def event(
    time: float = 0,
    *,
    run_id: str = "r1",
    kind: str = "COMPLETE",
    inputs: Any = (),
    outputs: Any = (),
    run: Any = None,
    job: Any = None,
    name: str = "loader",
) -> dict[str, Any]:
    return {
        "eventTime": at(time),
        "eventType": kind,
        "producer": "https://example.com/test",
        "run": {"runId": run_id, "facets": run or {}},
        "job": {"namespace": "jobs", "name": name, "facets": job or {}},
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def post(weir: ApiWorld, *events: Any) -> None:
    done = weir.admin.post("/api/v1/lineage/batch", json=list(events))
    assert done.status_code == 200 and not done.json()["failed_events"], done.text
    weir.fold()


def ask(weir: ApiWorld, path: str, **params: Any) -> Any:
    answer = weir.admin.get(f"/api/v1/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def place(name: str = USERS, namespace: str = SHOP) -> str:
    return f"datasets/{quote(namespace, safe='')}/{quote(name, safe='')}"


SCHEMA = {
    "fields": [
        {"name": "id", "type": "bigint"},
        {"name": "email", "type": "VARCHAR(200)", "description": "Where the receipt goes"},
        {"name": "address", "type": "struct<city:string>", "fields": [{"name": "city", "type": "string"}]},
        {
            "name": "tags",
            "type": "array<struct>",
            "fields": [{"name": "_element", "type": "struct", "fields": [{"name": "key", "type": "string"}]}],
        },
        {
            "name": "extra",
            "type": "map<string,int>",
            "fields": [{"name": "key", "type": "string"}, {"name": "value", "type": "int"}],
        },
    ]
}
