"""The flows that one set of facts states, once precedence is settled.

Within a run, the strongest statement counts: an explicit lineage facet, else column lineage, else inputs x outputs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from catalog.model import DatasetId
from lineage.fold import facts as f
from lineage.fold.job_ledger import Book, Pair
from lineage.fold.pairs import pair_of
from lineage.ingest import event_sql
from lineage.model import How, Kind
from lineage.names import Names
from lineage.sql.flows import Flow, columns_of, flows_from_sql
from lineage.sql.model import Columns

Ends = tuple[DatasetId, DatasetId]


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
    """Those of which not all columns are known."""
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


@dataclass(slots=True)
class _Facts:
    """What the facts of one set state, before precedence is settled.

    explicit_into  targets into which inputs x outputs must not be inferred
    unsaid         ends of columns of which no producer states whether they are masked
    texts          SQL and its dialect; showing_masks: SQL that is read for masks alone
    """

    ins: set[DatasetId] = field(default_factory=set)
    outs: set[DatasetId] = field(default_factory=set)
    explicit_into: set[DatasetId] = field(default_factory=set)
    flows: dict[Ends, How] = field(default_factory=dict)
    columns: list[Flow] = field(default_factory=list)
    unsaid: set[tuple[DatasetId, str, DatasetId, str | None]] = field(default_factory=set)
    texts: set[tuple[str, str]] = field(default_factory=set)
    showing_masks: set[tuple[str, str]] = field(default_factory=set)
    schemas: dict[DatasetId, Columns] = field(default_factory=dict)

    def sql_flows(self, texts: set[tuple[str, str]], names: Names) -> tuple[list[Flow], set[DatasetId]]:
        """The columns that SQL shows, and the targets of which it does not show all."""
        return flows_from_sql(texts, self.schemas, self.ins, self.outs, names)


def settle(facts: f.Facts, book: Book, names: Names) -> Statement:
    """Apply precedence to the facts of a run."""
    statement = Statement()
    read = _read(facts, statement, book, names)
    _settle_columns(read, statement, names)
    raw = _flows_of_columns(read, statement)
    if not statement.explicit:
        _infer_flows(read, statement, raw, _integration(book))
    for (source, target), how in read.flows.items():
        sure = (source, target) in raw and target not in statement.doubtful
        variant = ("1" if sure else "0", "1" if raw.get((source, target), True) else "0")
        statement.pairs[pair_of(Kind.FEEDS, source, "", target, "", book)] = (variant, how)
        statement.feeds.add((source, target))
    _add_columns(statement, read.columns, book, names)
    if book.is_job:
        for dataset in read.ins | {source for source, _ in read.flows}:
            _touch(statement, Kind.READS, book.namespace, book.name, dataset)
        for dataset in read.outs | {target for _, target in read.flows}:
            _touch(statement, Kind.WRITES, book.namespace, book.name, dataset)
    return statement


def _read(facts: f.Facts, statement: Statement, book: Book, names: Names) -> _Facts:
    """The facts by what they are about; those that nothing takes precedence over go into the statement at once."""
    read = _Facts()
    columns, unsaid = read.columns, read.unsaid
    known: dict[f.Fact, DatasetId] = {}
    for fact in facts:
        if fact[0] == f.COLUMN or fact[0] == f.EXPLICIT_COLUMN:  # most facts are these, and a pattern is slow to match
            tag, _, _, sf, _, _, tf, way = fact
            source, target = known.get(fact[1:3]), known.get(fact[4:6])
            if source is None:
                source = known[fact[1:3]] = names.dataset(fact[1], fact[2])
            if target is None:
                target = known[fact[4:6]] = names.dataset(fact[4], fact[5])
            columns.append((source, sf, target, tf, way != f.MASKED, tag == f.EXPLICIT_COLUMN))
            if way == f.UNSAID:
                unsaid.add((source, sf, target, tf))
            continue
        match fact:
            case (f.INPUT, ns, name):
                read.ins.add(names.dataset(ns, name))
            case (f.OUTPUT, ns, name):
                read.outs.add(names.dataset(ns, name))
            case (f.INFLUENCE | f.EXPLICIT_INFLUENCE as tag, sns, sn, sf, tns, tn):
                source, target = names.dataset(sns, sn), names.dataset(tns, tn)
                columns.append((source, sf, target, None, False, tag == f.EXPLICIT_INFLUENCE))
            case (f.EXPLICIT,):
                statement.explicit = True
            case (f.EXPLICIT, ns, name):
                read.explicit_into.add(names.dataset(ns, name))
            case (event_sql.SQL, text, dialect):
                read.texts.add((text, dialect))
            case (event_sql.MASKS, text, dialect):
                read.showing_masks.add((text, dialect))
            case (event_sql.SCHEMA, ns, name, text):
                read.schemas[names.dataset(ns, name)] = columns_of(text)
            case (f.SOURCE, sns, sn, tns, tn):
                read.flows[names.dataset(sns, sn), names.dataset(tns, tn)] = How.EXPLICIT
            case (f.RENAMED, sns, sn, tns, tn):
                read.flows.setdefault((names.dataset(sns, sn), names.dataset(tns, tn)), How.RENAME)
            case _:
                _add_fact_of_job(fact, statement, book, names)
    return read


def _add_fact_of_job(fact: f.Fact, statement: Statement, book: Book, names: Names) -> None:
    match fact:
        case (f.JOB_WRITES, jns, jn, ns, name):
            _touch(statement, Kind.WRITES, jns, jn, names.dataset(ns, name))
        case (f.JOB_READS, jns, jn, ns, name):
            _touch(statement, Kind.READS, jns, jn, names.dataset(ns, name))
        case (f.OVERWRITES, ns, name):
            statement.overwrites.add(names.dataset(ns, name))
        case (f.DOUBTFUL, ns, name):
            statement.doubtful.add(names.dataset(ns, name))
        case (f.HANDS_TO, sns, sn, tns, tn):
            statement.pairs[(Kind.HANDS_TO, sns, sn, "", tns, tn, "", "", "")] = ((), How.EXPLICIT)
        case (f.PARENT, ns, name) if (ns, name) != (book.namespace, book.name):
            pair = (Kind.CHILD_OF, book.namespace, book.name, "", ns, name, "", "", "")
            statement.pairs[pair] = ((), How.PARENT_RUN)


def _settle_columns(read: _Facts, statement: Statement, names: Names) -> None:
    """An explicit facet's columns before all others, those of SQL only into targets without any."""
    if statement.explicit or read.explicit_into:
        read.columns = [
            row for row in read.columns if row[5] or not (statement.explicit or row[2] in read.explicit_into)
        ]
    if read.showing_masks and read.unsaid:
        read.columns = _masked_as_shown(read.columns, read.unsaid, read.sql_flows(read.showing_masks, names)[0], names)
    if read.texts and not statement.explicit:
        with_columns = {row[2] for row in read.columns} | read.explicit_into
        rows, doubtful = read.sql_flows(read.texts, names)
        read.columns += [row for row in rows if row[2] not in with_columns]
        statement.from_sql = {row[2] for row in read.columns} - with_columns
        statement.doubtful |= doubtful - with_columns


