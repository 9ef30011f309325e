"""Settings of the catalog."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class CatalogSettings(BaseModel):
    """The dataset record and search."""

    model_config = ConfigDict(extra="forbid")

    search_index: str = Field(
        "weir-catalog", pattern="^[a-z][a-z0-9._-]*$", description="Name of the Elasticsearch alias that search reads."
    )
    search_timeout_s: float = Field(5.0, gt=0, description="How long to wait for Elasticsearch, in seconds.")
    search_by_meaning: bool = Field(
        True, description="Find what is near a question in meaning, too, by word vectors; takes 40 to 110 MB of memory."
    )
    broker_timeout_s: float = Field(5.0, gt=0, description="How long to wait for a Kafka broker's answer, in seconds.")
    allowed_link_local: list[str] = Field(
        [],
        description="Hosts, addresses or networks that declared servers may have although they are link-local or a"
        " metadata service of a cloud, which Weir does not call.",
    )
    scan_heartbeat_s: float = Field(
        60.0, gt=0, description="A running scan without a sign of life for so many seconds is given to another worker."
    )


class EventSettings(BaseModel):
    """Events: schema changes, scans and more, to a Kafka topic and to webhooks."""

    model_config = ConfigDict(extra="forbid")

    source: str = Field("/weir", min_length=1, description="CloudEvents source of this instance, a URI reference.")
    topic: str = Field("_weir.events", description="Kafka topic that every event is written to; empty for none.")
    topic_retention_hours: int = Field(168, ge=1, description="Retention of that topic when Weir makes it, in hours.")
    keep_days: float = Field(30.0, gt=0, description="Events are kept in the record store for so many days.")
    keep_events: int = Field(100_000, ge=1, description="And at most so many of them.")
    webhook_timeout_s: float = Field(10.0, gt=0, description="How long a webhook's receiver may be silent, in seconds.")
    webhook_deadline_s: float = Field(
        30.0, gt=0, le=60, description="How long one call of a webhook may last in all, in seconds, whatever it sends."
    )
    webhook_attempts: int = Field(3, ge=1, le=10, description="Quick tries of one event before a longer pause.")
    webhook_longest_pause_s: float = Field(900.0, gt=0, description="Longest pause between tries, in seconds.")
    webhook_give_up_hours: float = Field(
        24.0, gt=0, description="An event that a receiver refused for so long is dropped, so that later ones can pass."
    )
    webhook_allowed_hosts: list[str] = Field(
        [],
        description="Hosts, addresses or networks (10.0.0.0/8) inside your network that webhooks may call; by default"
        " only public addresses.",
    )


class SecretSettings(BaseModel):
    """Secrets that declared clusters and webhooks name: where they may be read."""

    model_config = ConfigDict(extra="forbid")

    folder: Path = Field(
        Path("~/.config/weir/secrets"),
        description="Folder of the files that `{file: ...}` may name. It holds nothing of Weir's own.",
    )
    env_prefix: str = Field(
        "WEIR_SECRET_",
        pattern=r"^[A-Z][A-Z0-9_]{2,}_$",
        description="First letters of the environment variables that `{env: ...}` may name.",
    )
    second_person: bool = Field(
        False,
        description="Whether a secret goes to an address that was not declared before only when a second person, who"
        " may manage too, has applied the same.",
    )
