"""Topics as tables: how each part of a record is read by a query, from what is declared, registered or was scanned."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from cachetools import LRUCache, TTLCache

from api.joins.connections import Connections
from catalog.call_deadline import REGISTRY_SECONDS, all_calls_within
from catalog.change_cache import ChangeCache
from catalog.datasets.datasets import Datasets
from catalog.datasets.learned_types import from_profile, from_report
from catalog.datasets.reported import is_reported
from catalog.datatypes import STRING, DataType, Primitive, StructType, has_alternatives, parse_ddl, parse_type
from catalog.envelopes import payload_first, payload_of, unlisted
from catalog.errors import InvalidInput
from catalog.model import SchemaVersion
from catalog.paths import StepKind
from catalog.records import ClusterRecord, DatasetRecord
from policies.model import DatasetFacts
from policies.plan.model import PartRead, Window
from policies.plan.ports import Offsets, QueryTable
from policies.ports import FactsSource
from policies.sql.windows import AsOf
from scanners.decode import header_ids
from scanners.decode.alternatives import Reshape
from scanners.decode.records import to_json_text
from scanners.model import ClusterConnection, PartFormat, TopicFormat
from scanners.ports import SchemaRegistry
from scanners.schemas.known.places import with_registered
from scanners.schemas.registered import Schemas

SparkOptions = Callable[[ClusterConnection], Mapping[str, str]]
"""The Kafka options of Spark's reader for a cluster."""

_OF_DECODING = (to_json_text.__module__, Reshape.__module__, PartFormat.__module__, Schemas.__module__)
Carry = Callable[..., Callable[[bytes | None], str | None]]
"""From a function and the names of modules of ours: the function with their code, see `scanners.adapters.spark.carried_code`."""
_Registered = tuple[Mapping[str, object], Schemas]
"""Schemas of the registry by id as they travel, and ready to be asked."""

_REGISTERED = ("avro", "protobuf", "json-schema")
_NATIVE = {"json": "json", "string": "text", "null": "text"}
_BINARY_NUMBERS = ("long", "int", "double")
_NUMBERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")
_SCHEMAS_KEPT_S = 30.0
_TOPICS_KEPT = 200
"""Topics whose registered schemas are kept so long; they may be megabytes each."""
_CLUSTERS_KEPT = 50
"""Clusters whose clients are kept; one whose secret changed is another one."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What the catalog knows of a table.

    seen        ids of the schemas that records were written with
    registered  the types are those of a registry, as it is then
    key, value  else the types by what was declared and scanned; `key_declared`: that of the key is the declared one
    keyless     see `QueryTable`
    """

    topic: str
    cluster: ClusterRecord
    reference: str
    schema: SchemaVersion
    formats: TopicFormat
    declared: DataType | None
    seen: tuple[Any, ...]
    registered: bool
    key: DataType
    value: DataType
    key_declared: bool
    keyless: bool


class Tables:
    """Finds the table a query names (`policies.plan.ports.TableSource`)."""

    def __init__(
        self,
        datasets: Datasets,
        facts: FactsSource,
        connections: Connections,
        spark_options: SparkOptions,
        registry: SchemaRegistry,
        changes: Callable[[], int | None],
    ) -> None:
        """`changes`: see `catalog.ports.CatalogStore.changes`; while it is the same, the catalog is not read again."""
        self._datasets = datasets
        self._facts = facts
        self._connections = connections
        self._spark_options = spark_options
        self._registry = registry
        self._schemas: TTLCache[tuple[str, ...], _Registered] = TTLCache(_TOPICS_KEPT, _SCHEMAS_KEPT_S)
        self._lock = threading.Lock()
        self._kept: ChangeCache[_Known] = ChangeCache(changes)

    def find(self, name: str) -> QueryTable:
        """The case of letters matters only between names that differ in nothing else.

        Raises DatasetNotFound naming the nearest, InvalidInput for a name in several clusters or no topic.
        """
        known = self._kept.get(name, lambda: self._read(name))
        formats, schema, topic = known.formats, known.schema, known.topic
        # Secrets of a connection, and what a registry holds, change without the catalog.
        connection = self._connections.reach(known.cluster)
        schemas = partial(self._registered, connection, topic, known.seen)
        key, value = known.key, known.value
        if known.registered:
            parts = {"key": formats.key.name, "value": formats.value.name}
            registered = with_registered(schema.fields, topic, schemas()[1], parts)
            described = unlisted(schema)
            fields = payload_first((f for f in registered if f.path not in described), schema.envelopes)
            key = key if known.key_declared else from_profile(fields, "key")
            value = known.declared or from_profile(fields, "value")
        return QueryTable(
            reference=known.reference,
            topic=topic,
            # Those of a view's topic change with its generations, which the catalog does not count.
            facts=self._facts.facts(known.reference),
            kafka=self._spark_options(connection),
            key=_part("key", formats.key, key, schemas),
            value=_part("value", formats.value, value, schemas),
            headers=_headers(schema),
            payload=None if known.declared else payload_of(schema.envelopes),
            declared=known.declared is not None,
            keyless=known.keyless,
        )

    def reference(self, name: str) -> str:
        """`CLUSTER/TOPIC` of what a query names, known by a scan or by lineage. Raises as `find`."""
        self._datasets.clusters.forget_names()
        return self._datasets.get(self._datasets.find_in_any_case(name)).reference

    def _read(self, name: str) -> _Known:
        self._datasets.clusters.forget_names()
        record = self._datasets.get(self._datasets.find_in_any_case(name))
        if record.cluster is None:
            raise InvalidInput(
                f"{record.reference} is known from lineage only; declare its cluster (kind: Cluster) to query it.",
                details={"dataset": record.reference},
            )
        schema = self._datasets.schema(record.id)
        formats = TopicFormat.from_mapping({**schema.format, **record.format})
        key_type = parse_type(record.declared_key) if record.declared_key else None
        if key_type is not None:
            formats = replace(formats, key=_key_format(formats.key, key_type, record, schema))
        learned = from_report if is_reported(schema) else from_profile
        registered = bool({formats.key.name, formats.value.name} & {*_REGISTERED})
        declared = parse_ddl(record.declared_ddl) if record.declared_ddl else None
        return _Known(
            topic=record.id.name,
            cluster=self._datasets.clusters.get(record.cluster),
            reference=record.reference,
            schema=schema,
            formats=formats,
            declared=declared,
            seen=tuple(number for profile in schema.fields for number in profile.details.get("schemaIds", ())),
            registered=registered,
            key=key_type or (STRING if registered else learned(schema.fields, "key")),
            key_declared=key_type is not None,
            keyless=_keyless(schema),
            value=declared or (STRING if registered else learned(schema.fields, "value")),
        )

    def facts(self, reference: str) -> DatasetFacts:
        """What the catalog has of it now; neither registry nor Kafka is asked. Raises DatasetNotFound."""
        return self._facts.facts(reference)

    def _registered(self, connection: ClusterConnection, topic: str, seen: Sequence[int]) -> _Registered:
        key = (connection.name, topic, *map(str, seen))
        with self._lock:
            kept = self._schemas.get(key)
        if kept is not None:
            return kept
        with all_calls_within(REGISTRY_SECONDS):  # then the query is planned with the schemas that are known
            answer = self._registry.for_topics(connection, [topic], seen)
        texts: dict[str, object] = {str(number): schema.to_json() for number, schema in answer.schemas.items()}
        pair = texts, Schemas(answer.schemas)
        with self._lock:
            self._schemas[key] = pair
        return pair


