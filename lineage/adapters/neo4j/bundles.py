"""Edges between columns as Neo4j stores them: one relationship for each owner and pair of datasets, its edges a document.

A job of eighty column edges is then two or three relationships and not eighty with a node at each end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

from catalog.model import DatasetId, NodeId
from lineage.model import Edge, How, Kind

COLUMN_KINDS = frozenset({Kind.DERIVES, Kind.INFLUENCES})


class Shared(NamedTuple):
    """What most edges of a bundle have alike. `job`: None where it is the owner."""

    kind: str
    job: str | None
    vf: int
    vt: int
    seen: int
    raw: bool
    how: str
    origin: str
    ct: int | None
    unfinished: bool


Row = tuple[Shared, str, str]
"""What an edge shares, the field at its source, the field at its target (empty: the whole dataset)."""


@dataclass(slots=True)
class Bundle:
    """The changes to one owner's edges between two datasets."""

    owner: str
    source: DatasetId
    target: DatasetId
    upserts: dict[str, Row] = field(default_factory=dict)
    updates: dict[str, Row] = field(default_factory=dict)

    def applied(self, before: dict[str, Row]) -> dict[str, Row]:
        """The edges afterwards: those that are new or set, and of those that were there the ones that change."""
        updates = {key: row for key, row in self.updates.items() if key in before or key in self.upserts}
        return before | self.upserts | updates


def bundles_of(upserts: Iterable[Edge], updates: Iterable[Edge]) -> dict[str, Bundle]:
    """Bundle id -> its changes, of the edges between columns among these."""
    bundles: dict[str, Bundle] = {}
    by_ends: dict[tuple[str, ...], Bundle] = {}
    alike: dict[tuple[Any, ...], Shared] = {}
    for edges, are_new in ((upserts, True), (updates, False)):
        for edge in edges:
            key, kind, _, _, owner, job, vf, vt, seen, raw, _, how, origin, ends, ct, unfinished = edge
            if kind not in COLUMN_KINDS:
                continue
            sns, sn, sf, tns, tn, tf = ends or _ends(edge)
            identity = (owner, sns, sn, tns, tn)
            bundle = by_ends.get(identity)
            if bundle is None:
                bundle = by_ends[identity] = bundles[bundle_id(*identity)] = Bundle(
                    owner, DatasetId(sns, sn), DatasetId(tns, tn)
                )
            parts = (kind, owner, job, vf, vt, seen, raw, how, origin, ct, unfinished)
            shared = alike.get(parts)
            if shared is None:
                of = None if job == owner else job or ""
                shared = alike[parts] = Shared(
                    kind=str(kind),
                    job=of,
                    vf=vf,
                    vt=vt,
                    seen=seen,
                    raw=raw,
                    how=str(how),
                    origin=origin,
                    ct=ct,
                    unfinished=unfinished,
                )
            (bundle.upserts if are_new else bundle.updates)[key] = (shared, sf, tf)
    return bundles


def bundle_id(*names: str) -> str:
    """The id of a bundle: of its owner, and of namespace and name of source and target."""
    return blake2b(repr(names).encode(errors="replace"), digest_size=16).hexdigest()


def pack(rows: dict[str, Row]) -> bytes:
    groups: dict[Shared, list[str]] = defaultdict(list)
    for key in sorted(rows):
        shared, source, target = rows[key]
        groups[shared] += (key, source, target)
    return orjson.dumps(
        [[*shared, listed] for shared, listed in sorted(groups.items(), key=lambda each: repr(each[0]))]
    )


def unpack(document: bytes) -> dict[str, Row]:
    return {
        listed[at]: (shared, listed[at + 1], listed[at + 2])
        for shared, listed in groups_of(document)
        for at in range(0, len(listed), 3)
    }


def groups_of(document: bytes) -> Iterator[tuple[Shared, list[str]]]:
    """What edges share, and of each of them in turn: id, field of the source, field of the target."""
    for *shared, listed in orjson.loads(document):
        yield Shared(*shared), listed


def counted(rows: dict[str, Row]) -> dict[str, int]:
    """How many edges of each kind."""
    kinds: dict[str, int] = dict.fromkeys(("derives", "influences"), 0)
    for shared, *_ in rows.values():
        kinds[shared.kind] += 1
    return kinds


def edge_of(key: str, shared: Shared, source: str, target: str, owner: str) -> Edge:
    kind, job, vf, vt, seen, raw, how, origin, ct, unfinished = shared
    return Edge(
        id=key,
        kind=Kind(kind),
        source=source,
        target=target,
        owner=owner,
        job=owner if job is None else job or None,
        vf=vf,
        vt=vt,
        seen=seen,
        raw=raw,
        columns=False,
        how=How(how),
        origin=origin,
        ends=(),
        ct=ct,
        unfinished=unfinished,
    )


def _ends(edge: Edge) -> tuple[Any, ...]:
    source, target = NodeId.parse(edge.source), NodeId.parse(edge.target)
    return source.namespace, source.name, source.field or "", target.namespace, target.name, target.field or ""
