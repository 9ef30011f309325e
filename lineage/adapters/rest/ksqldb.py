"""ksqlDB's REST API: `POST /ksql` with SHOW QUERIES, LIST STREAMS, LIST TABLES and DESCRIBE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lineage.adapters.rest.servers import RestReader
from lineage.observed.connect import host_of
from lineage.observed.connect_engines import PersistentQuery, Stream, ksqldb_events
from lineage.observed.run_events import ObservedEvent

MOST = 2000


class KsqldbRest(RestReader):
    """See `lineage.observed.connect_engines.EngineReader`."""

    what, setting = "ksqlDB", "ksqldb.url"

    def events(self, namespace: str) -> list[ObservedEvent]:
        queries = list(read_queries(self._say("SHOW QUERIES;")))
        listed = list(read_streams(self._say("LIST STREAMS; LIST TABLES;")))[:MOST]
        streams = [Stream(each.name, each.topic, self._columns(each.name)) for each in listed]
        return ksqldb_events(queries[:MOST], streams, f"ksqldb://{host_of(self._server.url)}", namespace)

    def _columns(self, name: str) -> tuple[tuple[str, str], ...]:
        return tuple(read_columns(self._say(f"DESCRIBE `{name.replace('`', '``')}`;")))

    def _say(self, text: str) -> Any:
        return self._server.post("/ksql", {"ksql": text, "streamsProperties": {}})


def read_queries(answer: Any) -> Iterator[PersistentQuery]:
    """Persistent queries of an answer to SHOW QUERIES."""
    for entity in _entities(answer, "queries"):
        for query in entity.get("queries") or ():
            if isinstance(query, Mapping) and query.get("queryType", "PERSISTENT") == "PERSISTENT" and query.get("id"):
                yield PersistentQuery(
                    str(query["id"]),
                    str(query.get("queryString", "")),
                    str(query.get("state", "RUNNING")),
                    tuple(map(str, query.get("sinks") or ())),
                    tuple(map(str, query.get("sinkKafkaTopics") or ())),
                )


def read_streams(answer: Any) -> Iterator[Stream]:
    """Streams and tables of an answer to LIST STREAMS and LIST TABLES."""
    for kind in ("streams", "tables"):
        for entity in _entities(answer, kind):
            for each in entity.get(kind) or ():
                if isinstance(each, Mapping) and each.get("name") and each.get("topic"):
                    yield Stream(str(each["name"]), str(each["topic"]))


def read_columns(answer: Any) -> Iterator[tuple[str, str]]:
    """Columns of an answer to DESCRIBE, in ksqlDB's types."""
    for entity in _entities(answer, "sourceDescription"):
        for each in (entity.get("sourceDescription") or {}).get("fields") or ():
            if isinstance(each, Mapping) and each.get("name"):
                yield str(each["name"]), _type(each.get("schema") or {})


def _type(schema: Mapping[str, Any]) -> str:
    kind = str(schema.get("type", "STRING"))
    if kind == "STRUCT":
        fields = [f"`{f['name']}` {_type(f.get('schema') or {})}" for f in schema.get("fields") or () if f.get("name")]
        return f"STRUCT<{', '.join(fields)}>" if fields else "STRING"
    if kind == "ARRAY":
        return f"ARRAY<{_type(schema.get('memberSchema') or {})}>"
    return "STRING"  # of the rest only the names matter


def _entities(answer: Any, kind: str) -> Iterable[Mapping[str, Any]]:
    entities = answer if isinstance(answer, list) else []
    return [entity for entity in entities if isinstance(entity, Mapping) and entity.get("@type") == kind]
