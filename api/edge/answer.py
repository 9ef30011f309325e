"""What bodies of requests and answers are declared with: camelCase keys, keys that may be missing, times, shares."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel
from pydantic.config import JsonDict

from api.edge.texts import storable

Time = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""RFC 3339, UTC, as 2026-03-01T12:00:00Z."""
FreeForm = dict[str, object]
"""An object whose keys are data or another standard's: rows, facets, specs, payloads of events."""


def _untitled(schema: JsonDict) -> None:
    """Leave out the titles that pydantic makes of keys' names."""
    properties = schema.get("properties")
    for each in properties.values() if isinstance(properties, dict) else ():
        if isinstance(each, dict):
            each.pop("title", None)


class RequestBody(BaseModel):
    """What a caller sends. An attribute `query_id` is the key `queryId` and no other; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    @field_validator("*", mode="after")
    @classmethod
    def _storable(cls, given: Any) -> Any:
        return storable(given)


class Answer(BaseModel):
    """A JSON object with the keys declared and no others. An attribute `null_share` is the key `nullShare`.

    Code fills it in by the names of attributes.
    """

    model_config = ConfigDict(
        defer_build=True,
        json_schema_extra=_untitled,
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
    )


class OpenAnswer(Answer):
    """A JSON object that may have more keys than those declared, as producers of lineage name them."""

    model_config = ConfigDict(extra="allow")


def about(description: str, **more: Any) -> Any:
    """A key that is always there, described."""
    return Field(description=description, **more)


def absent(description: str | None = None, **more: Any) -> Any:
    """A key that may be missing; it is null only where its type names None."""
    return Field(default_factory=_unset, description=description, **more)


def _unset() -> Any:
    """A key that was not set is left out of the JSON, so its value is never shown."""
    return None
