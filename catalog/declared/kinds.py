"""The declared kinds of the catalog, as they are written in YAML; names are the file's (camelCase), not Python's."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationInfo, field_validator, model_validator

from catalog.datatypes import parse_ddl, parse_type
from catalog.dead_letters import RULE, is_for_dead_letters
from catalog.declared.curation_specs import (
    AnnouncementSpec,
    CertificationSpec,
    DataProductSpec,
    DeprecationSpec,
    PropertyKindSpec,
    PropertyValue,
)
from catalog.declared.kafka_properties import refusal
from catalog.declared.spec_parts import DatasetOwnerSpec, OwnerSpec, Path, Spec, Tag, tag_word
from catalog.errors import InvalidInput
from catalog.namespaces import addresses


class Secret(Spec):
    """Where a secret is read when it is needed: an environment variable or a file. Never the secret itself.

    Which variables and files may be read: `catalog.declared.secrets`.
    """

    env: str | None = Field(None, min_length=1)
    file: str | None = Field(None, min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _refuse_plain(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            # The message must not repeat what was written: it is a secret.
            raise ValueError("a secret is written as {env: NAME} or {file: PATH}, never as the value itself")
        return value

    @model_validator(mode="after")
    def _exactly_one(self) -> Secret:
        if (self.env is None) is (self.file is None):
            raise ValueError("a secret names one place: {env: NAME} or {file: PATH}")
        return self


class Tls(Spec):
    """TLS to the brokers. Files are in the folder of secrets (`catalog.declared.secrets`); `ca` may be one of the system's."""

    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    keyPassword: Secret | None = None
    verifyHostname: bool = True


class Sasl(Spec):
    mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = "PLAIN"
    username: str | Secret
    password: Secret


class Security(Spec):
    tls: Tls | None = None
    sasl: Sasl | None = None


class SchemaRegistry(Spec):
    url: str = Field(pattern=r"^https?://[^@\s?#\\]+$")
    username: str | Secret | None = None
    password: Secret | None = None
    ca: str | None = None


class ScanSpec(Spec):
    """When and how a dataset is scanned by itself. `every`: 30m, 6h, 1d; deadLetter: true, or a topic's name."""

    every: str = Field(pattern=r"^[1-9][0-9]{0,4}[mhd]$")
    strategy: Literal["stratified", "latest", "earliest", "random", "full", "since-last"] = "since-last"
    records: int | None = Field(None, ge=1)
    deadLetter: bool | str = False

    @field_validator("deadLetter")
    @classmethod
    def _hidden_topic(cls, value: bool | str) -> bool | str:
        if isinstance(value, str) and not is_for_dead_letters(value):
            raise ValueError(f"it is not a topic for dead letters: {RULE}")
        return value


class ClusterScanSpec(ScanSpec):
    """Topics that appear later are found by themselves; those with a schedule of their own are left to it."""

    topics: list[str] = Field(default_factory=lambda: ["*"], min_length=1)

    @field_validator("topics")
    @classmethod
    def _named(cls, value: list[str]) -> list[str]:
        if any(not topic.strip() for topic in value):
            raise ValueError("a topic has no name; write a topic or a pattern such as shop.*")
        return value


class RestServer(Spec):
    """A server beside the cluster, asked by its REST API: Kafka Connect, ksqlDB, Flink."""

    url: str = Field(pattern=r"^https?://[^@\s?#\\]+$")
    username: str | Secret | None = None
    password: Secret | None = None
    ca: str | None = None


class AuthorizerSpec(Spec):
    """Settings of the brokers' authorizer, which brokers do not show to clients.

    superUsers                 as in super.users: User:admin
    allowEveryoneIfNoAclFound  as in allow.everyone.if.no.acl.found
    """

    superUsers: list[str] = Field(default_factory=list)
    allowEveryoneIfNoAclFound: bool | None = None

    @field_validator("superUsers")
    @classmethod
    def _principals(cls, value: list[str]) -> list[str]:
        for principal in value:
            if not re.fullmatch(r"[^:\s]+:.+", principal):
                raise ValueError(
                    f"{principal[:100]!r} is not a principal; write its type and its name, as in User:admin"
                )
        return value


