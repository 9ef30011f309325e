"""The flows that one set of facts states, once precedence is settled.

Within a run, the strongest statement counts: an explicit lineage facet, else column lineage, else inputs x outputs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from catalog.model import DatasetId
from catalog.node_ids import write_id
from lineage.fold import facts as f
from lineage.fold.job_ledger import Book, Pair
from lineage.ingest import event_sql
from lineage.model import How, Kind
from lineage.names import Names, field_text
from lineage.sql.flows import columns_of, flows_from_sql
from lineage.sql.model import Columns

Ends = tuple[DatasetId, DatasetId]

_FROM_JOB = frozenset({Kind.READS, Kind.WRITES, Kind.CHILD_OF, Kind.HANDS_TO})
_TO_JOB = frozenset({Kind.CHILD_OF, Kind.HANDS_TO})
"""Kinds of edges that begin, and that end, at a job."""

# A pair is (kind, source namespace, name, field, target namespace, name, field, job namespace, job name), with empty
# texts where there is none: names and not ids, so that it can be resolved again when more is known.


@dataclass(slots=True)
class Statement:
    """What one set of facts states once precedence is settled: pair -> (variant, how)."""

    pairs: dict[Pair, tuple[tuple[str, ...], How]] = field(default_factory=dict)
    feeds: set[Ends] = field(default_factory=set)
    known: set[DatasetId] = field(default_factory=set)
    """Targets with column lineage."""
    from_sql: set[DatasetId] = field(default_factory=set)
    """Targets whose column lineage was read off SQL."""
    doubtful: set[DatasetId] = field(default_factory=set)
    """Those of which the SQL does not show all columns."""
    overwrites: set[DatasetId] = field(default_factory=set)
    """What was in these before is gone when the run completes."""
    explicit: bool = False
    reads: bool = False
    writes: bool = False

    def refutes(self, pair: Pair) -> bool:
        """Whether a finished run that states this shows that `pair`, which it lacks, has ended."""
        kind = pair[0]
        if kind == Kind.READS:
            return self.reads
        if kind == Kind.WRITES:
            return self.writes
        if kind in (Kind.CHILD_OF, Kind.HANDS_TO):
            return False
        flows = bool(self.feeds) or self.explicit
        if kind == Kind.FEEDS:
            return flows
        source, target = DatasetId(pair[1], pair[2]), DatasetId(pair[4], pair[5])
        return target in self.known or (flows and (source, target) not in self.feeds)


def settle(facts: f.Facts, book: Book, names: Names) -> Statement:
    """Apply precedence to the facts of a run."""
    statement = Statement()
    ins: set[DatasetId] = set()
    outs: set[DatasetId] = set()
    explicit_into: set[DatasetId] = set()
    flows: dict[Ends, How] = {}
    columns: list[tuple[DatasetId, str, DatasetId, str | None, bool, bool]] = []
    texts: set[tuple[str, str]] = set()
    showing_masks: set[tuple[str, str]] = set()
    unsaid: set[tuple[DatasetId, str, DatasetId, str | None]] = set()
    schemas: dict[DatasetId, Columns] = {}
    for fact in facts:
        if fact[0] == f.COLUMN or fact[0] == f.EXPLICIT_COLUMN:  # most facts are these, and a pattern is slow to match
            tag, sns, sn, sf, tns, tn, tf, way = fact
            source, target = names.dataset(sns, sn), names.dataset(tns, tn)
            columns.append((source, sf, target, tf, way != f.MASKED, tag == f.EXPLICIT_COLUMN))
            if way == f.UNSAID:
                unsaid.add((source, sf, target, tf))
            continue
        match fact:
            case (f.INPUT, ns, name):
                ins.add(names.dataset(ns, name))
            case (f.OUTPUT, ns, name):
                outs.add(names.dataset(ns, name))
            case (f.INFLUENCE | f.EXPLICIT_INFLUENCE as tag, sns, sn, sf, tns, tn):
                source, target = names.dataset(sns, sn), names.dataset(tns, tn)
                columns.append((source, sf, target, None, False, tag == f.EXPLICIT_INFLUENCE))
            case (f.EXPLICIT,):
                statement.explicit = True
            case (f.EXPLICIT, ns, name):
                explicit_into.add(names.dataset(ns, name))
            case (event_sql.SQL, text, dialect):
                texts.add((text, dialect))
            case (event_sql.MASKS, text, dialect):
                showing_masks.add((text, dialect))
            case (event_sql.SCHEMA, ns, name, text):
                schemas[names.dataset(ns, name)] = columns_of(text)
            case (f.SOURCE, sns, sn, tns, tn):
                flows[names.dataset(sns, sn), names.dataset(tns, tn)] = How.EXPLICIT
            case (f.RENAMED, sns, sn, tns, tn):
                flows.setdefault((names.dataset(sns, sn), names.dataset(tns, tn)), How.RENAME)
            case (f.JOB_WRITES, jns, jn, ns, name):
                _touch(statement, Kind.WRITES, jns, jn, names.dataset(ns, name))
            case (f.JOB_READS, jns, jn, ns, name):
                _touch(statement, Kind.READS, jns, jn, names.dataset(ns, name))
            case (f.OVERWRITES, ns, name):
                statement.overwrites.add(names.dataset(ns, name))
            case (f.HANDS_TO, sns, sn, tns, tn):
                statement.pairs[(Kind.HANDS_TO, sns, sn, "", tns, tn, "", "", "")] = ((), How.EXPLICIT)
            case (f.PARENT, ns, name) if (ns, name) != (book.namespace, book.name):
                pair = (Kind.CHILD_OF, book.namespace, book.name, "", ns, name, "", "", "")
                statement.pairs[pair] = ((), How.PARENT_RUN)
    if statement.explicit or explicit_into:
        columns = [row for row in columns if row[5] or not (statement.explicit or row[2] in explicit_into)]
    if showing_masks and unsaid:
        columns = _masked_as_shown(columns, unsaid, flows_from_sql(showing_masks, schemas, ins, outs, names)[0])
    if texts and not statement.explicit:
        with_columns = {row[2] for row in columns} | explicit_into
        rows, doubtful = flows_from_sql(texts, schemas, ins, outs, names)
        columns += [row for row in rows if row[2] not in with_columns]
        statement.from_sql = {row[2] for row in columns} - with_columns
        statement.doubtful = doubtful - with_columns
    raw: dict[Ends, bool] = {}
    for source, target, is_raw, explicit in _by_ends(columns):
        raw[source, target] = raw.get((source, target), False) or is_raw
        flows.setdefault((source, target), _how(statement, target, explicit))
        if target not in statement.doubtful:
            statement.known.add(target)
    if not statement.explicit:
        claimed = {source for source, _ in raw}
        for ends in pairing(ins, outs, _integration(book)):
            source, target = ends
            # An input that no output's columns name still feeds every output: nothing shows where else it went.
            if (
                ends not in flows
                and target not in explicit_into
                and not (target in statement.known and source in claimed)
            ):
                flows[ends] = How.INPUTS_OUTPUTS
    for (source, target), how in flows.items():
        sure = (source, target) in raw and target not in statement.doubtful
        variant = ("1" if sure else "0", "1" if raw.get((source, target), True) else "0")
        statement.pairs[pair_of(Kind.FEEDS, source, "", target, "", book)] = (variant, how)
        statement.feeds.add((source, target))
    _add_columns(statement, columns, book)
    if book.is_job:
        for dataset in ins | {source for source, _ in flows}:
            _touch(statement, Kind.READS, book.namespace, book.name, dataset)
        for dataset in outs | {target for _, target in flows}:
            _touch(statement, Kind.WRITES, book.namespace, book.name, dataset)
    return statement


Column = tuple[DatasetId, str, DatasetId, str | None, bool, bool]


def _masked_as_shown(
    columns: Iterable[Column],
    unsaid: Collection[tuple[DatasetId, str, DatasetId, str | None]],
    sql_columns: Iterable[Column],
) -> list[Column]:
    """The columns. Where no producer states whether one is masked, the SQL decides: masked if every way of it masks."""
    ways: dict[tuple[str, ...], set[bool]] = {}
    for source, sf, target, tf, is_raw, _ in sql_columns:
        if tf is not None:
            ways.setdefault(_spelled(source, sf, target, tf), set()).add(is_raw)
    return [
        (*row[:4], False, row[5]) if row[:4] in unsaid and row[3] is not None
        and ways.get(_spelled(row[0], row[1], row[2], row[3])) == {False} else row
        for row in columns
    ]  # fmt: skip


def _by_ends(
    columns: Iterable[tuple[DatasetId, str, DatasetId, str | None, bool, bool]],
) -> Iterator[tuple[DatasetId, DatasetId, bool, bool]]:
    """Source, target, is any of it raw, is it explicit: once for many columns between the same two objects."""
    by_ends: dict[tuple[int, int], tuple[DatasetId, DatasetId, bool, bool]] = {}
    for source, _, target, _, is_raw, explicit in columns:
        key = (id(source), id(target))
        before = by_ends.get(key)
        if before is None or (is_raw and not before[2]):
            by_ends[key] = (source, target, is_raw, explicit if before is None else before[3])
    return iter(by_ends.values())


def _spelled(source: DatasetId, sf: str, target: DatasetId, tf: str) -> tuple[str, ...]:
    """Databases do not agree on the case of names that are not quoted."""
    ends = (field_text(source, sf).lower(), field_text(target, tf).lower())
    return source.namespace, source.name, target.namespace, target.name, *ends


def _how(statement: Statement, target: DatasetId, explicit: bool) -> How:
    return How.EXPLICIT if explicit else How.SQL if statement.from_sql and target in statement.from_sql else How.COLUMNS


def _add_columns(
    statement: Statement, columns: Iterable[tuple[DatasetId, str, DatasetId, str | None, bool, bool]], book: Book
) -> None:
    alike: dict[tuple[bool, How], tuple[tuple[str, ...], How]] = {}
    for source, sf, target, tf, is_raw, explicit in columns:
        how = _how(statement, target, explicit)
        if tf is None:
            statement.pairs[pair_of(Kind.INFLUENCES, source, field_text(source, sf), target, "", book)] = ((), how)
            continue
        pair = pair_of(Kind.DERIVES, source, field_text(source, sf), target, field_text(target, tf), book)
        was = statement.pairs.get(pair)
        arrives = is_raw or (was is not None and was[0] == ("1",))
        what = alike.get((arrives, how))
        if what is None:
            what = alike[arrives, how] = (("1" if arrives else "0",), how)
        statement.pairs[pair] = what


def pairing(ins: set[DatasetId], outs: set[DatasetId], integration: str | None) -> Iterator[Ends]:
    """Inputs x outputs; but a change-data connector writes each table to the topic that ends with the table's name."""
    if integration == "DEBEZIUM":
        matched = {(s, t) for t in outs for s in ins if t.name.endswith("." + ".".join(s.name.split(".")[-2:]))}
        rest_in, rest_out = ins - {s for s, _ in matched}, outs - {t for _, t in matched}
        yield from matched
        yield from ((s, t) for s in rest_in for t in rest_out)
        return
    yield from ((source, target) for source in ins for target in outs)


