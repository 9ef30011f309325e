"""What the routes' signatures do not say in `/openapi.json`: the one error body, and bodies and answers that are no model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "details"],
            "properties": {
                "code": {"type": "string", "description": "Stable; for programs.", "examples": ["not_found"]},
                "message": {"type": "string", "description": "One sentence with the mend; for people."},
                "details": {"type": "object", "additionalProperties": True},
            },
        }
    },
}
_FAILED = {
    "description": "Any failure: 4xx by the caller, 500 inside Weir, 503 while a server does not answer.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}


def takes(*media: str, schema: dict[str, Any] | None = None, required: bool = True) -> dict[str, Any]:
    """`openapi_extra` of a route that reads its body itself: what kinds of body it takes."""
    content = {kind: {"schema": schema or {"type": "string"}} for kind in media}
    return {"requestBody": {"required": required, "content": content}}


def gives(media: str, description: str) -> dict[int | str, dict[str, Any]]:
    """`responses` of a route whose answer is text of a media type."""
    return {200: {"description": description, "content": {media: {"schema": {"type": "string"}}}}}


def also_gives(*media: str) -> dict[int | str, dict[str, Any]]:
    """`responses` of a route whose answer is JSON, or on request text of one of these media types."""
    return {200: {"content": {each: {"schema": {"type": "string"}} for each in media}}}


def install(app: FastAPI) -> None:
    """Describe every route's failures as they are: FastAPI would promise 422 with a body of its own."""
    described: Callable[[], dict[str, Any]] = app.openapi

    def openapi() -> dict[str, Any]:
        fresh = app.openapi_schema is None
        made = described()
        if fresh:
            schemas = made["components"]["schemas"]
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            schemas["Error"] = ERROR
            for operations in made["paths"].values():
                for operation in operations.values():
                    operation["responses"].pop("422", None)
                    operation["responses"]["default"] = _FAILED
        return made

    app.openapi = openapi  # type: ignore[method-assign]
