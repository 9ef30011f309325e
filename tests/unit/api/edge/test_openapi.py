"""What `/openapi.json` promises of failures and of bodies, compared with what the application answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from fastapi.responses import JSONResponse

from api.edge.answer import Answer
from api.features.search import answers as search_answers
from tests.answer_check import AnswerDiffers, differences
from tests.api_world import ApiWorld
from tests.api_world import world as a_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with a_world(tmp_path_factory.mktemp("openapi")) as weir:
        yield weir


@pytest.fixture(scope="module")
def described(world: ApiWorld) -> dict[str, Any]:
    answer: dict[str, Any] = world.admin.get("/openapi.json").json()
    return answer


def operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def test_every_route_tells_its_failures_and_none_that_it_has_not(described: dict[str, Any]) -> None:
    by_pair = {(method, path): set(operation["responses"]) for method, path, operation in operations(described)}
    assert len(by_pair) > 80
    assert {at for at, codes in by_pair.items() if "default" not in codes or "422" in codes} == set()
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
    assert set(answer.json()) == {"error"}
    shape = {"$ref": "#/components/schemas/Error", "components": described["components"]}
    jsonschema.validate(answer.json(), shape, jsonschema.Draft202012Validator)


def test_bodies_that_routes_read_themselves_are_described(described: dict[str, Any]) -> None:
    taken = {
        path: set(operation["requestBody"]["content"])
        for method, path, operation in operations(described)
        if "requestBody" in operation
    }
    assert taken["/api/v1/apply"] == taken["/api/v1/policies/simulate"] == {"application/json", "application/yaml"}
    assert taken["/api/v1/lineage"] == taken["/api/v1/lineage/batch"] == {"application/json"}


def test_every_operation_has_a_short_name_of_its_own(described: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(described)]
    assert len(set(names)) == len(names)
    assert "catalog_list_datasets" in names
    assert [name for name in names if "api_v1" in name or not name.isidentifier()] == []


def test_a_json_schema_is_described_as_an_object(described: dict[str, Any]) -> None:
    answers = described["paths"]["/api/v1/datasets/{namespace}/{name}/schema"]["get"]["responses"]["200"]["content"]
    assert answers["application/schema+json"]["schema"]["type"] == "object"
    assert answers["text/plain"]["schema"]["type"] == "string"


def test_answers_that_are_no_json_say_what_they_are(world: ApiWorld, described: dict[str, Any]) -> None:
    def kinds(path: str) -> set[str]:
        return set(described["paths"][path]["get"]["responses"]["200"]["content"])

    assert kinds("/metrics") == {world.admin.get("/metrics").headers["content-type"]}
    assert kinds("/api/v1/query/stream") == {"text/event-stream"}


def answered(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Media type -> shape of every answer that is not a failure."""
    return {
        media: content.get("schema", {})
        for status, response in operation["responses"].items()
        if status.startswith("2")
        for media, content in response.get("content", {}).items()
    }


BODILESS = {
    ("post", "/api/v1/lineage"),
    ("get", "/api/v1/auth/login/{provider}"),
    ("get", "/api/v1/auth/callback/{provider}"),
    ("post", "/api/v1/auth/backchannel/{provider}"),
    ("post", "/api/v1/auth/device/{code}/let-in"),
    ("post", "/mcp"),
}
"""201 without a body: the event is durable. Ways of a browser to a provider and back, and the page that lets
a command line in; the answer to a provider; messages of another protocol."""


def test_every_route_has_a_model_for_its_answer(described: dict[str, Any]) -> None:
    without = {
        (method, path)
        for method, path, operation in operations(described)
        if not (media := answered(operation)) or not names_models(media.get("application/json", {"$ref": "text"}))
    }
    assert without == BODILESS


def names_models(shape: dict[str, Any]) -> bool:
    """Whether a shape is a model, a list of one, or a choice of several."""
    if "anyOf" in shape:
        return all(map(names_models, shape["anyOf"]))
    return "$ref" in (shape.get("items", shape) if shape.get("type") == "array" else shape)


def test_no_property_is_null_alone(described: dict[str, Any]) -> None:
    """OpenAPI Generator ends at such a property: it has no type for it."""
    null_alone = {
        f"{name}.{field}"
        for name, schema in described["components"]["schemas"].items()
        for field, content in schema.get("properties", {}).items()
        if content.get("type") == "null"
    }
    assert null_alone == set()


def test_models_have_names_of_their_own(described: dict[str, Any]) -> None:
    # Two models of one name get those of their modules, joined by "__".
    assert [name for name in described["components"]["schemas"] if "__" in name] == []


def test_every_model_is_used_and_described(described: dict[str, Any]) -> None:
    named = [json.dumps(described["paths"]), *map(json.dumps, described["components"]["schemas"].values())]
    unused = [
        name
        for name in described["components"]["schemas"]
        if not any(f'"#/components/schemas/{name}"' in text for text in named)
    ]
    assert unused == []
    assert [n for n, m in models_of_answers().items() if not (m.__doc__ or "").strip()] == []


def models_of_answers() -> dict[str, type[Answer]]:
    by_name: dict[str, type[Answer]] = {}
    waiting: list[type[Answer]] = [Answer]
    while waiting:
        for model in waiting.pop().__subclasses__():
            by_name[model.__name__] = model
            waiting.append(model)
    return by_name


@pytest.mark.parametrize(
    ("path", "data", "problem"),
    [
        ("/api/v1/search/opened", {"counted": True}, None),
        ("/api/v1/search/opened", {"counted": True, "by": "ana"}, "by"),
        ("/api/v1/search/opened", {}, "counted"),
        ("/api/v1/search/opened", {"counted": "yes"}, "yes"),
        ("/api/v1/tokens", {"id": "t", "user": "ana", "token": "x", "scopes": None}, "expiresAt"),
        ("/api/v1/tokens", {"id": "t", "user": "ana", "token": "x", "expiresAt": None, "scopes": None}, None),
    ],
)
def test_answers_that_differ_from_their_model_are_found(path: str, data: dict[str, Any], problem: str | None) -> None:
    problems = differences("POST", path, 201 if path.endswith("tokens") else 200, data)
    assert (problem is None and not problems) or (problem is not None and problem in " ".join(problems)), problems


def test_a_key_without_a_model_fails_the_test_that_got_it(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    # A route that answers with a response of its own is not held to its model by FastAPI.
    monkeypatch.setattr(search_answers, "SearchOpened", lambda counted: JSONResponse({"counted": "yes"}))
    world.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
    with pytest.raises(AnswerDiffers, match=r"POST /api/v1/search/opened answered 200.*counted"):
        world.admin.post("/api/v1/search/opened", json={"q": "orders", "dataset": "prod/orders"})


def test_json_of_a_route_that_documents_none_is_refused() -> None:
    with pytest.raises(AnswerDiffers, match="documents no model"):
        differences("POST", "/api/v1/lineage", 201, {})
    with pytest.raises(AnswerDiffers, match="no route"):
        differences("GET", "/api/v1/nowhere", 200, {})