class ClusterRightsSpec(Spec):
    """How Weir keeps the ACLs that it made at the brokers.

    mode          observe: Weir takes away what a right that ended had opened, and reports other differences; enforce: it also
                  makes ACLs that are due, and puts back what was changed by hand of its own
    maskedCopies  topic -> the topic that holds the same records masked, for those who may not see the first whole
    """

    mode: Literal["observe", "enforce"] = "observe"
    maskedCopies: dict[str, str] = Field(default_factory=dict)

    @field_validator("maskedCopies")
    @classmethod
    def _other_topics(cls, value: dict[str, str]) -> dict[str, str]:
        for topic, copy in value.items():
            if topic == copy:
                raise ValueError(f"{topic[:100]} cannot be its own masked copy; name another topic")
            if copy in value:
                raise ValueError(
                    f"{copy[:100]} is a masked copy and has one itself; a copy is for its first topic alone"
                )
        return value


class ClusterSpec(Spec):
    """A Kafka cluster. `aliases`: other namespaces or addresses its datasets are known by (kafka://kafka-prod)."""

    type: Literal["kafka"] = "kafka"
    bootstrapServers: str
    schemaRegistry: SchemaRegistry | None = None
    connect: RestServer | None = None
    ksqldb: RestServer | None = None
    flink: RestServer | None = None
    security: Security | None = None
    properties: dict[str, str | int | bool] = Field(default_factory=dict)
    scan: ClusterScanSpec | None = None
    authorizer: AuthorizerSpec | None = None
    rights: ClusterRightsSpec | None = None
    aliases: list[str] = Field(default_factory=list)
    description: str = ""
    owners: list[OwnerSpec] = Field(
        default_factory=list,
        description="Who answers for datasets that nobody else owns: neither their data products nor their domain.",
    )

    @field_validator("bootstrapServers")
    @classmethod
    def _addresses(cls, value: str) -> str:
        try:
            addresses(value)
        except InvalidInput as error:
            raise ValueError(error.message) from None
        return value

    @field_validator("properties")
    @classmethod
    def _harmless(cls, value: dict[str, str | int | bool]) -> dict[str, str | int | bool]:
        if problem := refusal(value):
            raise ValueError(problem)
        return value


class FormatSpec(Spec):
    key: str | None = None
    value: str | None = None


class SchemaSpec(Spec):
    """What queries then see: the value's columns as Spark DDL, and the key's type."""

    spark: str | None = None
    key: str | None = None

    @field_validator("spark", "key")
    @classmethod
    def _ddl(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None:
            return None
        try:
            parse_type(value) if info.field_name == "key" else parse_ddl(value)
        except InvalidInput as error:
            raise ValueError(error.message) from None
        return value

    @model_validator(mode="after")
    def _something(self) -> SchemaSpec:
        if self.spark is None and self.key is None:
            raise ValueError("a schema needs spark (the columns of the value), key (the type of the key), or both")
        return self


class FieldSpec(Spec):
    """A field. A tag here is a confirmed classification."""

    path: Path
    description: str = ""
    tags: list[Tag] = Field(default_factory=list)
    terms: list[str] = Field(default_factory=list)
    properties: dict[str, PropertyValue] = Field(default_factory=dict)


class QualitySpec(Spec):
    sensitivity: Literal["off", "low", "normal", "high"] = Field(
        "normal",
        description="How far a series of quality must leave its usual range to be an anomaly; off: none is one.",
    )


class DatasetSpec(Spec):
    description: str = ""
    owners: list[DatasetOwnerSpec] = Field(default_factory=list)
    tags: list[Tag] = Field(default_factory=list)
    terms: list[str] = Field(default_factory=list)
    format: FormatSpec | None = None
    columns: SchemaSpec | None = Field(None, alias="schema")
    scan: ScanSpec | None = None
    quality: QualitySpec | None = None
    certification: CertificationSpec | None = None
    deprecation: DeprecationSpec | None = None
    announcements: list[AnnouncementSpec] = Field(default_factory=list, max_length=20)
    properties: dict[str, PropertyValue] = Field(default_factory=dict)
    fields_: list[FieldSpec] = Field(default_factory=list, alias="fields")

    @field_validator("fields_")
    @classmethod
    def _once(cls, value: list[FieldSpec]) -> list[FieldSpec]:
        seen: set[str] = set()
        for field in value:
            if field.path in seen:
                raise ValueError(f"field {field.path} is described twice")
            seen.add(field.path)
        return value


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

__all__ = ["KINDS", "OwnerSpec", "Path", "Spec", "Tag", "tag_word"]
