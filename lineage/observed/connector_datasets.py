"""What a connector reads and writes, from its configuration: topics, and datasets of other systems.

Names outside follow OpenLineage: `postgres://host:port` / `db.schema.table`, `s3://bucket` / key, `file` / path. What a
configuration does not show (a table named by a transform, a query) is left out: the connector is then shown with its
topics alone. A configuration is used here and stored nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

Name = tuple[str, str]
"""Namespace, name."""


@dataclass(frozen=True, slots=True)
class Connector:
    """A connector as Connect reports it. `topics`: those it has really used, where Connect tracks them."""

    name: str
    kind: str  # source | sink
    state: str
    config: Mapping[str, str] = field(default_factory=dict, repr=False)
    topics: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mapped:
    """A connector's ends: topics, datasets outside, and which feeds which (outside, topic)."""

    topics: tuple[str, ...]
    outside: tuple[Name, ...]
    pairs: tuple[tuple[Name, str], ...] = ()


def mapped(connector: Connector) -> Mapped:
    """Topics and outside datasets of a connector."""
    config = {key.lower(): value for key, value in connector.config.items() if isinstance(value, str)}
    kind = config.get("connector.class", "").rsplit(".", 1)[-1].lower()
    topics = _topics(connector, config)
    for words, read in _KNOWN:
        if any(word in kind for word in words):
            try:
                pairs = list(read(config, topics, connector.kind))
            except ValueError:  # an address that is none, or whose parts stand elsewhere: `${env:PORT}`
                break
            return Mapped(topics, tuple(dict.fromkeys(outside for outside, _ in pairs)), tuple(pairs))
    return Mapped(topics, ())


def _topics(connector: Connector, config: Mapping[str, str]) -> tuple[str, ...]:
    names = _listed(config.get("topics", "")) if connector.kind == "sink" else _listed(config.get("topic", ""))
    return tuple(sorted({*connector.topics, *names}))


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _file(config: Mapping[str, str], topics: Sequence[str], kind: str) -> Iterable[tuple[Name, str]]:
    if config.get("file"):
        yield from ((("file", config["file"]), topic) for topic in topics)


def _jdbc(config: Mapping[str, str], topics: Sequence[str], kind: str) -> Iterable[tuple[Name, str]]:
    place = jdbc_place(config.get("connection.url", ""))
    if place is None:
        return
    namespace, database = place
    if kind == "sink":
        pattern = config.get("table.name.format", "${topic}")
        for topic in topics:
            yield (namespace, _within(database, pattern.replace("${topic}", topic))), topic
        return
    prefix, query = config.get("topic.prefix", ""), config.get("query")
    tables = _listed(config.get("table.whitelist") or config.get("table.include.list") or "")
    for topic in topics:
        if query or not topic.startswith(prefix):
            continue
        table = topic.removeprefix(prefix)
        full = next((each for each in tables if each == table or each.endswith(f".{table}")), table)
        yield (namespace, _within(database, full)), topic


_ENGINES = {
    "postgres": ("postgres", "5432"),
    "mysql": ("mysql", "3306"),
    "mariadb": ("mysql", "3306"),
    "sqlserver": ("sqlserver", "1433"),
    "oracle": ("oracle", "1521"),
    "mongodb": ("mongodb", "27017"),
    "db2": ("db2", "50000"),
}


def _debezium(config: Mapping[str, str], topics: Sequence[str], kind: str) -> Iterable[tuple[Name, str]]:
    """Topic `PREFIX.SCHEMA.TABLE` (or `PREFIX.DATABASE.TABLE`) holds the changes of that table."""
    engine = next((e for e in _ENGINES if e in config.get("connector.class", "").lower()), None)
    host, prefix = config.get("database.hostname"), config.get("topic.prefix") or config.get("database.server.name")
    if engine is None or not host or not prefix:
        return
    scheme, port = _ENGINES[engine]
    namespace = f"{scheme}://{host}:{config.get('database.port', port)}"
    for topic in topics:
        rest = topic.removeprefix(f"{prefix}.")
        if rest == topic or rest.startswith("transaction"):
            continue
        database = config.get("database.dbname") or config.get("database.names", "")
        yield (namespace, _within(database, rest) if engine not in ("mysql", "mariadb", "mongodb") else rest), topic


def _object_store(config: Mapping[str, str], topics: Sequence[str], kind: str) -> Iterable[tuple[Name, str]]:
    kinds = (
        ("s3.bucket.name", "s3"),
        ("aws.s3.bucket.name", "s3"),
        ("gcs.bucket.name", "gs"),
        ("azblob.container.name", "wasbs"),
    )
    for key, scheme in kinds:
        if config.get(key):
            folder = config.get("topics.dir", config.get("aws.s3.prefix", "topics" if scheme == "s3" else ""))
            for topic in topics:
                yield (f"{scheme}://{config[key]}", f"{folder.strip('/')}/{topic}".strip("/")), topic


