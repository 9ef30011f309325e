"""From a declared view to one generation of it: gated, decided for whom it runs as, governed, and shaped as a stream.

A generation is named by a hash of everything that its state rests on: the SQL, the types it reads, what the subject may
see of each source, the key. State is never used under another hash, so it never outlives the right it came by.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from catalog.errors import InvalidInput, NotAllowed, SqlRefused
from policies.decision.restrictions import restrictions
from policies.gate import gate
from policies.gate.gate import Gated
from policies.model import Effect, Subject
from policies.plan.model import TablePlan, Window
from policies.plan.prepare import DecidedTables, PreparedQuery, Preparer, check_possible
from policies.plan.refusals import not_allowed
from policies.sql.names import fold
from policies.sql.tables import TableRef
from policies.sql.windows import read_time
from views.declared import Offsets, ViewSpec
from views.model import Start, StreamTable, Watermark
from views.runner import compacted
from views.runner.replaced import check_once, check_replaced, own_key, with_gone
from views.shape.shape import Shape, shape

IsCompacted = Callable[[str, str], bool | None]
"""Of a cluster's topic; see `views.runner.compacted.Compaction`."""


@dataclass(frozen=True, slots=True)
class Built:
    """What one generation runs.

    generation  16 hexadecimal digits; sources: `CLUSTER/TOPIC` of each followed topic, in order
    compacted   `CLUSTER/TOPIC` -> whether it is compacted, where that is known and counts
    reads       a hash of how records are decoded, and of onError: when it alone changes, the stream starts again on its checkpoint
    """

    generation: str
    reads: str
    sql: str
    tables: tuple[StreamTable, ...]
    shape: Shape
    prepared: PreparedQuery
    sources: tuple[str, ...]
    compacted: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Basis:
    """All that `Built` follows from: where it is equal, so is what is built of it."""

    spec: ViewSpec
    decided: DecidedTables
    compaction: Mapping[TableRef, bool | None]


def built(spec: ViewSpec, preparer: Preparer, subject: Subject, is_compacted: IsCompacted) -> Built:
    """Raises SqlRefused, DatasetNotFound, InvalidInput, NotAllowed (what the subject may not read), Unavailable."""
    return of_basis(basis_of(spec, preparer, subject, is_compacted), preparer)


def basis_of(spec: ViewSpec, preparer: Preparer, subject: Subject, is_compacted: IsCompacted) -> Basis:
    """The tables as they are now, each decided now. Raises what `built` raises."""
    decided = preparer.find(subject, gated_once(spec.sql), spec.runAs.purpose)
    return Basis(spec, decided, _compaction(spec, decided, is_compacted))


def of_basis(basis: Basis, preparer: Preparer) -> Built:
    """Raises what `built` raises."""
    spec, decided, compaction, gated = basis.spec, basis.decided, basis.compaction, gated_once(basis.spec.sql)
    prepared = preparer.govern(gated, decided)
    denied = [each for each in decided.decisions.values() if each.effect is Effect.DENY]
    if denied or prepared.gaps:
        raise not_allowed(denied or list(decided.decisions.values()), prepared.gaps, spec.runAs.purpose)
    if spec.decision is not None and {restrictions(each) for each in decided.decisions.values()} != {spec.decision}:
        raise NotAllowed(
            f"What {spec.runAs.subject} may see of {spec.copyOf} is not what this copy is for; consumers get another copy.",
            details={"reasons": ["the decision is another one"]},
        )
    check_possible(prepared)
    check_once(decided.tables)
    replaced = {ref: each.rows.keys for ref, each in decided.tables.items() if each.rows and each.rows.newest}
    key = spec.key
    if replaced:
        key = own_key(prepared, replaced, key)
    by_key = [ref for ref, known_of in compaction.items() if known_of]
    shaped = partial(_shaped, spec, gated, prepared, replaced=[*replaced, *by_key], compaction=compaction)
    if by_key and key is None and (own := compacted.own_key(prepared, by_key)) is not None:
        streamed = _with_own_key(shaped, own, joined=len(prepared.tables) > 1)
    else:
        streamed = shaped(key)
    if streamed.key and streamed.mode == "append":
        compacted.with_keys(prepared, streamed, by_key)
    if streamed.kept or streamed.key:
        check_replaced(prepared, streamed, replaced)
        prepared.tables.update({ref: with_gone(prepared.tables[ref]) for ref in streamed.follows if ref in replaced})
    prepared = replace(
        prepared, gated=replace(gated, tree=streamed.tree), windows=dict.fromkeys(prepared.tables, Window(()))
    )
    plan = prepared.plan(1, 1.0)
    views = prepared.views()
    tables = tuple(
        replace(_followed(spec, streamed, ref, each), compacted=ref in by_key and ref in streamed.follows)
        for each in plan.tables
        for ref in (views[each.view],)
    )
    return Built(
        generation=_hash(
            [
                plan.sql,
                spec.model_dump(mode="json", include=_SHAPING),
                *map(_meaning, tables),
                *_form(spec, gated, tables),
            ]
        ),
        reads=_hash([spec.onError, *(_decoding(each.table) for each in tables)]),
        sql=plan.sql,
        tables=tables,
        shape=streamed,
        prepared=prepared,
        sources=tuple(dict.fromkeys(governed.table.reference for governed in prepared.tables.values())),
        compacted={_topic(decided, ref): each for ref, each in compaction.items() if each is not None},
    )