def _flows_of_columns(read: _Facts, statement: Statement) -> dict[Ends, bool]:
    """Ends with columns between them -> whether any arrives raw; these become flows, and their targets known."""
    raw: dict[Ends, bool] = {}
    for source, target, is_raw, explicit in _by_ends(read.columns):
        raw[source, target] = raw.get((source, target), False) or is_raw
        read.flows.setdefault((source, target), _how(statement, target, explicit))
        if target not in statement.doubtful:
            statement.known.add(target)
    return raw


def _infer_flows(read: _Facts, statement: Statement, raw: Mapping[Ends, bool], integration: str | None) -> None:
    """Flows from inputs to outputs, where nothing stronger states them."""
    claimed = {source for source, _ in raw}
    for ends in pairing(read.ins, read.outs, integration):
        source, target = ends
        # An input that no output's columns name still feeds every output: nothing shows where else it went.
        if (
            ends not in read.flows
            and target not in read.explicit_into
            and not (target in statement.known and source in claimed)
        ):
            read.flows[ends] = How.INPUTS_OUTPUTS


def _masked_as_shown(
    columns: Iterable[Flow],
    unsaid: Collection[tuple[DatasetId, str, DatasetId, str | None]],
    sql_columns: Iterable[Flow],
    names: Names,
) -> list[Flow]:
    """The columns. Where no producer states whether one is masked, the SQL decides: masked if every way of it masks."""
    ways: dict[tuple[str, ...], set[bool]] = {}
    for source, sf, target, tf, is_raw, _ in sql_columns:
        if tf is not None:
            ways.setdefault(_spelled(names, source, sf, target, tf), set()).add(is_raw)
    return [
        (*row[:4], False, row[5])
        if row[:4] in unsaid
        and row[3] is not None
        and ways.get(_spelled(names, row[0], row[1], row[2], row[3])) == {False}
        else row
        for row in columns
    ]


def _by_ends(
    columns: Iterable[Flow],
) -> Iterator[tuple[DatasetId, DatasetId, bool, bool]]:
    """Source, target, is any of it raw, is it explicit: once for many columns between the same two objects."""
    by_ends: dict[tuple[int, int], tuple[DatasetId, DatasetId, bool, bool]] = {}
    for source, _, target, _, is_raw, explicit in columns:
        key = (id(source), id(target))
        before = by_ends.get(key)
        if before is None or (is_raw and not before[2]):
            by_ends[key] = (source, target, is_raw, explicit if before is None else before[3])
    return iter(by_ends.values())


def _spelled(names: Names, source: DatasetId, sf: str, target: DatasetId, tf: str) -> tuple[str, ...]:
    """Databases do not agree on the case of names that are not quoted."""
    ends = (names.column(source, sf).lower(), names.column(target, tf).lower())
    return source.namespace, source.name, target.namespace, target.name, *ends


def _how(statement: Statement, target: DatasetId, explicit: bool) -> How:
    return How.EXPLICIT if explicit else How.SQL if statement.from_sql and target in statement.from_sql else How.COLUMNS


def _add_columns(statement: Statement, columns: Iterable[Flow], book: Book, names: Names) -> None:
    alike: dict[tuple[bool, How], tuple[tuple[str, ...], How]] = {}
    pairs, job = statement.pairs, (book.namespace, book.name) if book.is_job else ("", "")
    derives = Kind.DERIVES
    for source, sf, target, tf, is_raw, explicit in columns:
        how = _how(statement, target, explicit)
        if tf is None:
            pairs[pair_of(Kind.INFLUENCES, source, names.column(source, sf), target, "", book)] = ((), how)
            continue
        sf, tf = names.column(source, sf), names.column(target, tf)
        pair = (derives, source.namespace, source.name, sf, target.namespace, target.name, tf, *job)
        was = pairs.get(pair)
        arrives = is_raw or (was is not None and was[0] == ("1",))
        what = alike.get((arrives, how))
        if what is None:
            what = alike[arrives, how] = (("1" if arrives else "0",), how)
        pairs[pair] = what


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