def _elasticsearch(config: Mapping[str, str], topics: Sequence[str], kind: str) -> Iterable[tuple[Name, str]]:
    first = next(iter(_listed(config.get("connection.url", ""))), "")
    parts = urlsplit(first)
    if parts.hostname:
        for topic in topics:
            yield (f"elasticsearch://{address(parts.hostname, parts.port or 9200)}", topic.lower()), topic


def _mongo(config: Mapping[str, str], topics: Sequence[str], kind: str) -> Iterable[tuple[Name, str]]:
    parts = _first_of_mongo(config.get("connection.uri", ""))
    database, collection = config.get("database"), config.get("collection")
    if parts.hostname and database:
        for topic in topics:
            yield (
                (f"mongodb://{address(parts.hostname, parts.port or 27017)}", f"{database}.{collection or topic}"),
                topic,
            )


def _first_of_mongo(uri: str) -> SplitResult:
    """The first of the hosts: `mongodb://user:password@h1:27017,h2:27017/?replicaSet=rs`."""
    hosts, _, rest = uri.partition("://")[2].partition("?")[0].partition("/")
    if "@" in rest:
        raise ValueError("a password that is not escaped")
    return urlsplit("//" + hosts.rpartition("@")[2].partition(",")[0])


def _snowflake(config: Mapping[str, str], topics: Sequence[str], kind: str) -> Iterable[tuple[Name, str]]:
    account = (urlsplit("//" + config.get("snowflake.url.name", "").split("://")[-1]).hostname or "").split(
        ".snowflake"
    )[0]
    tables = dict(pair.split(":", 1) for pair in _listed(config.get("snowflake.topic2table.map", "")) if ":" in pair)
    database, schema = config.get("snowflake.database.name"), config.get("snowflake.schema.name")
    if account and database and schema:
        for topic in topics:
            table = tables.get(topic)
            if table:
                yield (f"snowflake://{account}", f"{database}.{schema}.{table}"), topic


def _bigquery(config: Mapping[str, str], topics: Sequence[str], kind: str) -> Iterable[tuple[Name, str]]:
    project, dataset = config.get("project"), config.get("defaultdataset")
    if project and dataset:
        for topic in topics:
            yield ("bigquery", f"{project}.{dataset}.{re.sub(r'[^A-Za-z0-9_]', '_', topic)}"), topic


def _mirror(config: Mapping[str, str], topics: Sequence[str], kind: str) -> Iterable[tuple[Name, str]]:
    """MirrorMaker: topic `ALIAS.NAME` is a copy of `NAME` in the other cluster."""
    first = next(iter(_listed(config.get("source.cluster.bootstrap.servers", ""))), "")
    alias = config.get("source.cluster.alias", "")
    for topic in topics:
        if first and topic.startswith(f"{alias}.") and not topic.endswith(("heartbeats", ".internal")):
            yield (f"kafka://{first}", topic.removeprefix(f"{alias}.")), topic


_KNOWN = (
    (("filestream",), _file),
    (
        (
            "debezium",
            "postgresconnector",
            "mysqlconnector",
            "mariadbconnector",
            "sqlserverconnector",
            "oracleconnector",
            "mongodbconnector",
            "db2connector",
        ),
        _debezium,
    ),
    (("jdbc",), _jdbc),
    (("s3", "gcs", "azureblob"), _object_store),
    (("elasticsearch", "opensearch"), _elasticsearch),
    (("mongo",), _mongo),
    (("snowflake",), _snowflake),
    (("bigquery",), _bigquery),
    (("mirrorsource",), _mirror),
)


def jdbc_place(url: str) -> tuple[str, str] | None:
    """`jdbc:postgresql://h:5432/db?user=x` -> (`postgres://h:5432`, `db`); without user, password or parameters."""
    if not url.startswith("jdbc:"):
        return None
    text = url.removeprefix("jdbc:")
    if text.startswith("sqlserver:"):
        match = re.match(r"sqlserver://([^:;/]+)(?::(\d+))?(?:;.*?database(?:name)?=([^;]+))?", text, re.IGNORECASE)
        return (f"sqlserver://{address(match[1], match[2] or 1433)}", match[3] or "") if match else None
    if text.startswith("oracle:"):
        match = re.search(r"@/*([^:/@]+):(\d+)[:/](\w+)", text)
        return (f"oracle://{address(match[1], match[2])}", match[3]) if match else None
    try:
        parts = urlsplit(text)
        number = parts.port
    except ValueError:
        return None
    scheme = {"postgresql": "postgres", "mariadb": "mysql"}.get(parts.scheme, parts.scheme)
    port = number or {"postgres": 5432, "mysql": 3306, "redshift": 5439}.get(scheme)
    if not parts.hostname:
        return ("file", parts.path) if scheme == "sqlite" and parts.path else None
    return f"{scheme}://{address(parts.hostname, port)}", parts.path.strip("/").partition(";")[0]


def address(host: str, port: object) -> str:
    """`host:port`, or the host alone where no port is known."""
    return f"{host}:{port}" if port else host


def _within(database: str, table: str) -> str:
    return f"{database}.{table}" if database and not table.startswith(f"{database}.") else table
