"""The dialect of an event's SQL: the one it names, else that of what is beside the SQL. Few producers name one, and a text in
double quotes is a name to some engines and a value to others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_ENGINES = frozenset({"spark", "flink", "trino", "presto", "hive", "ksqldb"})
_STORES = frozenset({"postgres", "mysql", "snowflake", "bigquery", "trino", "hive", "databricks"})
_FILES = frozenset({"kafka", "s3", "s3a", "gs", "abfss", "abfs", "wasbs", "hdfs", "file", "dbfs"})
"""Namespaces of what no SQL is sent to."""


def dialect(named: Any, engines: Iterable[Any], producer: Any, namespaces: Iterable[str]) -> str:
    """The dialect in lower case; empty where nothing shows it.

    named        the `dialect` of the facet
    engines      names of engines and integrations, the surest first
    producer     the producer's address
    namespaces   of the datasets that are read and written
    """
    if isinstance(named, str) and named:
        return named.lower()
    integration = producer.partition("/integration/")[2].partition("/")[0] if isinstance(producer, str) else ""
    for name in (*engines, integration):
        if isinstance(name, str) and name.lower() in _ENGINES:
            return name.lower()
    schemes = {namespace.partition("://")[0].lower() for namespace in namespaces} - _FILES
    return schemes.pop() if len(schemes) == 1 and schemes <= _STORES else ""


def dialect_of(event: Any) -> str:
    """The same, of an event as it was sent. Raises nothing for any JSON value."""
    job, run = _object(event, "job", "facets"), _object(event, "run", "facets")
    sql, kind, engine = _object(job, "sql"), _object(job, "jobType"), _object(run, "processing_engine")
    top = _object(event)
    refs = [ref for side in ("inputs", "outputs") if isinstance(top.get(side), list) for ref in top[side]]
    namespaces = [name for ref in refs if isinstance(name := _object(ref).get("namespace"), str)]
    return dialect(sql.get("dialect"), (engine.get("name"), kind.get("integration")), top.get("producer"), namespaces)


def _object(value: Any, *path: str) -> Mapping[str, Any]:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
