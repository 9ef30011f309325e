"""Settings of the catalog."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class CatalogSettings(BaseModel):
    """The dataset record and search."""

    model_config = ConfigDict(extra="forbid")

    search_index: str = Field(
        "weir-catalog", pattern="^[a-z][a-z0-9._-]*$", description="Name of the Elasticsearch alias that search reads."
    )
    search_timeout_s: float = Field(5.0, gt=0, description="How long to wait for Elasticsearch, in seconds.")
    search_by_meaning: bool = Field(
        True, description="Find what is near a question in meaning, too, by word vectors; takes 70 MB of memory."
    )
    broker_timeout_s: float = Field(5.0, gt=0, description="How long to wait for a Kafka broker's answer, in seconds.")
    scan_heartbeat_s: float = Field(
        60.0, gt=0, description="A running scan not heard of for so many seconds is given to another worker."
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
