"""What every door has in common: unknown fields are refused, answers are kept nowhere, pages run nothing foreign."""

from __future__ import annotations

import base64
import hashlib
import re
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pydantic import BaseModel

from api.app import create_app
from api.bootstrap import offline
from tests.api_world import ApiWorld, world

CSV_WRITERS = (
    "api/features/curation/export.py",
    "api/formats/csv_text.py",
    "api/terminal/output.py",
    "api/formats/listing.py",
    "policies/audit/export.py",
    "catalog/where_is/csv.py",
    "lineage/questions/exports.py",
)


def models(kind: object, seen: set[type[BaseModel]]) -> set[type[BaseModel]]:
    """Every model that a type leads to."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if kind not in seen:
            seen.add(kind)
            for field in kind.model_fields.values():
                models(field.annotation, seen)
        return seen
    for inner in typing.get_args(kind):
        models(inner, seen)
    return seen


def test_every_request_body_refuses_unknown_fields() -> None:
    matches: set[type[BaseModel]] = set()

    def routes(router: object) -> Iterator[APIRoute]:
        for route in getattr(router, "routes", []):
            if isinstance(route, APIRoute):
                yield route
            else:
                yield from routes(getattr(route, "router", None) or getattr(route, "original_router", None))

    app = create_app(offline())
    bodies = 0
    for route in routes(app):
        for param in route.dependant.body_params:
            bodies += 1
            models(param.field_info.annotation, matches)
    assert bodies >= 15 and len(matches) >= 15, (bodies, matches)
    assert [model.__name__ for model in matches if model.model_config.get("extra") != "forbid"] == []


def test_every_csv_goes_through_the_one_function_for_formulas() -> None:
    root = Path(__file__).resolve().parents[2]
    writers = [
        str(path.relative_to(root))
        for room in ("api", "catalog", "connectors", "lineage", "policies", "scanners", "views")
        for path in (root / room).rglob("*.py")
        if re.search(r"csv\.(writer|DictWriter)\(|def csv_line", path.read_text()) and "/demo/" not in str(path)
    ]
    assert sorted(writers) == sorted(CSV_WRITERS)
    for path in writers:
        assert "defused(" in (root / path).read_text(), path


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        yield weir


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/queries",
        "/api/v1/audit",
        "/api/v1/tokens",
        "/api/v1/me",
        "/api/v1/datasets",
        "/api/v1/reports/where-is?entity=PII",
        "/api/v1/reports/where-is?entity=PII&format=csv",
        "/api/v1/reports/where-is?entity=PII&format=html",
        "/api/v1/grants",
        "/api/v1/queries/none",
        "/api/v1/nothing",
        "/metrics",
    ],
)
def test_answers_are_kept_nowhere(weir: ApiWorld, path: str) -> None:
    for client in (weir.admin, weir.anonymous()):
        assert client.get(path).headers["cache-control"] == "no-store", path


def test_refused_queries_and_tokens_are_kept_nowhere(weir: ApiWorld) -> None:
    for path, body in (("query", {"sql": "SELECT 1 FROM nowhere"}), ("tokens", {"user": "ana"})):
        answer = weir.admin.post(f"/api/v1/{path}", json=body)
        assert answer.headers["cache-control"] == "no-store"


def policy(client: TestClient, path: str) -> tuple[dict[str, str], str]:
    answer = client.get(path)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html"), answer.text
    parts = (part.strip().partition(" ") for part in answer.headers["content-security-policy"].split(";"))
    return {name: value for name, _, value in parts}, answer.text


@pytest.mark.parametrize(
    "path", ["/api/v1/reports/where-is?entity=PII&format=html", "/docs", "/docs/oauth2-redirect", "/"]
)
def test_pages_run_nothing_foreign(weir: ApiWorld, path: str) -> None:
    policies, html = policy(weir.admin, path)
    assert (
        policies["default-src"] == "'none'"
        and policies["frame-ancestors"] == "'none'"
        and policies["base-uri"] == "'none'"
    )
    assert "unsafe" not in policies.get("script-src", "")
    for script in re.findall(r"<script>(.*?)</script>", html, re.S):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policies["script-src"], script[:80]


def test_unknown_fields_of_approve_are_refused(weir: ApiWorld) -> None:
    for door in ("approve", "deny"):
        answer = weir.admin.post(
            f"/api/v1/access-requests/req-1/{door}", json={"reason": "x", "validTo": "2030-01-01T00:00:00Z"}
        )
        assert answer.status_code == 400 and "validTo" in answer.text, answer.text


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("query", {"sql": "SELECT 1", "query_id": "mine"}, "query_id"),
        ("scans", {"cluster": "prod", "sample": {"max_bytes": 1}}, "max_bytes"),
        ("scans", {"bootstrap_servers": "localhost:9092"}, "bootstrap_servers"),
        ("access-requests", {"dataset": "prod/orders", "purpose": "x", "from_": "2030-01-01T00:00:00Z"}, "from_"),
    ],
)
def test_names_of_attributes_are_no_keys_of_bodies(
    weir: ApiWorld, path: str, body: dict[str, object], name: str
) -> None:
    answer = weir.admin.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == 400 and name in answer.text, answer.text


def test_names_of_arguments_are_no_parameters(weir: ApiWorld) -> None:
    answer = weir.admin.get("/api/v1/query/stream?sql=SELECT+1&query_id=mine")
    assert answer.status_code == 400 and answer.json()["error"]["details"]["nearest"] == "queryId", answer.text
