"""Pairs: what a statement is about, as names and not as ids, so that they can be resolved again when more is known.

A pair is (kind, source namespace, name, field, target namespace, name, field, job namespace, job name), with empty texts
where there is none.
"""

from __future__ import annotations

from functools import lru_cache

from catalog.model import DatasetId
from catalog.node_ids import write_id
from lineage.fold.job_ledger import Book, Pair
from lineage.model import Kind
from lineage.names import Names

_FROM_JOB = frozenset({Kind.READS, Kind.WRITES, Kind.CHILD_OF, Kind.HANDS_TO})
_TO_JOB = frozenset({Kind.CHILD_OF, Kind.HANDS_TO})
"""Kinds of edges that begin, and that end, at a job."""


def pair_of(kind: Kind, source: DatasetId, sf: str, target: DatasetId, tf: str, book: Book) -> Pair:
    job = (book.namespace, book.name) if book.is_job else ("", "")
    return (kind, source.namespace, source.name, sf, target.namespace, target.name, tf, *job)


def resolve_pair(pair: Pair, names: Names) -> Pair:
    kind, sns, sn, sf, tns, tn, tf, jns, jn = pair
    if kind not in (Kind.READS, Kind.WRITES, Kind.CHILD_OF, Kind.HANDS_TO):
        source = names.dataset(sns, sn)
        sns, sn, sf = source.namespace, source.name, names.column(source, sf) if sf else sf
    if kind not in (Kind.CHILD_OF, Kind.HANDS_TO):
        target = names.dataset(tns, tn)
        tns, tn, tf = target.namespace, target.name, names.column(target, tf) if tf else tf
    return (kind, sns, sn, sf, tns, tn, tf, jns, jn)


def ends_of(pair: Pair) -> tuple[str, str]:
    """Node ids of source and target."""
    kind, sns, sn, sf, tns, tn, tf, _, _ = pair
    return (
        _field_id(sns, sn, sf) if sf else write_id("job" if kind in _FROM_JOB else "dataset", sns, sn),
        _field_id(tns, tn, tf) if tf else write_id("job" if kind in _TO_JOB else "dataset", tns, tn),
    )


@lru_cache(maxsize=65536)
def _field_id(namespace: str, name: str, field: str) -> str:
    return write_id("field", namespace, name, field)


def datasets_of(pair: Pair) -> tuple[DatasetId, ...]:
    """The datasets at the ends of a pair."""
    kind, sns, sn, _, tns, tn, *_ = pair
    if kind in (Kind.CHILD_OF, Kind.HANDS_TO):
        return ()
    target = DatasetId(tns, tn)
    return (target,) if kind in (Kind.READS, Kind.WRITES) else (DatasetId(sns, sn), target)
