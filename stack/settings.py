"""Settings of the local servers. The caller reads the environment (`WEIR_STACK__KAFKA_PORT`, ...) and passes this."""

from __future__ import annotations

import os
import shlex

from pydantic import BaseModel, ConfigDict, Field, field_validator

PREFIX = "WEIR_STACK__"


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
    """Port of the Spark Connect server for scans and views."""
    query_port: int = Field(default=15003, ge=0, le=65535)
    """Port of the Spark Connect server for queries."""

    connect_port: int = Field(default=8083, ge=0, le=65535)
    """Port of the Kafka Connect worker's REST interface; the worker runs for those who name it."""

    secured: bool = False
    """Whether Kafka, the registry, Elasticsearch and Connect ask for a password (Neo4j and Spark always do). All are
    generated."""

    java_options: str = ""
    """Further options for the Java of every server, separated by spaces. They come after Weir's own, so they win. For
    instance `-XX:TieredStopAtLevel=1` where servers run for minutes only: Java then compiles quickly, not thoroughly."""

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
    query_memory: str = Field(default="1g", pattern=r"^\d+[mg]$")
    """Java heap of the Spark for queries, which ends when it is full and is started again."""
    query_cores: str = Field(default="32", pattern=r"^(\*|\d+)$")
    """Its task slots: more than there are cores, so that a query's long tasks do not keep others out."""

    connect_memory: str = Field(default="384m", pattern=r"^\d+[mg]$")
    """Java heap of the Kafka Connect worker."""

    java_home: str = ""
    """Folder of the Java to use. Empty: JAVA_HOME or PATH where that is Java 17 or 21, else one from PyPI."""
    start_timeout: float = Field(default=180, gt=0)
    """Seconds a server may take to become ready before the start counts as failed."""
    stop_timeout: float = Field(default=20, gt=0)
    """Seconds a server is given to stop by itself before it is killed."""

    @field_validator("java_options")
    @classmethod
    def _are_options(cls, text: str) -> str:
        if other := next((word for word in shlex.split(text) if not word.startswith("-")), None):
            raise ValueError(f"{other} is not an option of Java: each begins with a dash")
        return text

    @classmethod
    def from_environment(cls) -> StackSettings:
        """`WEIR_STACK__NAME` for each setting. Raises pydantic's ValidationError."""
        return cls.model_validate(
            {name.removeprefix(PREFIX).lower(): value for name, value in os.environ.items() if name.startswith(PREFIX)}
        )
