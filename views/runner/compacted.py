"""Views over compacted topics: the newest record of each key counts, and one without a value takes its row away.

A record without a value has nothing but its key, so the key of a view over such a topic is the whole key of its records: `_key`, or
fields of the value that the key holds, as they are or with texts around them. That it holds them is checked record by record while
the view runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from cachetools import TTLCache

from catalog.datatypes import STRING, Alternatives, DataType, Primitive, StructType, quote_identifier, to_ddl
from catalog.errors import InvalidInput
from catalog.paths import KEY, FieldPath
from policies.gate.gate import Gated
from policies.plan.model import ByKey
from policies.plan.ports import QueryTable
from policies.plan.prepare import PreparedQuery
from policies.plan.value_columns import value_columns
from policies.plan.views import Column, GovernedTable
from policies.sql.names import fold
from policies.sql.tables import TableRef
from policies.sql.trace import Visible
from policies.sql.untraceable import followed_outputs
from views.ports import Clusters, Topics
from views.runner.key_columns import KeyColumn, has_text, how_masked, key_columns, masks_of_equality
from views.shape.names import GONE
from views.shape.places import Places
from views.shape.roles import roles
from views.shape.shape import TIME, Shape

_KEY = "_key"
_KEPT_S = 30.0
INSTEAD = "compactedAs: stream"
_WHOLE = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT"})


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
        compacted = self._topics.compacted(self._clusters.client(cluster), topic)
        with self._lock:
            self._known[at] = compacted
        return compacted


def or_as_before(
    look: Callable[[str, str], bool | None], before: Mapping[str, bool]
) -> Callable[[str, str], bool | None]:
    """`look`; where the cluster does not let Weir see that any more, what a generation was built with (`before`, by
    `CLUSTER/TOPIC`), so that a right which is lost does not make another view of it."""

    def known(cluster: str, topic: str) -> bool | None:
        now = look(cluster, topic)
        return before.get(f"{cluster}/{topic}") if now is None else now

    return known


def own_key(prepared: PreparedQuery, refs: Collection[TableRef]) -> list[str] | None:
    """The column of the result that is the key of the one topic that the query follows. Raises SqlRefused."""
    gated = prepared.gated
    followed = roles(gated.tree, Places.of(gated), frozenset({TIME})).streams if len(prepared.tables) > 1 else refs
    if len(followed) != 1:
        return None
    keyed = [ref for ref in refs if ref in followed and _record_key(prepared.tables[ref]) is not None]
    return shown_key(gated, prepared.columns(), keyed)


def shown_key(gated: Gated, columns: Mapping[TableRef, Visible], refs: Collection[TableRef]) -> list[str] | None:
    """The column of the result that is the `_key` of one of these topics as it is."""
    for each in followed_outputs(gated.tree, columns):
        sources = [(ref, [fold(name) for name in names]) for ref, names in each.sources]
        if each.direct and each.followed and any(sources == [(ref, [_KEY])] for ref in refs):
            return [each.name]
    return None


def with_keys(prepared: PreparedQuery, streamed: Shape, refs: Iterable[TableRef]) -> None:
    """Have the followed ones of these topics read by key, in a view with a key. Changes `prepared`.

    Raises InvalidInput for a key that is not the whole key of the records, or does not keep their keys apart."""
    columns = key_columns(prepared.gated.tree, prepared.columns())
    for ref in refs:
        if ref not in streamed.follows:
            continue
        governed = prepared.tables[ref]
        fields_in_key = _fields_in_key(governed.table)
        parts: set[str] = set()
        fields: dict[str, tuple[str, str, str]] = {}
        for column in streamed.key:
            one = columns.get(fold(column))
            part = _part(governed, fields_in_key, one) if one is not None and one.ref == ref else None
            if one is None or part is None or (one.computed and not has_text(part.kind)):
                raise _not_of_key(column, ref, fields_in_key)
            _check_mask(column, ref, governed, part)
            parts.add(part.name)
            if part.field is not None:
                fields[part.field[0]] = part.field
        _check_whole(ref, governed.table.key.kind, parts, fields)
        if fields and not _shows_key(governed):
            raise InvalidInput(
                f"The view runs for somebody who may not see the key of {ref.name}, so a record that is deleted there could"
                f" not be taken away here; open _key to them, or write {INSTEAD}.",
                details={"field": "spec.runAs", "dataset": governed.table.reference},
            )
        prepared.tables[ref] = replace(
            governed,
            columns=(*governed.columns, Column(GONE, None, "weir_raw IS NULL", system=True)),
            by_key=ByKey(tuple(sorted(fields.values()))),
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


@dataclass(frozen=True, slots=True)
class _Part:
    """What of a record's key a column shows. `name`: the folded name of a field of the key, "" for all of it; `place`: what a
    rule on it is about; `sql`: of the stored record, unmasked; `field`: see `ByKey`, where it is a field of the value."""

    name: str
    kind: DataType
    place: FieldPath
    field: tuple[str, str, str] | None = None


def _fields_in_key(table: QueryTable) -> Mapping[str, _Part]:
    """Folded column -> what it is, for fields of the value that the key may hold: of a key with fields those of the same name, of
    any other each that is one value. Their types have a value for each other's."""
    kind, key = table.value.kind, table.key.kind
    if type(kind) is not StructType or table.payload is not None or isinstance(key, Alternatives):
        return {}
    fields_in_key: dict[str, _Part] = {}
    for each in value_columns(kind):
        name, of_key, sql = "", key, "weir_key"
        if isinstance(key, StructType):
            same = next(((n, k) for n, k in key.fields if fold(n) == fold(each.name)), None)
            if same is None:
                continue
            name, of_key, sql = fold(same[0]), same[1], f"weir_key.{quote_identifier(same[0])}"
        if _alike(each.kind, of_key):
            fields_in_key[fold(each.name)] = _Part(name, each.kind, each.path, (each.name, sql, to_ddl(of_key)))
    return fields_in_key


