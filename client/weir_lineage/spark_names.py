"""Spark's objects -> datasets, named as OpenLineage names them. Calls the driver's JVM through py4j."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from weir_lineage.plan_values import Source


def kafka(bootstrap: str, topic: str) -> Source:
    """A topic, by the first of its brokers."""
    return Source("kafka://" + bootstrap.split(",")[0].strip(), topic, kafka=True)


def path(text: str) -> Source:
    """A file or folder by its path."""
    parts = urlsplit(text)
    if parts.scheme in ("", "file"):
        return Source("file", parts.path.rstrip("/") or "/")
    return Source(f"{parts.scheme}://{parts.netloc}", parts.path.strip("/") or "/")


def scala_map(holder: Any) -> dict[str, str]:
    """A Scala map of options, keys in lower case."""
    options: dict[str, str] = {}
    entries = holder.iterator()
    while entries.hasNext():
        entry = entries.next()
        options[str(entry._1()).lower()] = str(entry._2())
    return options


def java_map(holder: Any) -> dict[str, str]:
    """A Java map of options, keys in lower case."""
    return {str(key).lower(): str(value) for key, value in dict(holder).items()}


class Names:
    """Datasets of a plan's leaves and of what it writes to."""

    def leaves(self, plan: Any) -> list[list[Source]]:
        """For each leaf of a plan, in order, the datasets it reads; none for what is not a dataset."""
        leaves, each = [], plan.collectLeaves().iterator()
        while each.hasNext():
            leaf = each.next()
            try:
                leaves.append(self._leaf(leaf, str(leaf.getClass().getSimpleName())))
            except Exception:  # a relation of a kind that is not known here
                leaves.append([])
        return leaves

    def _leaf(self, leaf: Any, kind: str) -> list[Source]:
        if kind in ("StreamingDataSourceV2ScanRelation", "StreamingDataSourceV2Relation", "DataSourceV2Relation"):
            relation = leaf.relation() if kind == "StreamingDataSourceV2ScanRelation" else leaf
            return self._v2(leaf, relation, java_map(relation.options()))
        if kind == "StreamingRelation" or kind == "StreamingExecutionRelation":
            return self._configured(scala_map(leaf.dataSource().options())) if kind == "StreamingRelation" else []
        if kind == "LogicalRelation":
            return self._logical(leaf)
        if kind == "HiveTableRelation":
            return [Source("hive", str(leaf.tableMeta().identifier().unquotedString()))]
        return []

    def _v2(self, leaf: Any, relation: Any, options: dict[str, str]) -> list[Source]:
        if "kafka.bootstrap.servers" in options:
            topics = self._read_topics(leaf) or _subscribed(options)
            return [kafka(options["kafka.bootstrap.servers"], topic) for topic in topics]
        if options.get("path"):
            return [path(options["path"])]
        identifier = relation.identifier()
        name = str(identifier.get()) if identifier.isDefined() else str(relation.table().name())
        catalog = relation.catalog()
        return [Source(str(catalog.get().name()) if catalog.isDefined() else "spark", name)]

    def _read_topics(self, leaf: Any) -> list[str]:
        """The topics a micro-batch really read, from its offsets: patterns are resolved to topics only there."""
        try:
            end = leaf.endOffset()
            return sorted(json.loads(end.get().json())) if end.isDefined() else []
        except Exception:
            return []

    def _logical(self, leaf: Any) -> list[Source]:
        relation = leaf.relation()
        name = str(relation.getClass().getSimpleName())
        if name == "HadoopFsRelation":
            table = leaf.catalogTable()
            if table.isDefined():
                return [Source("spark", str(table.get().identifier().unquotedString()))]
            paths = relation.location().rootPaths().iterator()
            return [path(str(paths.next().toString()))] if paths.hasNext() else []
        if name == "KafkaRelation":
            options = self._private(relation, "sourceOptions")
            return self._configured(scala_map(options)) if options is not None else []
        if name == "JDBCRelation":
            options = relation.jdbcOptions()
            url = urlsplit(str(options.url()).removeprefix("jdbc:"))
            return [
                Source(
                    f"{url.scheme}://{url.hostname}:{url.port}" if url.port else f"{url.scheme}://{url.hostname}",
                    str(options.tableOrQuery()),
                )
            ]
        return []

    def _configured(self, options: dict[str, str]) -> list[Source]:
        if "kafka.bootstrap.servers" in options:
            return [kafka(options["kafka.bootstrap.servers"], topic) for topic in _subscribed(options)]
        return [path(options["path"])] if options.get("path") else []

    def target(self, command: Any) -> Source | None:
        """What a command writes to; None where it writes nothing that has a name."""
        kind = str(command.getClass().getSimpleName())
        if kind == "WriteToMicroBatchDataSource":
            options = scala_map(command.writeOptions())
            if "kafka.bootstrap.servers" in options:
                return kafka(options["kafka.bootstrap.servers"], options["topic"]) if "topic" in options else None
            return path(options["path"]) if options.get("path") else Source("spark", str(command.table().name()))
        if kind == "WriteToMicroBatchDataSourceV1":
            options = scala_map(command.writeOptions())
            return path(options["path"]) if options.get("path") else None
        if kind == "SaveIntoDataSourceCommand":
            options = scala_map(command.options())
            if "kafka.bootstrap.servers" in options:
                return kafka(options["kafka.bootstrap.servers"], options["topic"]) if "topic" in options else None
            if options.get("url") and options.get("dbtable"):
                url = urlsplit(options["url"].removeprefix("jdbc:"))
                return Source(
                    f"{url.scheme}://{url.hostname}" + (f":{url.port}" if url.port else ""), options["dbtable"]
                )
            return path(options["path"]) if options.get("path") else None
        if kind == "InsertIntoHadoopFsRelationCommand":
            table = command.catalogTable()
            if table.isDefined():
                return Source("spark", str(table.get().identifier().unquotedString()))
            return path(str(command.outputPath().toString()))
        if kind == "CreateDataSourceTableAsSelectCommand":
            return Source("spark", str(command.table().identifier().unquotedString()))
        if kind in ("AppendData", "OverwriteByExpression", "OverwritePartitionsDynamic"):
            relation = command.table()
            name = self._v2(relation, relation, java_map(relation.options()))
            return name[0] if name else None
        return None

    def _private(self, holder: Any, name: str) -> Any:
        """A field that has no method: by reflection."""
        for declared in holder.getClass().getDeclaredFields():
            if declared.getName().endswith(name):
                declared.setAccessible(True)
                return declared.get(holder)
        return None


def _subscribed(options: dict[str, str]) -> list[str]:
    if options.get("subscribe"):
        return [topic.strip() for topic in options["subscribe"].split(",")]
    if options.get("assign"):
        return sorted(json.loads(options["assign"]))
    return []
