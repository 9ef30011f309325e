"""Views over compacted topics: the newest record of each key counts, and one without a value takes its row away.

A record without a value has nothing but its key, so the key of a view over such a topic is made of the record's key: of
`_key`, or of fields of the value that the key holds. That it holds them is checked record by record while the view runs."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from cachetools import TTLCache

from catalog.datatypes import DataType, Primitive, StructType, quote_identifier
from catalog.errors import InvalidInput
from policies.plan.model import ByKey
from policies.plan.ports import QueryTable
from policies.plan.prepare import Prepared
from policies.plan.value_columns import value_columns
from policies.plan.views import Column, GovernedTable
from policies.sql import trace
from policies.sql.names import fold
from policies.sql.tables import TableRef
from views.ports import Clusters, Topics
from views.shape.names import GONE
from views.shape.shape import Shape

_KEY = "_key"
_KEPT_S = 30.0
INSTEAD = "compactedAs: stream"


class Compaction:
    """Whether topics are compacted, by their clusters; looked up again after 30 seconds. Safe for threads."""

    def __init__(self, topics: Topics, clusters: Clusters) -> None:
        self._topics, self._clusters = topics, clusters
        self._known: TTLCache[tuple[str, str], bool | None] = TTLCache(10_000, _KEPT_S)
        self._lock = threading.Lock()

    def __call__(self, cluster: str, topic: str) -> bool | None:
        """None where the cluster does not let Weir see that. Raises Unavailable, NotFound."""
        at = (cluster, topic)
        with self._lock:
            if at in self._known:
                return self._known[at]
        known = self._topics.compacted(self._clusters.client(cluster), topic)
        with self._lock:
            self._known[at] = known
        return known


def own_key(prepared: Prepared, refs: Collection[TableRef]) -> list[str] | None:
    """The column of the result that is the key of the one topic that the query reads."""
    if len(prepared.tables) != 1:
        return None
    for each in trace.outputs(prepared.gated.tree, prepared.columns()):
        sources = [(ref, [fold(name) for name in names]) for ref, names in each.sources]
        if each.direct and any(sources == [(ref, [_KEY])] for ref in refs):
            return [each.name]
    return None


def with_keys(prepared: Prepared, streamed: Shape, refs: Iterable[TableRef]) -> None:
    """Have the followed ones of these topics read by key, in a view with a key. Changes `prepared`.

    Raises InvalidInput for a key that is not made of the key of the records."""
    outputs = {fold(each.name): each for each in trace.outputs(prepared.gated.tree, prepared.columns())}
    for ref in refs:
        if ref not in streamed.follows:
            continue
        governed = prepared.tables[ref]
        holds = _held(governed.table)
        used: dict[str, str] = {}
        for column in streamed.key:
            output = outputs.get(fold(column))
            sources = output.sources if output is not None else ()
            for other, names in sources:
                first = fold(names[0])
                if other != ref or (first != _KEY and first not in holds):
                    raise _not_of_key(column, ref, holds)
                if first != _KEY:
                    used[holds[first][0]] = holds[first][1]
            if not sources:
                raise _not_of_key(column, ref, holds)
        if used and not isinstance(governed.table.key.kind, StructType) and len(used) > 1:
            raise InvalidInput(
                f"The key of a record of {ref.name} is one value, so it cannot hold {' and '.join(used)}; a record that is"
                f" deleted there could not be taken away here. Give the view one of them as its key, or write {INSTEAD}.",
                details={"field": "spec.key"},
            )
        if used and _denied(governed):
            raise InvalidInput(
                f"The view runs for somebody who may not see the key of {ref.name}, so a record that is deleted there could"
                f" not be taken away here; open _key to them, or write {INSTEAD}.",
                details={"field": "spec.runAs", "dataset": governed.table.reference},
            )
        prepared.tables[ref] = replace(
            governed,
            columns=(*governed.columns, Column(GONE, None, "weir_raw IS NULL", system=True)),
            by_key=ByKey(tuple(sorted(used.items()))),
        )


def notes(streamed: Shape, refs: Iterable[TableRef], unknown: Iterable[TableRef]) -> tuple[str, ...]:
    """What the author of the view should know."""
    without = [] if streamed.key else [ref for ref in refs if ref in streamed.follows]
    return (
        *(
            f"{ref.name} is compacted, and the view has no key: each of its records stays here, also when the topic has"
            " deleted it. A key that is made of _key ends that."
            for ref in without
        ),
        *(
            f"The cluster does not let Weir see whether {ref.name} is compacted (DescribeConfigs), so each of its records"
            " counts for itself."
            for ref in unknown
            if ref in streamed.follows
        ),
    )


def _held(table: QueryTable) -> Mapping[str, tuple[str, str]]:
    """Folded column -> (field of the value, SQL of it over the stored key), for fields that the key may hold: of a key with
    fields those of the same name, of any other each that is one value."""
    kind: DataType = table.value.kind
    if type(kind) is not StructType or table.payload is not None:
        return {}
    plain = [each for each in value_columns(kind) if isinstance(each.kind, Primitive)]
    key = table.key.kind
    if isinstance(key, StructType):
        of_key = {
            fold(name): f"weir_key.{quote_identifier(name)}" for name, each in key.fields if isinstance(each, Primitive)
        }
        return {fold(each.name): (each.name, of_key[fold(each.name)]) for each in plain if fold(each.name) in of_key}
    return {fold(each.name): (each.name, "weir_key") for each in plain} if isinstance(key, Primitive) else {}


def _denied(governed: GovernedTable) -> bool:
    return not any(column.name == _KEY and column.sql is not None for column in governed.columns)


def _not_of_key(column: str, ref: TableRef, holds: Mapping[str, object]) -> InvalidInput:
    several = f" or of {', '.join(sorted(holds)[:5])}" if holds else ""
    return InvalidInput(
        f"{ref.name} is compacted: its newest record of each key counts, and one that is deleted is taken away here by its key."
        f" {column} is not made of that; make it of _key{several}, or write {INSTEAD} to take each record for itself.",
        details={"field": "spec.key"},
    )
