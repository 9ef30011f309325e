"""A body that cannot be read is refused in one plain sentence: where it breaks, which header it needs, what its fields lack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

import pytest
from pydantic_core import core_schema

from catalog.problem_words import plain_problem
from tests.api_world import ApiWorld, world

_LIBRARY = re.compile(
    r"Input should|valid (dictionary|string|list)|Field required|Extra inputs|decode error|<[A-Z]\w+\."
)


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("weir")) as weir:
        yield weir


@pytest.mark.parametrize(
    ("content_type", "body", "message"),
    [
        ("text/plain", b"SELECT 1", "body: send it as JSON, with the header Content-Type: application/json."),
        ("application/x-www-form-urlencoded", b"sql=x", "body: send it as JSON, with the header Content-Type: application/json."),
        ("application/json", b'{"sql": "SELECT 1",\n "limit": }', "body: it is not JSON from line 2, column 11 on."),
        ("application/json", "{\"sql\": \"Köln\",\n\n \"limit\" 1}".encode(), "body: it is not JSON from line 3, column 10 on."),
        ("application/json", b"", "body: it is required."),
        ("application/json", b"[1]", "body: it must be an object of fields and their values."),
        ("application/json", b'{"sql": 5}', "body.sql: it must be a text."),
        ("application/json", b'{"sql": "a", "limt": 1}', "body.limt: it is not known there."),
        ("application/json", b'{"sql": "a", "limit": "x"}', "body.limit: it must be a whole number."),
        ("application/json", b'{"purpose": "a"}', "body.sql: it is required."),
    ],
)  # fmt: skip
def test_a_body_that_cannot_be_read(weir: ApiWorld, content_type: str, body: bytes, message: str) -> None:
    answer = weir.admin.post("/api/v1/query", content=body, headers={"Content-Type": content_type})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == message
    assert not any(_LIBRARY.search(each["problem"]) for each in answer.json()["error"]["details"]["fields"])


def test_an_event_that_is_not_json_tells_where_it_breaks(weir: ApiWorld) -> None:
    answer = weir.admin.post("/api/v1/lineage", content=b'{"eventType": "START",\n  "run": {,}}')
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "The message is not JSON in UTF-8: it breaks at line 2, column 11."


def test_no_kind_of_problem_is_told_in_the_words_of_the_library() -> None:
    for kind in get_args(core_schema.ErrorType):
        assert not _LIBRARY.search(plain_problem({"type": kind, "msg": "Input should be of that kind"})), kind


def test_a_field_is_named_as_it_was_written(weir: ApiWorld) -> None:
    """A body of several shapes is refused without the names of the shapes."""
    answer = weir.admin.post("/api/v1/decisions", json={"requests": ["x"] * 2000, "decision": "approve"})
    assert answer.json()["error"]["message"].startswith("body.requests: "), answer.text