def _alike(kind: DataType, of_key: DataType) -> bool:
    """Whether values of both types can be compared, each as one of the other type."""
    if not isinstance(kind, Primitive) or not isinstance(of_key, Primitive):
        return False
    both = {kind.name, of_key.name}
    return len(both) == 1 or both <= _WHOLE or (STRING.name in both and has_text(kind) and has_text(of_key))


def _part(governed: GovernedTable, fields_in_key: Mapping[str, _Part], one: KeyColumn) -> _Part | None:
    key = _record_key(governed)
    if fold(one.path[0]) != _KEY or key is None:
        return fields_in_key.get(fold(one.path[0])) if len(one.path) == 1 else None
    kind = governed.table.key.kind
    if len(one.path) == 1:
        return _Part("", kind, KEY)
    if type(kind) is not StructType or len(one.path) > 2:
        return None
    member = next(((name, each) for name, each in kind.fields if fold(name) == fold(one.path[1])), None)
    return _Part(fold(member[0]), member[1], kind.path_of(KEY, member[0])) if member is not None else None


def _check_whole(ref: TableRef, kind: DataType, parts: Collection[str], fields: Collection[str]) -> None:
    """Raises InvalidInput where records of several keys would have one key here."""
    if not isinstance(kind, StructType):
        if len(fields) > 1:
            raise InvalidInput(
                f"The key of a record of {ref.name} is one value, so it cannot hold {' and '.join(sorted(fields))}; a record that"
                f" is deleted there could not be taken away here. Give the view one of them as its key, or write {INSTEAD}.",
                details={"field": "spec.key"},
            )
        return
    names = [name for name, _ in kind.fields]
    missing = [name for name in names if fold(name) not in parts]
    if "" in parts or (not missing and len(set(map(fold, names))) == len(names)):
        return
    more = " and ".join(f"_key.{quote_identifier(name)}" for name in missing or names)
    raise InvalidInput(
        f"The key of a record of {ref.name} is {' and '.join(names)}. With a part of it as the view's key, records of several keys"
        f" would be one row here, and one that is deleted would take away the others; add {more} to the result and to the key,"
        f" make the key of _key, or write {INSTEAD}.",
        details={"field": "spec.key"},
    )


def _check_mask(column: str, ref: TableRef, governed: GovernedTable, part: _Part) -> None:
    """Raises InvalidInput for a mask that gives several keys one value, or that is over some records only."""
    how = how_masked(governed, part.kind, part.place)
    if how is None:
        return
    raise InvalidInput(
        f"{ref.name} is compacted, and the view runs for somebody to whom {column} is {how}, so records of several keys would be"
        f" one row here, or none would be found again. Let them see it, mask it by {' or '.join(masks_of_equality())} in every"
        f" record, or write {INSTEAD} to take each record for itself.",
        details={"field": "spec.runAs", "dataset": governed.table.reference},
    )


def _record_key(governed: GovernedTable) -> Column | None:
    """The column `_key`, where that is the key of the records and not a field of theirs."""
    return next((each for each in governed.columns if each.name == _KEY and each.path == KEY), None)


def _shows_key(governed: GovernedTable) -> bool:
    key = _record_key(governed)
    return key is not None and key.sql is not None


def _not_of_key(column: str, ref: TableRef, fields_in_key: Collection[str]) -> InvalidInput:
    several = f" or of {', '.join(sorted(fields_in_key)[:5])}" if fields_in_key else ""
    return InvalidInput(
        f"{ref.name} is compacted: its newest record of each key counts, and one that is deleted is taken away here by its key."
        f" {column} is not that key; make it of _key{several}, as it is or with texts around it as in concat('p-', _key), or write"
        f" {INSTEAD} to take each record for itself.",
        details={"field": "spec.key"},
    )
