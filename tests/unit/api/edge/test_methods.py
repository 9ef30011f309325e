"""Methods that a path does not take are refused with those it takes; HEAD of pages is GET without a body."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api_world import ApiWorld


@pytest.fixture
def weir(tmp_path: Path) -> ApiWorld:
    return ApiWorld(tmp_path)


@pytest.mark.parametrize(
    ("method", "path", "taken"),
    [
        ("PUT", "/api/v1/search", "GET"),
        ("PUT", "/api/v1/access-requests", "GET, POST"),
        ("POST", "/api/v1/tokens/x", "DELETE"),
        ("HEAD", "/api/v1/search", "GET"),
        ("PUT", "/api/v1/datasets/kafka%3A%2F%2Flocalhost%3A9092/orders", "GET, PATCH"),
        ("GET", "/mcp", "POST"),
        ("POST", "/healthz", "GET"),
        ("POST", "/datasets", "GET, HEAD"),
    ],
)
def test_the_methods_of_a_path_are_named(weir: ApiWorld, method: str, path: str, taken: str) -> None:
    refused = weir.admin.request(method, path)
    assert (refused.status_code, refused.headers["allow"]) == (405, taken)
    if method != "HEAD":
        assert refused.json()["error"]["message"] == f"{method} is not a method of {path}; it takes {taken}."


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_path_that_is_not_there_is_404_by_any_method(weir: ApiWorld, method: str) -> None:
    refused = weir.admin.request(method, "/api/v1/serch")
    assert refused.status_code == 404
    assert refused.json()["error"]["message"] == "There is nothing at /api/v1/serch."


@pytest.mark.parametrize("path", ["/api/nope", "/API/v1/me", "/Api/v1/search"])
def test_no_path_like_one_of_the_api_is_answered_by_a_page(weir: ApiWorld, path: str) -> None:
    answer = weir.admin.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == f"There is nothing at {path}."


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/"])
def test_head_is_get_without_a_body(weir: ApiWorld, path: str) -> None:
    whole, head = weir.admin.get(path), weir.admin.head(path)
    assert head.status_code == whole.status_code and head.content == b""
    assert head.headers["content-type"] == whole.headers["content-type"]
