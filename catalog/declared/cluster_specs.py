"""The declared kind of a Kafka cluster; names are the file's (camelCase), not Python's."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator

from catalog.declared.kafka_properties import refusal
from catalog.declared.scan_specs import ClusterScanSpec
from catalog.declared.server_specs import RestServer, SchemaRegistry, Security
from catalog.declared.spec_parts import OwnerSpec, Spec
from catalog.errors import InvalidInput
from catalog.namespaces import addresses


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
