"""Settings of the lineage room."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class LineageSettings(BaseModel):
    """Where lineage events go, how they are folded, and how large an answer may get."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: str = Field(default="_weir.lineage", description="Topic that holds every accepted event.")
    dead_letter_topic: str = Field(default="_weir.lineage.dlq", description="Topic for messages that are not events.")
    group: str = Field(default="weir-lineage", description="Consumer group of the workers that fold events.")
    partitions: int = Field(default=6, ge=1, le=1000, description="Partitions of the topic when Weir creates it.")
    replication: int = Field(default=1, ge=1, le=9, description="Replication factor of the topic when Weir creates it.")
    max_event_bytes: int = Field(default=8 * 1024 * 1024, ge=1024, description="Largest event accepted, as JSON bytes.")
    delivery_timeout_seconds: float = Field(
        default=8.0, gt=0, description="How long an event may wait for Kafka before the sender gets an error."
    )
    batch_events: int = Field(
        default=500,
        ge=1,
        le=10_000,
        description="Events folded into one transaction at most; fewer while none are behind.",
    )
    batch_bytes: int = Field(
        default=16 * 1024 * 1024, ge=1024, description="Bytes of events folded into one transaction."
    )
    transaction_rows: int = Field(
        default=10_000,
        ge=200,
        description="Edges and nodes a transaction writes at most; halved where memory is short.",
    )
    runs_kept: int = Field(
        default=50, ge=2, le=10_000, description="Runs remembered per job; older ones leave only edges."
    )
    phases_kept: int = Field(default=64, ge=2, le=10_000, description="Distinct reports remembered within one run.")
    seen_resolution_seconds: int = Field(
        default=3600, ge=60, description="`last seen` on edges is rounded down to this, so that repeats write nothing."
    )
    column_seen_resolution_seconds: int = Field(
        default=86_400, ge=60, description="The same for edges between columns, of which there are many."
    )
    clock_allowance_seconds: float = Field(
        default=300.0,
        ge=0,
        description="How far after its arrival an event may be dated; one dated later counts from its arrival.",
    )
    stale_after_days: float = Field(
        default=30.0, gt=0, description="An open edge of a streaming job not seen for so long is shown as stale."
    )
    observe_seconds: float = Field(
        default=60.0,
        ge=0,
        description="How often consumer groups, Kafka Connect, ksqlDB and Flink are read; 0 = never.",
    )
    observe_groups_limit: int = Field(
        default=5000, ge=1, le=100_000, description="Consumer groups looked at in one cluster, the first by name."
    )
    observe_again_seconds: float = Field(
        default=3600.0,
        ge=60,
        description="What was observed and is unchanged is noted again after so long, as last seen.",
    )
    node_budget: int = Field(
        default=50_000, ge=10, description="Most nodes of an answer; an answer that is cut is marked."
    )
    sql_characters: int = Field(
        default=1_000_000, ge=1000, le=2_000_000, description="Longest SQL text that `POST /lineage/sql` reads."
    )
    sql_seconds: float = Field(
        default=10.0, gt=0, description="How long reading one such text may take, in a process of its own."
    )
    graph_name: str = Field(
        default="weir", pattern=r"^[A-Za-z0-9_-]{1,40}$", description="Name of the graph; several may share a server."
    )


class KafkaClientSettings(BaseModel):
    """How to reach the Kafka cluster that holds the lineage topic."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bootstrap_servers: str = Field(default="localhost:9092", description="Comma-separated host:port of brokers.")
    options: dict[str, str] = Field(
        default_factory=dict, repr=False, description="Further librdkafka options (security.protocol...), as they are."
    )


class Neo4jSettings(BaseModel):
    """How to reach Neo4j."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    uri: str = Field(default="bolt://localhost:7687", description="Bolt or neo4j address.")
    user: str = Field(default="neo4j", description="User name; with an empty password no authentication is sent.")
    password: str = Field(default="", repr=False, description="Password.")
    database: str = Field(default="neo4j", description="Database name.")
    timeout_seconds: float = Field(default=30.0, gt=0, description="Longest a single transaction may take.")
    read_seconds: float = Field(default=8.0, gt=0, description="Longest a question waits for its answer.")