def _integration(book: Book) -> str | None:
    entry = book.info.get("integration")
    return str(entry[1]).upper() if entry and entry[1] else None


def _touch(statement: Statement, kind: Kind, namespace: str, name: str, dataset: DatasetId) -> None:
    pair = (kind, namespace, name, "", dataset.namespace, dataset.name, "", namespace, name)
    statement.pairs[pair] = ((), How.INPUTS_OUTPUTS)
    if kind is Kind.READS:
        statement.reads = True
    else:
        statement.writes = True


def pair_of(kind: Kind, source: DatasetId, sf: str, target: DatasetId, tf: str, book: Book) -> Pair:
    job = (book.namespace, book.name) if book.is_job else ("", "")
    return (kind, source.namespace, source.name, sf, target.namespace, target.name, tf, *job)


def resolve_pair(pair: Pair, names: Names) -> Pair:
    kind, sns, sn, sf, tns, tn, tf, jns, jn = pair
    if kind not in (Kind.READS, Kind.WRITES, Kind.CHILD_OF, Kind.HANDS_TO):
        source = names.dataset(sns, sn)
        sns, sn = source.namespace, source.name
    if kind not in (Kind.CHILD_OF, Kind.HANDS_TO):
        target = names.dataset(tns, tn)
        tns, tn = target.namespace, target.name
    return (kind, sns, sn, sf, tns, tn, tf, jns, jn)


def ends_of(pair: Pair) -> tuple[str, str]:
    """Node ids of source and target."""
    kind, sns, sn, sf, tns, tn, tf, _, _ = pair
    return (
        write_id("field", sns, sn, sf) if sf else write_id("job" if kind in _FROM_JOB else "dataset", sns, sn),
        write_id("field", tns, tn, tf) if tf else write_id("job" if kind in _TO_JOB else "dataset", tns, tn),
    )


def datasets_of(pair: Pair) -> tuple[DatasetId, ...]:
    """The datasets at the ends of a pair."""
    kind, sns, sn, _, tns, tn, *_ = pair
    if kind in (Kind.CHILD_OF, Kind.HANDS_TO):
        return ()
    target = DatasetId(tns, tn)
    return (target,) if kind in (Kind.READS, Kind.WRITES) else (DatasetId(sns, sn), target)
