"""Settings of the local servers. The caller reads the environment (`WEIR_STACK__KAFKA_PORT`, ...) and passes this."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class StackSettings(BaseModel):
    """Ports, memory and patience. A port of 0 means any free one; a taken port is replaced by a free one."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    kafka_port: int = Field(default=9092, ge=0, le=65535)
    """Port of the Kafka broker on the loopback address."""
    registry_port: int = Field(default=8081, ge=0, le=65535)
    """Port of the schema registry."""
    neo4j_port: int = Field(default=7687, ge=0, le=65535)
    """Port of Neo4j's Bolt protocol."""
    elasticsearch_port: int = Field(default=9200, ge=0, le=65535)
    """Port of Elasticsearch's HTTP interface."""
    spark_port: int = Field(default=15002, ge=0, le=65535)
    """Port of the Spark Connect server."""

    secured: bool = False
    """Whether Kafka, the registry and Elasticsearch ask for a password (Neo4j and Spark always do). All are generated."""

    kafka_memory: str = Field(default="256m", pattern=r"^\d+[mg]$")
    """Java heap of the Kafka broker."""
    registry_memory: str = Field(default="128m", pattern=r"^\d+[mg]$")
    """Java heap of the schema registry."""
    neo4j_memory: str = Field(default="320m", pattern=r"^\d+[mg]$")
    """Java heap of Neo4j; its page cache comes on top."""
    neo4j_page_cache: str = Field(default="64m", pattern=r"^\d+[mg]$")
    """What Neo4j keeps of its files in memory; what does not fit is read through the system's own cache."""
    elasticsearch_memory: str = Field(default="320m", pattern=r"^\d+[mg]$")
    """Java heap of Elasticsearch."""
    spark_memory: str = Field(default="1536m", pattern=r"^\d+[mg]$")
    """Java heap of the Spark driver, which is also the only executor."""
    spark_cores: str = Field(default="*", pattern=r"^(\*|\d+)$")
    """Task slots of local Spark; `*` is every core of the machine."""

    java_home: str = ""
    """Folder of the Java to use. Empty: JAVA_HOME or PATH where that is Java 17 or 21, else one from PyPI."""
    start_timeout: float = Field(default=180, gt=0)
    """Seconds a server may take to become ready before the start counts as failed."""
    stop_timeout: float = Field(default=20, gt=0)
    """Seconds a server is given to stop by itself before it is killed."""
