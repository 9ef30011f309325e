"""Settings of the lineage room."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class LineageSettings(BaseModel):
    """Where lineage events go, how they are folded, and how large an answer may get."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: str = Field("_weir.lineage", description="Topic that holds every accepted event: the truth of lineage.")
    dead_letter_topic: str = Field("_weir.lineage.dlq", description="Topic for messages that are no event.")
    group: str = Field("weir-lineage", description="Consumer group of the workers that fold events.")
    partitions: int = Field(6, ge=1, le=1000, description="Partitions of the topic when Weir creates it.")
    replication: int = Field(1, ge=1, le=9, description="Replication factor of the topic when Weir creates it.")
    max_event_bytes: int = Field(8 * 1024 * 1024, ge=1024, description="Largest event accepted, as JSON bytes.")
    delivery_timeout_seconds: float = Field(
        20.0, gt=0, description="How long an event may wait for Kafka before the sender gets an error."
    )
    batch_events: int = Field(500, ge=1, le=10_000, description="Events folded into one transaction at most.")
    batch_bytes: int = Field(16 * 1024 * 1024, ge=1024, description="Bytes of events folded into one transaction.")
    runs_kept: int = Field(50, ge=2, le=10_000, description="Runs remembered per job; older ones leave only edges.")
    phases_kept: int = Field(64, ge=2, le=10_000, description="Distinct reports remembered within one run.")
    seen_resolution_seconds: int = Field(
        3600, ge=60, description="`last seen` on edges is rounded down to this, so that repeats write nothing."
    )
    stale_after_days: float = Field(
        30.0, gt=0, description="An open edge of a streaming job not seen for so long is shown as stale."
    )
    node_budget: int = Field(50_000, ge=10, description="Nodes an answer may hold; more is cut and said (`truncated`).")
    graph_name: str = Field(
        "weir", pattern=r"^[A-Za-z0-9_-]{1,40}$", description="Name of the graph inside Neo4j; several may share a server."
    )


class KafkaClientSettings(BaseModel):
    """How to reach the Kafka cluster that holds the lineage topic."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bootstrap_servers: str = Field("localhost:9092", description="Comma-separated host:port of brokers.")
    options: dict[str, str] = Field(
        default_factory=dict, description="Further librdkafka options (security.protocol, sasl.*...), given as they are."
    )


class Neo4jSettings(BaseModel):
    """How to reach Neo4j."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    uri: str = Field("bolt://localhost:7687", description="Bolt or neo4j address.")
    user: str = Field("neo4j", description="User name; with an empty password no authentication is sent.")
    password: str = Field("", repr=False, description="Password.")
    database: str = Field("neo4j", description="Database name.")
    timeout_seconds: float = Field(30.0, gt=0, description="Longest a single transaction may take.")
