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
    broker_timeout_s: float = Field(5.0, gt=0, description="How long to wait for a Kafka broker's answer, in seconds.")
    scan_heartbeat_s: float = Field(
        60.0, gt=0, description="A running scan not heard of for so many seconds is given to another worker."
    )