def _shaped(
    spec: ViewSpec,
    gated: Gated,
    prepared: PreparedQuery,
    key: Sequence[str] | None,
    replaced: Sequence[TableRef],
    compaction: Mapping[TableRef, bool | None],
) -> Shape:
    """The query as a stream, with notes on what compaction does to it. `replaced`: tables whose records replace one another."""
    by_key = [ref for ref, known_of in compaction.items() if known_of]
    streamed = shape(
        gated,
        key=key,
        watermark=spec.watermark is not None,
        watermark_column=spec.watermark_column,
        columns=prepared.columns(),
        replaced=replaced,
        compacted=by_key,
    )
    unknown = [ref for ref, known_of in compaction.items() if known_of is None]
    return replace(streamed, notes=(*streamed.notes, *compacted.notes(streamed, by_key, unknown)))


def _with_own_key(shaped: Callable[[Sequence[str] | None], Shape], own: Sequence[str], joined: bool) -> Shape:
    """With the key that the query shows; where a join cannot take rows back, without one, and a note has that."""
    try:
        return shaped(own)
    except SqlRefused:
        if not joined:
            raise
        return shaped(None)


def _compaction(spec: ViewSpec, decided: DecidedTables, is_compacted: IsCompacted) -> dict[TableRef, bool | None]:
    """Of each topic whether its records replace one another by key. A copy has all records of its source."""
    if spec.copyOf is not None or spec.compactedAs == "stream":
        return {}
    topics = {ref: each for ref, each in decided.tables.items() if each.rows is None}
    return {ref: is_compacted(each.reference.partition("/")[0], each.topic) for ref, each in topics.items()}


def _topic(decided: DecidedTables, ref: TableRef) -> str:
    """`CLUSTER/TOPIC` of a table."""
    table = decided.tables[ref]
    return f"{table.reference.partition('/')[0]}/{table.topic}"


@lru_cache(maxsize=256)
def gated_once(sql: str) -> Gated:
    """A text is the same query at every look; only its tables and their decisions change. Raises SqlRefused."""
    return gate.check(sql, final=True)


_SHAPING = {"key", "startFrom", "watermark", "sink", "ttl"}
"""Fields of the spec that a generation rests on beside its SQL."""


def start_of(spec: ViewSpec, since: str | None = None) -> Start:
    """Where the first batch of a generation begins: as declared, or `since`: earliest, latest, or a time, where a rebuild
    asked for that. Raises InvalidInput for what is none of these."""
    if since is None and isinstance(spec.startFrom, Offsets):
        return Start(offsets=spec.startFrom.starts())
    at = since if since is not None else spec.startFrom
    assert isinstance(at, str)
    return Start(at if at in ("earliest", "latest") else read_time(at))


def _followed(spec: ViewSpec, streamed: Shape, ref: TableRef, table: TablePlan) -> StreamTable:
    if ref in streamed.tables:
        return StreamTable(table, tabular=True)
    delay, column = spec.delay, streamed.watermarks.get(ref)
    if delay is None or column is None:
        return StreamTable(table)
    present = next((name for name, _ in table.columns if fold(name) == fold(column)), None)
    if present is None:
        if spec.watermark_column is not None:
            raise InvalidInput(
                f"The watermark's column {column} is not a column of {ref.name} that the query reads and {spec.runAs.subject}"
                " may see.",
                details={"field": "spec.watermark.column"},
            )
        return StreamTable(table)  # nothing of the query rests on the time of this table
    return StreamTable(table, Watermark(present, delay))


def _meaning(each: StreamTable) -> Any:
    """What a table shows, without how it is reached."""
    table = each.table
    late = [each.watermark.column, each.watermark.delay.total_seconds()] if each.watermark else None
    return [
        table.view,
        each.tabular,
        table.topic,
        table.key.format,
        repr(table.key.kind),
        table.value.format,
        repr(table.value.kind),
        list(table.filters),
        [list(c) for c in table.conditions],
        [list(c) for c in table.columns],
        table.case_sensitive,
        late,
        *([table.rows.value] if table.rows is not None else []),
        *([["by key", list(table.by_key.fields) if table.by_key is not None else None]] if each.compacted else []),
    ]


def _form(spec: ViewSpec, gated: Gated, tables: tuple[StreamTable, ...]) -> list[str]:
    """What the text and the tables do not show: rows that come once, and copies of another form than those of before."""
    copied = ["keys of hidden records"] if spec.copyOf is not None and tables[0].table.filters else []
    return [*copied, *(["rows come once"] if gated.emit_final else [])]


def _decoding(table: TablePlan) -> Any:
    return [table.topic, _plain(table.key.schemas), _plain(table.value.schemas), sorted(table.kafka.items())]


def _plain(schemas: Mapping[str, object]) -> Any:
    return json.loads(json.dumps(schemas, sort_keys=True, default=repr))


def _hash(parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=repr).encode()).hexdigest()[:16]
