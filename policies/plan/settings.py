"""Settings of governed queries."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from policies.gate.cost.expanded_plan import Most
from policies.model import OnUnreadable, RecordWindow


class QuerySettings(BaseModel):
    """`WEIR_QUERY__<NAME>`."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    remote: SecretStr = SecretStr("")
    """Spark Connect URL of the engine for queries, token included; that of `spark.remote` when empty."""
    engine_wait_seconds: float = Field(default=5.0, ge=0)
    """How long a query waits for an engine that is starting, before it is answered 503."""
    engine_stop_seconds: float = Field(default=10.0, gt=0)
    """A local engine is replaced that did not stop a cancelled or expired query within so many seconds."""
    engine_answer_seconds: float = Field(default=20.0, ge=5)
    """A local engine is replaced that left the smallest query without an answer for so many seconds."""
    engine_heap_share: float = Field(default=0.85, gt=0, le=1)
    """When a local engine's old generation is full by so much behind full collections, its heaviest query is stopped."""
    refused_seconds: float = Field(default=600.0, ge=0)
    """A statement that ran when the engine ended twice within so many seconds is refused for as long; 0: never."""
    window_records: int = Field(default=100_000, ge=1, le=100_000_000)
    """Records of a topic that a query reads when it names no window: the newest, over all partitions."""
    all_window_records: int = Field(default=100_000_000, ge=1)
    """Most records of a topic that a query reads which asks for all of them (`window: all`)."""
    small_window_records: int = Field(default=5_000, ge=0, le=100_000)
    """A window of at most so many records is read by Weir itself and handed to the engine; 0: the engine reads all."""
    small_window_bytes: int = Field(default=4 * 1024 * 1024, ge=1024, le=64 * 1024 * 1024)
    """Such a window is left to the engine when its records have more bytes."""
    default_rows: int = Field(default=1_000, ge=1)
    """Rows of an answer when no limit is asked for."""
    max_rows: int = Field(default=100_000, ge=1)
    """Most rows of an answer in JSON."""
    max_bytes: int = Field(default=64 * 1024 * 1024, ge=1024)
    """Most bytes of an answer in JSON, as the engine sends them; an answer cut there is marked as partial."""
    export_rows: int = Field(default=1_000_000, ge=1)
    """Most rows of an answer in CSV, Arrow or Parquet, which are sent as they come."""
    export_bytes: int = Field(default=256 * 1024 * 1024, ge=1024)
    """Most bytes of such an answer, as the engine sends them; the engine holds what the reader has not yet taken."""
    export_seconds: float = Field(default=600.0, gt=0)
    """Such an answer is stopped after this many seconds, the sending included."""
    seconds: float = Field(default=60.0, gt=0)
    """A query is stopped after this many seconds."""
    warm_up_queries: int = Field(default=30, ge=0, le=1000)
    """Queries over made-up records that are run in the background at start, for the first real ones to be quick; fewer
    when the engine is quick already."""
    plan_relations: int = Field(default=256, ge=1, le=10_000)
    """Topics, lists of values and similar sources that a query may read, each counted at every place where the query, or a
    named query (WITH) written out at each of its mentions, reads it; one more is refused before anything starts."""
    plan_expressions: int = Field(default=50_000, ge=100, le=10_000_000)
    """Names, values and calls that a query may have, each name of a column of its own written out as what it
    means; one more is refused before anything starts."""
    concurrent_per_subject: int = Field(default=6, ge=1)
    """Queries of one user that run at once; more wait."""
    queued_per_subject: int = Field(default=20, ge=0)
    """Queries of one user that wait for their turn; one more is refused."""
    queued: int = Field(default=200, ge=0)
    """Queries of all users that wait for their turn; one more is refused."""
    concurrent: int = Field(default=8, ge=1)
    """Queries that run at once; more wait."""
    wait_seconds: float = Field(default=20.0, ge=0)
    """How long a query waits for its turn."""
    streams_per_subject: int = Field(default=5, ge=1)
    """Push queries of one user that run at once; one more is refused."""
    streams: int = Field(default=40, ge=1)
    """Push queries of all users that run at once; one more is refused."""
    recheck_seconds: float = Field(default=2.0, gt=0, le=4)
    """How often the decision behind a running query, export or push query is taken again; one that is revoked ends it."""
    batch_records: int = Field(default=10_000, ge=1)
    """Most records of one micro-batch of a push query."""
    stream_state_records: int = Field(default=100_000, ge=1)
    """Most records that a push query with GROUP BY rests on; beyond, it ends with an error."""
    stream_late_seconds: float = Field(default=60.0, ge=0)
    """How late a record may be for its time window before the window's records are dropped."""
    unreadable: OnUnreadable = OnUnreadable.REPORT
    """What happens when values do not fit their column: `report` counts them beside the answer, `error` refuses it. A
    query may choose for itself."""
    scan_on_drift: bool = True
    """Whether a query that sees such values queues a scan of their topic."""
    scan_on_drift_seconds: float = Field(default=3600.0, ge=0)
    """How long after such a scan the next one of the same topic may be queued."""
    positions_beside_row_filters: bool = False
    """Whether `_partition` and `_offset` show where a row filter holds. They would count the rows it hides."""

    def records_of(self, window: RecordWindow) -> int:
        """Most records of a topic that a query with such a window reads."""
        return self.all_window_records if window is RecordWindow.ALL else self.window_records

    def largest_plan(self) -> Most:
        """The largest plan that the gate lets in."""
        return Most(self.plan_relations, self.plan_expressions)
