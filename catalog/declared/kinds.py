"""The declared kinds of the catalog, as they are written in YAML; names are the file's (camelCase), not Python's."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, Field, field_validator, model_validator

from catalog.declared.cluster_specs import ClusterSpec
from catalog.declared.curation_specs import DataProductSpec, PropertyKindSpec
from catalog.declared.dataset_specs import DatasetSpec
from catalog.declared.server_specs import Secret
from catalog.declared.spec_parts import Spec, Tag


class GlossaryTermSpec(Spec):
    """A word of the business. Fields that carry the term carry its tags too."""

    definition: str = ""
    parent: str | None = None
    tags: list[Tag] = Field(default_factory=list)
    synonyms: list[str] = Field(default_factory=list)


class PatternSpec(Spec):
    name: str
    regex: str
    score: float = Field(ge=0, le=1)

    @field_validator("regex")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"the regular expression cannot be read: {error}") from None
        return value


class RecognizerSpec(Spec):
    """Presidio's own pattern recognizer fields."""

    name: str | None = None
    supported_entity: str = Field(pattern="^[A-Z][A-Z0-9_]*$")
    supported_language: str = "en"
    patterns: list[PatternSpec] = Field(default_factory=list)
    deny_list: list[str] = Field(default_factory=list)
    deny_list_score: float = Field(1.0, ge=0, le=1)
    context: list[str] = Field(default_factory=list)
    version: str | None = None

    @model_validator(mode="after")
    def _finds_something(self) -> RecognizerSpec:
        if not self.patterns and not self.deny_list:
            raise ValueError("a recognizer needs patterns or a deny_list")
        return self


class WebhookSpec(Spec):
    """Who receives events over HTTP. An address that holds a secret in its path is written as {env: NAME} as well.

    types     globs of event types: schema.*, weir.scan.failed
    subjects  globs of what events are about: prod/*
    secret    signs what is sent, as Standard Webhooks specify
    """

    url: str | Secret
    types: list[str] = Field(default_factory=lambda: ["*"], min_length=1)
    subjects: list[str] = Field(default_factory=lambda: ["*"], min_length=1)
    secret: Secret | None = None
    description: str = ""

    @field_validator("url", mode="before")
    @classmethod
    def _address(cls, value: Any) -> Any:
        if isinstance(value, str) and not re.fullmatch(r"https?://[^\s/?#@]+([/?][^\s#]*)?", value):
            raise ValueError("an address is https://HOST/PATH, without a user, a password or a #")
        return value

    @field_validator("types")
    @classmethod
    def _globs(cls, value: list[str]) -> list[str]:
        for glob in value:
            if not re.fullmatch(r"[a-z0-9_.*?-]+", glob):
                raise ValueError(f"{glob!r} names no type of event; write schema.*, scan.failed or *")
        return value


KINDS: dict[str, type[BaseModel]] = {
    "Cluster": ClusterSpec,
    "DataProduct": DataProductSpec,
    "Dataset": DatasetSpec,
    "GlossaryTerm": GlossaryTermSpec,
    "Property": PropertyKindSpec,
    "Recognizer": RecognizerSpec,
    "Webhook": WebhookSpec,
}
"""The kinds of this room; `api` merges those of every room for `declared.load`."""
