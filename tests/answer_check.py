"""Every JSON answer that a test gets, compared with what `/openapi.json` documents for its route; unknown keys are refused.

The document leaves answers open, as clients should; here each object with declared keys is closed, so a key that an
answer has and its model has not fails the test that got it. Objects that the document leaves free, and events of streams,
have camelCase keys too, except where their keys are data or another standard's.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from functools import cache
from threading import Thread
from typing import Any

import anyio
import httpx2
import jsonschema_rs
from anyio.from_thread import BlockingPortal
from fastapi.testclient import TestClient

from api.app import create_app
from api.bootstrap import offline

_PARAMETER = re.compile(r"\\{[^}]+\\}")
_OTHERS = ("/openapi.json", "/mcp")
"""JSON that is not an answer of a route of ours."""
_ANSWERED_503 = ("/readyz",)
"""Whose 503 is an answer and no failure."""
_SNAKE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)+")
_FREE = frozenset({"facets", "spec"})
"""Keys of objects whose keys are data or another standard's."""
_LINES = ("text/event-stream", "application/x-ndjson")
"""Media with an object a line."""
_STANDARDS = frozenset(
    {"failed_events", "non_retriable"} | {"resource_name", "authorization_servers", "bearer_methods_supported"}
)
"""Keys that OpenLineage and RFC 9728 have."""


class AnswerDiffers(AssertionError):
    """An answer is not as documented."""


class CheckedClient(TestClient):
    """A client that takes only documented answers. One event loop serves all of them, or each request would start its own."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.portal = event_loop()

    def request(self, *given: Any, **more: Any) -> Any:
        answer = super().request(*given, **more)
        check(answer)
        return answer


@cache
def event_loop() -> BlockingPortal:
    """A door to an event loop that ends with the process."""
    ready: Future[BlockingPortal] = Future()

    async def serve() -> None:
        async with BlockingPortal() as portal:
            ready.set_result(portal)
            await portal.sleep_until_stopped()

    Thread(target=anyio.run, args=(serve,), daemon=True).start()
    return ready.result()


def check(answer: httpx2.Response) -> None:
    """Raise AnswerDiffers where a JSON answer is not as its route documents it; other media are left alone."""
    kind = answer.headers.get("content-type", "").partition(";")[0]
    path = answer.request.url.raw_path.decode().partition("?")[0]
    if kind not in (*_LINES, "application/json") or path in _OTHERS or not answer.read():
        return
    method, status = answer.request.method, answer.status_code
    if kind in _LINES:
        problems = [each for data in _events(answer.text) for each in snake_keys(data)]
    else:
        data = answer.json()
        problems = [*differences(method, path, status, data), *snake_keys(data)]
    if problems:
        raise AnswerDiffers(f"{method} {path} answered {status}, not as documented: {'; '.join(problems[:5])}")


def _events(text: str) -> Iterator[Any]:
    """The objects of a stream, one a line."""
    for line in text.splitlines():
        if (data := line.removeprefix("data:").strip()).startswith("{"):
            yield json.loads(data)


def snake_keys(data: Any, at: str = "") -> Iterator[str]:
    """Places of keys that are snake_case where they are Weir's own."""
    if isinstance(data, dict):
        for key, value in data.items():
            if _SNAKE.fullmatch(key) and key not in _STANDARDS:
                yield f"{at}{key} is not camelCase"
            if key not in _FREE:
                yield from snake_keys(value, f"{at}{key}.")
    elif isinstance(data, list):
        for value in data:
            yield from snake_keys(value, at)


def differences(method: str, path: str, status: int, data: Any) -> list[str]:
    """What of a JSON answer is not as documented; `path` as it was sent, without the query."""
    at = _place(method, path) if status < 400 or path in (*_ANSWERED_503, *_OTHERS) else None
    if at is not None and path in _OTHERS and str(status) not in document()["paths"][at[1]][at[0]]["responses"]:
        at = None  # Weir's own refusal, such as that of a token
    validator = _validator(at, str(status)) if at is not None else _failure()
    return [
        f"{'.'.join(map(str, error.instance_path)) or 'the answer'}: {error.message[:600]}"
        for error in validator.iter_errors(data)
    ]


@cache
def document() -> dict[str, Any]:
    """What `/openapi.json` gives."""
    return create_app(offline()).openapi()


@cache
def _templates() -> list[tuple[re.Pattern[str], str]]:
    """Paths as patterns; those with fewer parameters before the others, as routes are matched."""
    paths = sorted(document()["paths"], key=lambda path: (path.count("{"), path))
    return [(re.compile(_PARAMETER.sub("[^/]+", re.escape(path)) + "/?"), path) for path in paths]


def _place(method: str, path: str) -> tuple[str, str]:
    for pattern, template in _templates():
        if pattern.fullmatch(path) and method.lower() in document()["paths"][template]:
            return method.lower(), template
    raise AnswerDiffers(f"{method} {path} is answered with JSON, and no route in /openapi.json has it.")


@cache
def _validator(at: tuple[str, str], status: str) -> jsonschema_rs.Validator:
    method, path = at
    responses = document()["paths"][path][method]["responses"]
    shape = responses.get(status, {}).get("content", {}).get("application/json", {}).get("schema")
    if not shape:
        raise AnswerDiffers(f"{method.upper()} {path} answers {status} with JSON, and documents no model for it.")
    return _of(shape)


@cache
def _failure() -> jsonschema_rs.Validator:
    return _of({"$ref": "#/components/schemas/Error"})


def _of(shape: Mapping[str, Any]) -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft202012Validator({**shape, "components": {"schemas": _closed()}})


@cache
def _closed() -> dict[str, Any]:
    """The models, each without room for keys it does not declare."""
    schemas: dict[str, Any] = copy.deepcopy(document()["components"]["schemas"])
    for each in _within(schemas):
        if isinstance(each.get("properties"), dict) and "type" in each:
            each.setdefault("additionalProperties", False)
    return schemas


def _within(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _within(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _within(inner)
