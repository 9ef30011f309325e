"""What `/openapi.json` lacks by the routes' signatures: the shapes of answers, the one error body, bodies and answers
that are not JSON.

Answers are documented, not filtered: a response model would drop keys it does not know in silence, and cost time on each
answer. Tests hold the answers to what is written here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from pydantic.json_schema import models_json_schema

from api.edge.error_answer import Error

_REFERENCE = "#/components/schemas/{model}"
_FAILED = {
    "description": "Any failure: 4xx by the caller, 500 inside Weir, 503 while a server does not answer.",
    "content": {"application/json": {"schema": {"$ref": _REFERENCE.format(model=Error.__name__)}}},
}


_OBJECT = {"type": "object", "additionalProperties": True}


def takes(*media: str, schema: dict[str, object] | None = None, required: bool = True) -> dict[str, object]:
    """`openapi_extra` of a route that reads its body itself: what kinds of body it takes."""
    content = {kind: {"schema": schema or {"type": "string"}} for kind in media}
    return {"requestBody": {"required": required, "content": content}}


def answers_with(
    model: Any, *media: str, status: int = 200, description: str | None = None
) -> dict[int | str, dict[str, object]]:
    """`responses` of a route whose answer is JSON of a shape, or on request of one of the media types: text, or an object for
    those that are JSON, too (`application/schema+json`).

    `model`: an answer of a feature, or a list or union of such.
    """
    content = {each: {"schema": _OBJECT if each.endswith("+json") else {"type": "string"}} for each in media}
    shown = {"description": description} if description is not None else {}
    return {status: {"model": model, **shown, **({"content": content} if content else {})}}


def gives(media: str, description: str) -> dict[int | str, dict[str, object]]:
    """`responses` of a route whose answer is text of a media type."""
    return {200: {"description": description, "content": {media: {"schema": {"type": "string"}}}}}


def install(app: FastAPI) -> None:
    """Describe every route's failures as they are: FastAPI would promise 422 with a body of its own."""
    described: Callable[[], dict[str, Any]] = app.openapi

    def openapi() -> dict[str, Any]:
        fresh = app.openapi_schema is None
        document = described()
        if fresh:
            schemas = document["components"]["schemas"]
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            schemas |= models_json_schema([(Error, "serialization")], ref_template=_REFERENCE)[1]["$defs"]
            for operations in document["paths"].values():
                for operation in operations.values():
                    operation["responses"].pop("422", None)
                    for response in operation["responses"].values():
                        for kind in response.get("content", {}).values():
                            _settle(kind.get("schema", {}))
                    operation["responses"]["default"] = _FAILED
        return document

    app.openapi = openapi  # type: ignore[method-assign]


def _settle(schema: dict[str, Any]) -> None:
    """Leave of an answer's schema what its model declares: FastAPI merges it into one made of the return type."""
    if "$ref" in schema:
        reference = schema["$ref"]
        schema.clear()
        schema["$ref"] = reference
    elif isinstance(schema.get("items"), dict):
        _settle(schema["items"])
    elif "anyOf" in schema:
        alternatives = [each for n, each in enumerate(schema["anyOf"]) if each not in schema["anyOf"][:n]]
        schema.clear()
        schema["anyOf"] = alternatives
