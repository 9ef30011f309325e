"""What `/openapi.json` promises of failures and of bodies, held against what the application answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from api_world import ApiWorld
from api_world import world as a_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with a_world(tmp_path_factory.mktemp("openapi")) as made:
        yield made


@pytest.fixture(scope="module")
def described(world: ApiWorld) -> dict[str, Any]:
    found: dict[str, Any] = world.admin.get("/openapi.json").json()
    return found


def operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def test_every_route_tells_its_failures_and_none_that_it_has_not(described: dict[str, Any]) -> None:
    told = {(method, path): set(operation["responses"]) for method, path, operation in operations(described)}
    assert len(told) > 80
    assert {at for at, codes in told.items() if "default" not in codes or "422" in codes} == set()
    assert "HTTPValidationError" not in described["components"]["schemas"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/api/v1/datasets/prod/no-such", None, 404),
        ("GET", "/api/v1/datasets?limit=many", None, 400),
        ("PUT", "/api/v1/me/delegation", None, 400),
        ("POST", "/api/v1/lineage", b"{", 400),
        ("GET", "/api/v1/no-such-route", None, 404),
        ("PATCH", "/api/v1/search", None, 405),
    ],
)
def test_failures_are_as_described(
    world: ApiWorld, described: dict[str, Any], method: str, path: str, body: bytes | None, status: int
) -> None:
    answer = world.admin.request(method, path, content=body)
    assert answer.status_code == status
    jsonschema.validate(answer.json(), described["components"]["schemas"]["Error"])
    assert jsonschema.Draft202012Validator.check_schema(described["components"]["schemas"]["Error"]) is None


def test_bodies_that_routes_read_themselves_are_described(described: dict[str, Any]) -> None:
    taken = {
        path: set(operation["requestBody"]["content"])
        for method, path, operation in operations(described)
        if "requestBody" in operation
    }
    assert taken["/api/v1/apply"] == taken["/api/v1/policies/simulate"] == {"application/yaml"}
    assert taken["/api/v1/lineage"] == taken["/api/v1/lineage/batch"] == {"application/json"}


def test_answers_that_are_no_json_say_what_they_are(world: ApiWorld, described: dict[str, Any]) -> None:
    def kinds(path: str) -> set[str]:
        return set(described["paths"][path]["get"]["responses"]["200"]["content"])

    assert kinds("/metrics") == {world.admin.get("/metrics").headers["content-type"]}
    assert kinds("/api/v1/query/stream") == {"text/event-stream"}