def _keyless(schema: SchemaVersion) -> bool:
    seen = schema.window.records and not any(each.field_path.root == "key" for each in schema.fields)
    return bool(seen) and schema.format.get("key") == "null"


def _key_format(form: PartFormat, kind: DataType, record: DatasetRecord, schema: SchemaVersion) -> PartFormat:
    """How a key of a declared type is read. Bytes may look like what they are not: eight letters like a number, digits like
    JSON. So the type decides, but for a format that is declared too, or that has the type's kind of values."""
    declared = record.format.get("key") not in (None, record.scan.get("format", {}).get("key"))
    if declared or form.name in _REGISTERED:
        return form
    if not isinstance(kind, Primitive):
        return PartFormat("json")
    if form.name in _BINARY_NUMBERS and kind.name.partition("(")[0] in _NUMBERS:
        return form
    quoted = any(each.path == "key" and each.types.get("string") for each in schema.fields)
    return form if form.name == "json" and kind == STRING and quoted else PartFormat("string")


def _part(part: str, form: PartFormat, kind: DataType, schemas: Callable[[], _Registered]) -> PartRead:
    needed: dict[str, object] = {"format": asdict(form)}
    if _is_native(form, kind):
        return PartRead(_NATIVE[form.name], kind, needed if has_alternatives(kind) else {})
    if {form.name, *form.options.get("mixed", ())} & {*_REGISTERED}:
        needed["registered"] = schemas()[0]
        needed["header"] = header_ids.NAMES[part]
    # Spark reads CSV by position; the names a scan gave are kept by the decoder, whatever their order in the schema.
    return PartRead(f"decoded {form.name}", kind, needed)


def _is_native(form: PartFormat, kind: DataType) -> bool:
    """Whether Spark's own readers of JSON and text give what the decoder gives. A text is not cast to an object."""
    if any(form.options.get(option) for option in ("mixed", "packed", "connect")):
        return False
    return form.name == "json" or (form.name in _NATIVE and isinstance(kind, Primitive))


def _headers(schema: SchemaVersion) -> StructType:
    paths = (profile.field_path for profile in schema.fields)
    names = {
        path.steps[0].name or "": None
        for path in paths
        if path.root == "headers" and path.steps and path.steps[0].kind is StepKind.FIELD
    }
    return StructType(tuple((name, STRING) for name in names))


class QueryOffsets:
    """Offsets of any declared cluster (`policies.plan.ports.Offsets`), with that cluster's own client settings."""

    def __init__(self, connections: Connections, make: Callable[[Mapping[str, Mapping[str, str]]], Offsets]) -> None:
        self._connections = connections
        self._make = make
        self._made: LRUCache[tuple[object, ...], Offsets] = LRUCache(_CLUSTERS_KEPT)
        self._lock = threading.Lock()

    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        """See the port."""
        bootstrap = kafka["kafka.bootstrap.servers"]
        settings = self._connections.client_settings(bootstrap)
        key = (bootstrap, *sorted(settings.items()))
        with self._lock:
            offsets = self._made.get(key)
            if offsets is None:
                offsets = self._made[key] = self._make({bootstrap: settings})
        return offsets.window(kafka, topic, as_of, limit)


class Decoder:
    """Bytes of any format to JSON text inside Spark's workers (`policies.plan.ports.Decoder`)."""

    def __init__(self, carry: Carry) -> None:
        self._carry = carry

    def function(self, part: str, read: PartRead) -> Callable[[bytes | None], str | None]:
        """A function that brings its code to the worker."""
        form: Any = read.schemas["format"]
        registered: Any = read.schemas.get("registered")
        reshape = Reshape(read.kind) if has_alternatives(read.kind) else None
        # Parsed once per worker, not once per record.
        decode = partial(to_json_text, format=PartFormat(**form), schemas=Schemas.of(registered), reshape=reshape)
        return self._carry(decode, *_OF_DECODING)
