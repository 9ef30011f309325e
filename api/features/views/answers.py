"""Answers of `/views`."""

from __future__ import annotations

from typing import Any, Literal

from api.edge.answer import Answer, FreeForm, Time, about, absent
from api.features.rights.consumer_answers import ClientConfigurations
from api.joins.views.service import ShownView
from views.row_ports import Contained
from views.runner.state import ViewState


class ViewSink(Answer):
    """The topic that a view writes for others."""

    cluster: str
    topic: str
    format: Literal["json", "avro"]


class ViewColumn(Answer):
    """A column of the rows."""

    name: str
    type: str = about("Spark's name of the type.")


class ViewLag(Answer):
    """What the sources have and the rows do not contain yet."""

    records: int | None
    seconds: float | None = about("For how long that has been so; 0 when nothing is missing.")
    at: Time | None = about("When that was looked up; it is old where the stream does not run.")


class NextGeneration(Answer):
    """A generation that is being built, and why."""

    generation: int
    why: str
    since: Time


class ViewSample(Answer):
    """Figures of one moment."""

    at: Time
    records: int | None = about("Lag in records.")
    seconds: float | None = about("Lag in seconds.")
    records_in_per_second: float | None
    rows_out_per_second: float | None
    batch_seconds: float | None


class ViewClients(Answer):
    """What connects a Kafka client to the topic that a view writes."""

    cluster: str
    topic: str
    text: str = about("What a reader needs besides.")
    clients: ClientConfigurations


class ViewMayDo(Answer):
    """What the caller may do with a view."""

    operate: bool = about("Pause, resume, restart, rebuild and delete it.")


class View(Answer):
    """A view and how it is."""

    name: str
    state: Literal["starting", "catching up", "running", "paused", "restarting", "failed", "stopped", "unknown"]
    since: Time | None = about("When it came into this state; of `unknown` when the runner was at work last.")
    generation: int | None = about("The one that readers get; null before the first.")
    building: NextGeneration | None = about("The one that will replace it.")
    sources: list[str] = about("CLUSTER/TOPIC of each topic it follows.")
    sink: ViewSink | None = about("The topic it writes for others; null for a private one.")
    masked_copy: bool = about("It copies a topic, record by record, and has no rows to read here.")
    key: list[str] = about("Columns that identify a row; none: each record is a row.")
    columns: list[ViewColumn]
    lag: ViewLag
    rates: FreeForm = about(
        "{batchSeconds, recordsPerSecond} of the last batch; {recordsInPerSecond, rowsOutPerSecond, batchSecondsMean,"
        " batchSecondsMost} of the last minute."
    )
    counts: FreeForm = about(
        "{recordsIn, rowsWritten, rowsDeleted, batches, batchesMissed, lateRecords, unfitValues, unreadable, stateRows,"
        " stateBytes} since the stream started."
    )
    error: FreeForm | None = about("{code, message, details} of what ended it last.")
    notes: list[str] = about("What to know of its SQL, in sentences.")
    sql: str
    run_as: FreeForm = about("{user or serviceAccount, purpose}: whose masks and row filters are in it.")
    description: str
    owners: list[dict[str, str]] = about("{user} or {group} each.")
    restarts: int
    may: ViewMayDo
    history: list[ViewSample] = absent(
        "Every ten seconds of the last quarter of an hour; only where one view is asked for."
    )
    rows: int = absent("Rows that readers get; only where one view is asked for.")

    @classmethod
    def of(cls, shown: ShownView) -> View:
        spec, active, building = shown.spec, shown.active, shown.building
        more: dict[str, object] = {}
        if shown.history is not None:
            more["history"] = [ViewSample.model_validate(each) for each in shown.history]
        if shown.rows is not None:
            more["rows"] = shown.rows
        return cls(
            name=shown.name,
            state=shown.state.value,
            since=shown.since,
            generation=active.number if active is not None else None,
            building=NextGeneration(generation=building.number, why=building.why, since=building.created)
            if building is not None
            else None,
            sources=list(shown.sources),
            sink=ViewSink(cluster=spec.sink.cluster, topic=spec.sink.topic, format=spec.sink.format)
            if spec.sink is not None
            else None,
            masked_copy=spec.copyOf is not None,
            key=list(shown.key),
            columns=[ViewColumn(name=name, type=kind) for name, kind in shown.columns],
            lag=ViewLag(records=shown.lag.get("records"), seconds=shown.lag.get("seconds"), at=shown.lag.get("at")),
            rates=dict(shown.rates),
            counts=dict(shown.counts),
            error=dict(shown.error) if shown.error is not None else None,
            notes=list(shown.notes),
            sql=shown.sql,
            run_as=spec.runAs.model_dump(exclude_none=True),
            description=shown.description,
            owners=[each.model_dump(exclude_none=True) for each in spec.owners],
            restarts=shown.restarts,
            may=ViewMayDo(operate=shown.operable),
            **more,
        )


class Views(Answer):
    """All views."""

    views: list[View]


