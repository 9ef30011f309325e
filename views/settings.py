"""Settings of stream views."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class ViewSettings(BaseModel):
    """`WEIR_VIEWS__<NAME>`."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    remote: SecretStr = SecretStr("")
    """Spark Connect URL of the engine for views, token included; that of `spark.remote` when empty."""
    checkpoints: str = ""
    """Folder or URL that Spark keeps the state of views in; every node of a cluster must reach it. `views/` in WEIR_HOME
    when empty."""
    serving_url: str = ""
    """SQLAlchemy URL of the database that holds the rows of views; a SQLite file in WEIR_HOME when empty."""
    recheck_seconds: float = Field(default=2.0, gt=0, le=5)
    """How often it is decided again what a view may contain; a view whose decision changed stops within this."""
    batch_records: int = Field(default=50_000, ge=1)
    """Records that one batch of a view takes at most."""
    write_records: int = Field(default=5_000, ge=1, le=100_000)
    """Rows that are written to the serving table in one transaction at most."""
    most_rows: int = Field(default=1_000, ge=1)
    """Rows of one answer at most."""
    default_rows: int = Field(default=100, ge=1)
    """Rows of an answer when no limit is asked for."""
    changes_seconds: float = Field(default=600.0, ge=0)
    """How long a key whose row went is kept for readers who follow the view; one who was away for longer gets all rows
    again."""
    metrics: bool = True
    """Whether `/metrics`, which asks for no token, names the views and shows their figures."""
    silent_seconds: float = Field(default=20.0, ge=12)
    """When the runner was silent for so long, the state of views is shown as unknown."""
    wait_seconds: float = Field(default=10.0, gt=0)
    """How long a reader who asks for certain offsets waits for them at most."""
    restart_most_seconds: float = Field(default=60.0, gt=0)
    """The longest pause before a view that failed is started again; the first is one second, each next twice as long."""
