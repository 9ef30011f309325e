"""Stream views as tables of governed SQL: `SELECT ... FROM shop.revenue_5m`, in queries and in other views.

A view is read from its topic: of the generation that readers get, the newest record of each key. The name of a view means
the view; an output topic can still be read as a topic, change by change, by its own name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from api.joins.query_tables import Tables
from api.joins.views.declared import DeclaredViews
from api.joins.views.facts import ViewFacts
from api.joins.views.seen import active_of
from catalog.datasets.learned_types import wider
from catalog.datatypes import STRING, ArrayType, DataType, MapType, Primitive, StructType
from catalog.errors import DatasetNotFound, InvalidInput
from policies.model import DatasetFacts
from policies.plan.model import PartRead, Rows
from policies.plan.ports import QueryTable
from policies.sql.names import fold
from scanners.decode import header_ids
from scanners.model import PartFormat, RegisteredSchema
from views.model import GENERATION_HEADER, KEY_HEADER, ROW_HEADER
from views.ports import Clusters, ViewStates
from views.runner.state import Generation, ViewState


class ViewTables:
    """`policies.plan.ports.TableSource` over topics and views. Safe for threads."""

    def __init__(
        self, topics: Tables, declared: DeclaredViews, states: ViewStates, facts: ViewFacts, clusters: Clusters
    ) -> None:
        self._topics, self._declared, self._states = topics, declared, states
        self._facts, self._clusters = facts, clusters

    def find(self, name: str) -> QueryTable:
        """Raises as `Tables.find`; Conflict for a view without rows, InvalidInput for a name of a view and of a topic."""
        view = self._declared.named(name)
        other = self._topic(name) if view is not None else None
        if view is not None and not self._is_topic(name, view, other):
            table = self._table(view)
            self._apart(name, table, other)
            return table
        try:
            table = self._topics.find(name)
        except (DatasetNotFound, InvalidInput):
            view = self._qualified(name)
            if view is None:
                raise
            return self._table(view)
        private = self._private(table.reference)
        return self._table(private) if private is not None else self._output(table)

    def facts(self, reference: str) -> DatasetFacts:
        """What the catalog has of it now. Raises DatasetNotFound."""
        return self._facts.facts(reference)

    def _topic(self, name: str) -> str | None:
        """The topic that the name alone means."""
        try:
            return self._topics.reference(name)
        except (DatasetNotFound, InvalidInput):
            return None

    def _is_topic(self, name: str, view: str, other: str | None) -> bool:
        """Whether the name is `CLUSTER.TOPIC` of another topic, which a view's name never hides."""
        declared = self._declared.get(view)
        sink = declared.spec.sink if declared is not None else None
        own = f"{sink.cluster}/{sink.topic}" if sink is not None else ""
        return other is not None and other != own and fold(other.replace("/", ".", 1)) == fold(name)

    @staticmethod
    def _apart(name: str, table: QueryTable, other: str | None) -> None:
        """Raises InvalidInput where another topic has the very name: nobody can know which is meant."""
        if other is not None and other != table.reference:
            raise InvalidInput(
                f"{name} is a view and the topic {other}; write {other.replace('/', '.', 1)} for the topic, or"
                f" {table.reference.replace('/', '.', 1)} for the view's own.",
                details={"reference": name, "candidates": [other, table.reference]},
            )

    def _qualified(self, name: str) -> str | None:
        """`CLUSTER.NAME` of a view without an output topic, which the catalog does not know yet."""
        cluster, _, rest = name.partition(".")
        view = self._declared.named(rest) if rest else None
        return view if view is not None and self._private(f"{cluster}/{view}") == view else None

    def _private(self, reference: str) -> str | None:
        """The view without an output topic whose dataset this is."""
        view = self._declared.of_dataset(reference)
        declared = self._declared.get(view) if view is not None else None
        if view is None or declared is None or declared.spec.sink is not None:
            return None
        active = self._active(view)
        return view if active is not None and fold(active.cluster) == fold(reference.partition("/")[0]) else None

    def _output(self, table: QueryTable) -> QueryTable:
        """The table of a topic; with the types that its records were made with where a view writes them."""
        generations = [] if table.declared else self._facts.generations(table.reference)
        if not generations or any(each.schema is not None for each in generations):
            return table  # where values are Avro, the registry has the types of each record
        return replace(table, value=PartRead("json", _with_others(_together(generations), table.value.kind)))

    def _active(self, view: str) -> Generation | None:
        return ViewState.read(self._states.get(view)).active

    def _table(self, view: str) -> QueryTable:
        active, declared = active_of(view, ViewState.read(self._states.get(view))), self._declared.get(view)
        if declared is None:
            raise DatasetNotFound(f"There is no view {view} any more.", details={"reference": view, "nearest": []})
        facts = self._facts.of(view, declared.spec, active)
        keyed = bool(active.keys) or active.single
        return QueryTable(
            reference=facts.reference,
            topic=active.topic,
            facts=facts,
            kafka=self._clusters.spark(active.cluster),
            key=PartRead("text", STRING),
            value=_value(active),
            rows=Rows(
                header=GENERATION_HEADER,
                value=active.id,
                newest=keyed,
                keys=tuple(active.keys),
                key_header=KEY_HEADER if active.keys else "",
                run_header="" if keyed else ROW_HEADER,
            ),
        )


def _stored(kind: DataType) -> DataType:
    """A column's type in the topic: intervals are texts there, and the engine could not send them."""
    match kind:
        case StructType():
            return StructType(tuple((name, _stored(each)) for name, each in kind.fields))
        case ArrayType():
            return ArrayType(_stored(kind.element))
        case MapType():
            return MapType(_stored(kind.key), _stored(kind.value))
    return STRING if kind.name.startswith("INTERVAL") else kind


def _together(generations: Sequence[Generation]) -> StructType:
    """The type that reads the records of all of them, the newest first."""
    kinds: dict[str, DataType] = {}
    for generation in generations:
        for column in generation.typed:
            kind = _stored(column.kind)
            kinds[column.name] = _both(kinds.get(column.name, kind), kind)
    return StructType(tuple(kinds.items()))


def _both(one: DataType, other: DataType) -> DataType:
    if one == other:
        return one
    if isinstance(one, Primitive) and isinstance(other, Primitive):
        return Primitive(wider(one.name, other.name))
    return STRING


def _with_others(kind: StructType, known: DataType) -> StructType:
    """The type with the fields that records of others in the topic have beside it."""
    others = known.fields if isinstance(known, StructType) else ()
    return StructType((*kind.fields, *((name, each) for name, each in others if kind.get(name) is None)))


def _value(active: Generation) -> PartRead:
    kind = StructType(tuple((column.name, _stored(column.kind)) for column in active.typed))
    known = active.schema
    if known is None:
        return PartRead("json", kind)
    schema = RegisteredSchema(known.id, "AVRO", known.schema)
    needed = {
        "format": asdict(PartFormat("avro")),
        "registered": {str(known.id): schema.to_json()},
        "header": header_ids.NAMES["value"],
    }
    return PartRead("decoded avro", kind, needed)
