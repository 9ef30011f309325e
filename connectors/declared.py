"""`kind: Connector`, as it is written in YAML."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from catalog.declared.server_specs import RestServer, Secret
from catalog.declared.spec_parts import OwnerSpec, Spec
from connectors.secret_texts import holds_password, is_reference, is_secret_name, salt_of, salt_reference, shown_key

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}\Z")
_OVERRIDE = re.compile(
    r"(?:producer|consumer|admin)\.override\.(?:bootstrap\.servers\Z|security\.|sasl\.)", re.IGNORECASE
)
"""Keys by which a connector would use another Kafka than its worker's."""
OWN_KEYS = {"name": "metadata.name", "connector.class": "plugin"}
DEAD_LETTER_KEYS = (
    "errors.tolerance",
    "errors.deadletterqueue.topic.name",
    "errors.deadletterqueue.topic.replication.factor",
    "errors.deadletterqueue.context.headers.enable",
)
_HOW = "write {env: WEIR_SECRET_NAME}, {file: NAME}, or a reference that the worker resolves, such as ${file:/path:key}"


class DeadLetters(Spec):
    """Where a sink puts records that it cannot convert. `replication` of a topic that Connect creates: its own default
    (3) when absent."""

    topic: str
    replication: int | None = Field(None, ge=1, le=10)

    @field_validator("topic")
    @classmethod
    def _named(cls, value: str) -> str:
        if not _TOPIC.match(value) or value in (".", ".."):
            raise ValueError("a topic's name has letters, digits, dots, dashes and underscores, 249 at most")
        return value


class ConnectorSpec(Spec):
    """One connector.

    cluster  the declared cluster whose Kafka the worker uses, and whose `connect` is the worker
    connect  another worker of that cluster
    plugin   the connector's class, whole or its last part
    config   Connect's own keys; a secret is named, never written
    state    when absent: it runs at first, and then as operators leave it
    adopt    take over a connector of that name that exists at the worker
    """

    cluster: str = Field(min_length=1)
    connect: RestServer | None = None
    plugin: str = Field(min_length=1, max_length=300)
    config: dict[str, str | int | float | bool | Secret] = Field(default_factory=dict)
    state: Literal["running", "paused", "stopped"] | None = None
    deadLetters: DeadLetters | None = None
    adopt: bool = False
    description: str = ""
    owners: list[OwnerSpec] = Field(default_factory=list)

    @field_validator("config", mode="before")
    @classmethod
    def _harmless(cls, value: Any) -> Any:
        """No message repeats a value: it may be a secret in the wrong place."""
        if not isinstance(value, dict):
            raise ValueError("must be names with values")
        for key, each in value.items():
            if key in OWN_KEYS:
                raise ValueError(f"{key} is written as {OWN_KEYS[key]}")
            if isinstance(key, str) and _OVERRIDE.match(key):
                raise ValueError(
                    f"{key} would let the connector use another Kafka than that of its cluster, or as somebody else; leave it"
                    " out, and declare the worker of that cluster"
                )
            if isinstance(key, str) and salt_of(key) is not None and salt_reference(key) is None:
                raise ValueError(
                    f"{shown_key(key)} has its salt in plain text; write ${{WEIR_SECRET_NAME}} in its place, and Weir puts the"
                    " secret of that name there"
                )
            if isinstance(each, dict):
                if len(each) != 1 or not isinstance(each.get("env", each.get("file")), str):
                    raise ValueError(f"{key}: a secret names one place: {{env: NAME}} or {{file: PATH}}")
            elif each is None or isinstance(each, list):
                raise ValueError(
                    f"{key} must be text, a number, true or false, or name a secret; lists are text with commas"
                )
            elif _is_plain(each) and is_secret_name(str(key)):
                raise ValueError(f"{key} is a secret by its name; {_HOW}")
            elif isinstance(each, str) and holds_password(each):
                raise ValueError(f"{key} holds a password in an address; {_HOW}")
        return value

    @model_validator(mode="after")
    def _dead_letters_once(self) -> ConnectorSpec:
        twice = [key for key in DEAD_LETTER_KEYS if key in self.config] if self.deadLetters else []
        if twice:
            raise ValueError(f"config.{twice[0]} is set by deadLetters; write it in one place")
        return self


def _is_plain(value: Any) -> bool:
    """Whether it is a text or number that is itself the value."""
    if isinstance(value, bool) or value == "":
        return False
    return not is_reference(value) if isinstance(value, str) else isinstance(value, int | float)
