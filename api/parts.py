"""The adapters of an instance, made when they are first asked for. Only `api/bootstrap.py` uses this.

Drivers are imported late: `--help` and a process that never queries pay nothing for Spark.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

from api.clusters import OwnServers
from api.extras import MEANING
from api.home import Home
from api.settings import Settings
from catalog.secrets import Secrets
from scanners.model import ClusterConnection


class Parts:
    """Makes each adapter at most once. What must be ended is put into `closing`."""

    def __init__(self, settings: Settings, home: Home, given: Mapping[str, Any]) -> None:
        self._settings = settings
        self._home = home
        self._given = dict(given)
        self.secrets = Secrets(settings.secrets)
        self._made: dict[str, Any] = {}
        self._lock = threading.RLock()
        self._busy: Callable[[], bool] = lambda: False
        self.closing: list[Callable[[], None]] = []

    def get(self, name: str, make: Callable[[], Any]) -> Any:
        """What was given under a name, else what `make` makes, once."""
        with self._lock:
            if name in self._given:
                return self._given[name]
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]

    # -- the record store ---------------------------------------------------------------------------------------------

    def database(self) -> Any:
        from catalog.adapters.database import Database

        database = Database(self._settings.database.url or self._home.database_url)
        database.migrate()
        self.closing.append(database.close)
        return database

    def _database(self) -> Any:
        return self.get("database", self.database)

    def transaction(self) -> AbstractContextManager[Any]:
        """One transaction for both rooms that keep records."""
        database = self._database()
        return contextlib.ExitStack() if database is None else database.begin()

    def store(self) -> Any:
        from catalog.adapters.sql_store import SqlCatalogStore

        return SqlCatalogStore(self._database())

    def policy_store(self) -> Any:
        from policies.adapters.sql_store import SqlPolicyStore

        return SqlPolicyStore(self._database())

    def tokens(self) -> Any:
        from policies.adapters.sql_store import SqlTokenStore

        return SqlTokenStore(self._database())

    def verifiers(self) -> list[Any]:
        """Other issuers of bearer tokens, as set."""
        from policies.adapters.oidc import OidcVerifier

        oidc = self._settings.oidc
        return [OidcVerifier(oidc)] if oidc.issuer or oidc.audience else []

    def audit_store(self) -> Any:
        from policies.adapters.sql_store import SqlAuditStore

        return SqlAuditStore(self._database())

    # -- search, Kafka, the graph -------------------------------------------------------------------------------------

    def index(self) -> Any:
        from catalog.adapters.elastic_index import ElasticSearchIndex

        settings = self._settings.elasticsearch
        key = settings.api_key.get_secret_value() if settings.api_key else None
        password = settings.password.get_secret_value() if settings.password else ""
        catalog = self._settings.catalog
        return ElasticSearchIndex(
            settings.url,
            catalog.search_index,
            api_key=key,
            basic_auth=(settings.username, password) if settings.username else None,
            ca=settings.ca,
            timeout_s=catalog.search_timeout_s,
        )

    def meaning(self) -> Any:
        from catalog.adapters.word_vectors import WordVectors

        return WordVectors() if self._settings.catalog.search_by_meaning and not MEANING.missing() else None

    def brokers(self) -> Any:
        from catalog.adapters.kafka_topics import KafkaBrokers

        return KafkaBrokers(self._settings.catalog.broker_timeout_s, self.secrets)

    def client_config(self, settings: Mapping[str, Any], bootstrap: Any) -> dict[str, Any]:
        from catalog.adapters.kafka_topics import client_config

        return client_config(settings, bootstrap, self.secrets)

    def own_servers(self) -> OwnServers:
        """How a scan of an address of the local stack signs in, where that asks for a password."""
        kafka, registry = self._settings.kafka, self._settings.schema_registry
        local = {name for name in ("KAFKA", "REGISTRY") if os.environ.get(f"WEIR_SECRET_STACK_{name}")}
        return OwnServers(
            kafka.bootstrap_servers,
            kafka.sasl_username if "KAFKA" in local else None,
            registry.url or "",
            registry.username if "REGISTRY" in local else None,
        )

    def _kafka(self) -> Any:
        from lineage.settings import KafkaClientSettings

        kafka = self._settings.kafka
        return KafkaClientSettings(bootstrap_servers=kafka.bootstrap_servers, options=kafka.client_options())

    def log(self) -> Any:
        from lineage.adapters.kafka_log import KafkaEventLog

        made = KafkaEventLog(self._kafka(), self._settings.lineage)
        self.closing.append(made.close)
        return made

    def letters(self) -> Any:
        from lineage.adapters.kafka_log import KafkaEventLog

        made = KafkaEventLog(self._kafka(), self._settings.lineage, self._settings.lineage.dead_letter_topic)
        self.closing.append(made.close)
        return made

    def source(self) -> Any:
        from lineage.adapters.kafka_source import KafkaEventSource

        return KafkaEventSource(self._kafka(), self._settings.lineage)

    def graph(self) -> Any:
        from lineage.adapters.neo4j_graph import Neo4jGraph, connect
        from lineage.settings import Neo4jSettings

        ours = self._settings.neo4j
        password = ours.password.get_secret_value() if ours.password else ""
        settings = Neo4jSettings(uri=ours.uri, user=ours.user, password=password)
        driver = connect(settings)
        self.closing.append(driver.close)
        return Neo4jGraph(driver, settings, self._settings.lineage.graph_name)

    def event_topic(self) -> Any:
        """The receiver that writes events to Kafka; None when no topic is set."""
        if not self._settings.events.topic:
            return None
        from catalog.adapters.kafka_events import KafkaEvents

        kafka = self._settings.kafka
        made = KafkaEvents(kafka.bootstrap_servers, self._settings.events, kafka.client_options())
        self.closing.append(made.close)
        return made

    @staticmethod
    def groups_of(config: Mapping[str, Any]) -> Any:
        from lineage.adapters.consumer_groups import KafkaGroups

        return KafkaGroups(config)

    @staticmethod
    def connect_of(url: str, auth: tuple[str, str] | None, ca: str | None) -> Any:
        from lineage.adapters.connect_rest import ConnectRest

        return ConnectRest(url, auth, ca)

    @staticmethod
    def engines_of(kind: str, url: str, auth: tuple[str, str] | None, ca: str | None) -> Any:
        from lineage.adapters.flink_rest import FlinkRest
        from lineage.adapters.ksqldb_rest import KsqldbRest

        return {"ksqldb": KsqldbRest, "flink": FlinkRest}[kind](url, auth, ca)

    def sql_reader(self) -> Any:
        from lineage.sql.apart import SqlApart

        made = SqlApart(self._settings.lineage.sql_seconds)
        self.closing.append(made.close)
        return made

    def publisher(self) -> Any:
        if not self._settings.policies.publish_audit_head:
            return None
        from policies.adapters.audit_head import KafkaHeadPublisher

        kafka = self._settings.kafka
        made = KafkaHeadPublisher(
            kafka.bootstrap_servers, self._settings.policies.audit_head_topic, kafka.client_options()
        )
        self.closing.append(made.close)
        return made

    # -- Spark --------------------------------------------------------------------------------------------------------

    def trial_analyzers(self) -> Any:
        """What reads texts for the trial of a recognizer; no language model is loaded for that."""
        from scanners.adapters.custom_recognizers import CustomRecognizers

        seconds = self._settings.scanners.regex_seconds
        return lambda recognizers: CustomRecognizers(recognizers, seconds)

    def sampler(self) -> Any:
        from scanners.adapters.spark_sampler import SparkSampler

        return SparkSampler(self._settings.spark.remote.get_secret_value(), checkpoints=self._checkpoints())

    def _checkpoints(self) -> Any:
        from scanners.adapters.checkpoints import FileCheckpoints

        return FileCheckpoints(self._home.root / "scans", self._home.secret("scans.key"))

    def dead_letters(self) -> Any:
        """Where scans send what they cannot decode; with a sampler that is not Spark's there is none."""
        from scanners.adapters.dead_letters import SparkDeadLetters
        from scanners.adapters.spark_sampler import SparkSampler

        sampler = self.get("sampler", self.sampler)
        return SparkDeadLetters(sampler) if isinstance(sampler, SparkSampler) else None

    def offsets(self) -> Any:
        from scanners.adapters.kafka_offsets import KafkaOffsets

        return KafkaOffsets(self._settings.scanners)

    def registry(self) -> Any:
        from scanners.adapters.registry import HttpSchemaRegistry

        return HttpSchemaRegistry(self._settings.scanners)

    @staticmethod
    def spark_options(connection: ClusterConnection) -> dict[str, str]:
        """The Kafka options of Spark's reader for a cluster; they hold its secrets."""
        from scanners.adapters.kafka_settings import java

        options = {f"kafka.{name}": value for name, value in java(connection.kafka).items()}
        return {
            "kafka.bootstrap.servers": connection.bootstrap,
            # A read of known offsets need not wait for more to come, nor two minutes for what is gone.
            "kafka.fetch.max.wait.ms": "5",
            "kafkaConsumer.pollTimeoutMs": "15000",
            **options,
        }

    def _query_remote(self) -> str:
        """The Spark of queries: one of its own, or the one there is."""
        query = self._settings.query.remote.get_secret_value()
        return query or self._settings.spark.remote.get_secret_value()

    def sessions(self) -> Any:
        from policies.adapters.spark_sessions import Sessions

        query = self._settings.query
        longest = max(query.seconds, query.export_seconds) + 60
        made = Sessions(self._query_remote(), seconds=longest)
        self.closing.append(made.close)
        return made

    def keeper(self) -> Any:
        """Looks after the engine of queries; it begins with `warm`."""
        from api.engines import QueryEngine
        from policies.adapters.engine_door import EngineDoor
        from policies.engine_blame import Blame
        from policies.engine_keeper import Keeper

        query = self._settings.query
        sessions = self.get("sessions", self.sessions)
        self._process = process = QueryEngine(self._home, EngineDoor(self._query_remote(), sessions))
        made = Keeper(process, Blame(lambda: datetime.now(UTC), query.refused_seconds), query, self._warm_again)
        self.closing.append(made.close)
        return made

    def warm(self, busy: Callable[[], bool]) -> None:
        """Have Spark sessions ready before the first query, and an engine that has run some while none was `busy`, now
        and whenever it was started again."""
        self._busy = busy
        self.get("keeper", self.keeper).start()
        self._warm_again()

    def _warm_again(self) -> None:
        from policies.adapters.warm_up import WarmUp
        from policies.kept_engine import KeptEngine

        sessions, keeper = self.get("sessions", self.sessions), self.get("keeper", self.keeper)
        sessions.warm()
        count = self._settings.query.warm_up_queries
        kept, process = lambda engine: KeptEngine(engine, keeper), self._process
        made = WarmUp(sessions, count, self._busy, kept, process.archive_classes)
        self.closing.append(made.close)
        made.start()

    def engine(self, client_settings: Callable[[str], Mapping[str, str]]) -> Any:
        """`client_settings`: bootstrap servers of a cluster -> librdkafka's settings for it."""
        from api.tables import Decoder
        from policies.adapters.kafka_windows import KafkaWindows
        from policies.adapters.spark_engine import SparkEngine
        from policies.kept_engine import KeptEngine

        query = self._settings.query
        windows = KafkaWindows(client_settings, query.small_window_records, query.small_window_bytes)
        self.closing.append(windows.close)
        engine = SparkEngine(self.get("sessions", self.sessions), Decoder(self._archive), windows)
        return KeptEngine(engine, self.get("keeper", self.keeper))

    def _archive(self) -> str:
        from scanners.adapters.code_archive import code_archive

        return str(code_archive())

    @staticmethod
    def query_offsets(client_settings: Mapping[str, Mapping[str, str]]) -> Any:
        from policies.adapters.kafka_offsets import KafkaOffsets

        return KafkaOffsets(client_settings)

    def mask_secret(self) -> bytes:
        """The secret of keyed masks: as set, else one kept in WEIR_HOME."""
        given = self._given.get("mask_secret")
        return given if given is not None else self._home.secret("masks").encode()

    def click_secret(self) -> bytes:
        """The key that hashes queries whose answers were opened; kept in WEIR_HOME."""
        return self._home.secret("clicks").encode()

    # -- health -------------------------------------------------------------------------------------------------------

    def probes(self) -> dict[str, Callable[[], object]]:
        """How each server is asked whether it answers."""
        return {
            "database": lambda: self.get("store", self.store).ping(),
            "kafka": lambda: self.get("brokers", self.brokers).describe(
                {"own": self._settings.kafka.client_options()}, self._settings.kafka.bootstrap_servers.split(",")
            ),
            "elasticsearch": lambda: self.get("index", self.index).ping(),
            "neo4j": lambda: self.get("graph", self.graph).node("dataset:weir:readiness"),
            "spark": self._spark_answers,
            "query": lambda: self.get("keeper", self.keeper).check(),
        }

    def _spark_answers(self) -> None:
        """The port is open; a session would cost Spark more than a probe should."""
        from catalog.adapters.reach import require_spark

        require_spark(self._settings.spark.remote.get_secret_value())

    def lag(self) -> int:
        """Lineage events that are accepted and not folded yet."""
        return int(self.get("lag_source", self.source).lag())