class RowsColumn(Answer):
    """A column as the reader sees it."""

    name: str
    type: str = about("As the reader sees it: a hash is a string.")
    decision: FreeForm = about("`{effect: clear | masked | derived | denied | withheld, text, masks, fields}`")


class Freshness(Answer):
    """How far the rows are behind the sources."""

    records: int | None = about("Records that the sources have and the rows do not contain.")
    seconds: float | None = about("For how long that has been so.")
    at: Time | None = about("When that was looked up; it is old where the stream does not run.")
    offsets: dict[str, dict[str, int]] = about("Source topic -> partition -> next offset: what the rows contain.")

    @classmethod
    def of(cls, state: ViewState, contained: Contained) -> Freshness:
        return cls(
            records=state.lag.get("records"),
            seconds=state.lag.get("seconds"),
            at=state.lag.get("at"),
            offsets={topic: {str(p): n for p, n in each.items()} for topic, each in contained.offsets.items()},
        )


class ViewRows(Answer):
    """A page of rows."""

    columns: list[RowsColumn]
    rows: list[list[Any]] = about("Values in the order of the columns, in the forms of `/query`.")
    generation: int
    freshness: Freshness
    next: str | None = about("`cursor` of the next page; null on the last.")
    left_out: list[str] = about("Columns, and fields inside of them, that the reader may not see.")


class ViewAction(Answer):
    """What was asked of a view; the runner does it within a second or two."""

    name: str
    action: Literal["pause", "resume", "restart", "rebuild"]


class RemovedTopic(Answer):
    """The topic of a view that is deleted."""

    cluster: str
    topic: str
    kept: bool = about("Whether the topic stays, without its records; a private one is deleted.")


class ViewReader(Answer):
    """Somebody who read a view lately."""

    user: str
    last: Time


class ReadingJob(Answer):
    """A job that reads the view's topic, by lineage."""

    name: str
    last_seen: str | None


class ViewRemoval(Answer):
    """What goes with a view, and who reads it."""

    name: str
    rows: int | None = about("Rows that readers get; null for who may not know how many there are.")
    state_bytes: int | None = about("Memory of the engine's state, as of the last batch.")
    generations: list[int]
    topic: RemovedTopic | None = about("Null where nothing was built yet.")
    readers: list[ViewReader] = about("Who read rows in the last 30 days, the latest first, by the audit.")
    following: int = about("How many follow it just now at this server.")
    views: list[str] = about("Views that read it.")
    jobs: list[ReadingJob] | None = about("Jobs that read its topic, by lineage; null while the graph does not answer.")
    grants: list[str] = about("Grants on it, which open nothing any more.")
    text: str = about("All of it in a sentence or two.")


class DiffSide(Answer):
    """A generation of a view, or what would be one."""

    generation: int | None = absent("Its number; null for one that does not exist yet.")
    key: list[str] = absent("Columns that identify a row.")
    sources: list[str] = absent("CLUSTER/TOPIC of each source.")
    filters: dict[str, list[str]] = absent("Sources of which it holds some rows only, and the conditions.")


class DiffColumn(Answer):
    """A column in both generations."""

    name: str
    change: Literal["same", "added", "removed", "type", "values", "tags"]
    before: str | None = about("Its type in the running generation.")
    after: str | None
    tags_before: list[str]
    tags_after: list[str]
    shows_before: list[str] = about(
        "`CLUSTER/TOPIC path` of each field whose values may be in it; masked ones are not."
    )
    shows_after: list[str]


class DiffReader(Answer):
    """A user who would see something else."""

    user: str
    could_read: bool
    may_read: bool
    gains: list[str] = about(
        "`COLUMN: BEFORE -> AFTER`, each not shown, masked or unmasked; or `COLUMN: values of FIELD`."
    )
    loses: list[str]


class DiffRows(Answer):
    """Rows of two generations that both exist, by key."""

    generation: int = about("The one that is being built.")
    same: int
    differ: int
    only_before: int
    only_after: int
    columns: dict[str, int] = about("Column -> in how many rows it differs.")
    partial: bool = about("Whether only the first 200,000 rows of each were compared.")


class ViewRefusal(Answer):
    """Why there would be no other generation."""

    code: str
    message: str
    reasons: list[str]


class ViewDiff(Answer):
    """The running generation of a view against the one that would be built."""

    name: str
    changed: bool = about("Whether another generation would be built.")
    running: DiffSide
    next: DiffSide
    refused: ViewRefusal | None = about("Why the subject of the view may not read its sources.")
    sql: str = about("The change of the SQL, as `diff -u` writes it.")
    columns: list[DiffColumn]
    breaks: list[str] = about("What consumers would stumble over, in sentences; none: it is compatible.")
    topic: list[str] = about(
        "What the view would change of an output topic that is there already, and why it would not start, in sentences."
    )
    readers: list[DiffReader] = about("Declared users who would see more or less, 1,000 looked at.")
    rows: DiffRows | None = about("Null where the next generation does not exist yet.")
    text: str
