"""What works on Spark: scans on one engine, queries on another, which is kept alive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from api.joins.query_tables import QueryOffsets
from api.wiring.given import REAL, part
from api.wiring.lineage_parts import LineageParts
from scanners.model import ClusterConnection

if TYPE_CHECKING:
    from api.joins.connections import Connections
    from api.wiring.engines import QueryEngine
    from policies.adapters.kafka.windows import KafkaWindows
    from policies.adapters.spark.sessions import Sessions
    from policies.browse.service import Sizes
    from policies.browse.skipping import TextScan
    from policies.engine.keeper import Keeper
    from policies.plan.ports import Engine, Offsets
    from scanners.adapters.spark.executor_watch import ExecutorWatch
    from scanners.ports import Checkpoints, DeadLetters, OffsetLookup, RecordReader, Sampler, SchemaRegistry
    from scanners.scan.trial import Analyzers


class SparkParts(LineageParts):
    """Samplers, sessions, engines."""

    _busy: Callable[[], bool] = staticmethod(lambda: False)

    # -- scans --------------------------------------------------------------------------------------------------------

    def trial_analyzers(self) -> Analyzers:
        """What reads texts for the trial of a recognizer; no language model is loaded for that."""
        from scanners.adapters.presidio.custom_recognizers import CustomRecognizers

        seconds = self._settings.scanners.regex_seconds
        return lambda recognizers: CustomRecognizers(recognizers, seconds)

    @part
    def sampler(self) -> Sampler:
        from scanners.adapters.spark.sampler import SparkSampler

        return SparkSampler(
            self._settings.spark.remote.get_secret_value(),
            checkpoints=self._checkpoints(),
            executor_seconds=self._settings.scanners.executor_seconds,
            archive=self._settings.spark.executor_archive,
        )

    @part
    def executors(self) -> ExecutorWatch:
        """Whether the Spark of scans runs tasks."""
        from scanners.adapters.spark.executor_watch import ExecutorWatch

        spark = self._settings.spark
        seconds = self._settings.scanners.executor_seconds
        # An archive is sent with a session of scans; to ask for packages once a minute it would be sent each time.
        return ExecutorWatch(spark.remote.get_secret_value(), seconds, packages=spark.executor_archive is None)

    def _checkpoints(self) -> Checkpoints:
        from scanners.adapters.spark.checkpoints import FileCheckpoints

        return FileCheckpoints(self._home.root / "scans", self._home.secret("scans.key"))

    @part
    def dead_letters(self) -> DeadLetters | None:
        """Where scans send what they cannot decode; None with a sampler that is not Spark's."""
        from scanners.adapters.spark.dead_letters import SparkDeadLetters
        from scanners.adapters.spark.sampler import SparkSampler

        sampler = self.sampler
        return SparkDeadLetters(sampler) if isinstance(sampler, SparkSampler) else None

    @part
    def records(self) -> RecordReader:
        from scanners.adapters.kafka.records import KafkaRecords

        return KafkaRecords(self._settings.scanners)

    @part
    def offsets(self) -> OffsetLookup:
        from scanners.adapters.kafka.offsets import KafkaOffsets

        return KafkaOffsets(self._settings.scanners)

    @part
    def registry(self) -> SchemaRegistry:
        from scanners.adapters.registry import HttpSchemaRegistry

        return HttpSchemaRegistry(self._settings.scanners, servers=self.servers)

    @staticmethod
    def spark_options(connection: ClusterConnection) -> dict[str, str]:
        """The Kafka options of Spark's reader for a cluster; they hold its secrets."""
        from scanners.adapters.kafka.settings import java

        options = {f"kafka.{name}": value for name, value in java(connection.kafka).items()}
        return {
            "kafka.bootstrap.servers": connection.bootstrap,
            # A read of known offsets need not wait for more to come, nor two minutes for what is gone.
            "kafka.fetch.max.wait.ms": "5",
            "kafkaConsumer.pollTimeoutMs": "15000",
            **options,
        }

    # -- queries ------------------------------------------------------------------------------------------------------

    def _query_remote(self) -> str:
        """The Spark of queries: one of its own, or the one there is."""
        query = self._settings.query.remote.get_secret_value()
        return query or self._settings.spark.remote.get_secret_value()

    @part
    def sessions(self) -> Sessions:
        from policies.adapters.spark.sessions import Sessions

        query = self._settings.query
        longest = max(query.seconds, query.export_seconds) + 60
        sessions = Sessions(self._query_remote(), seconds=longest)
        self.closing.append(sessions.close)
        return sessions

    @part
    def _process(self) -> QueryEngine:
        from api.wiring.engines import QueryEngine
        from policies.adapters.spark.engine_door import EngineDoor

        return QueryEngine(self._home, EngineDoor(self._query_remote(), self.sessions))

    @part
    def keeper(self) -> Keeper:
        """Looks after the engine of queries; it begins with `warm`."""
        from policies.engine.blame import Blame
        from policies.engine.keeper import Keeper

        query = self._settings.query
        blame = Blame(lambda: datetime.now(UTC), query.refused_seconds)
        keeper = Keeper(self._process, blame, query, self._warm_again)
        self.closing.append(keeper.close)
        return keeper

    def warm(self, busy: Callable[[], bool]) -> None:
        """Have Spark sessions ready before the first query, and an engine that has run some while none was `busy`, now
        and whenever it was started again."""
        self._busy = busy
        self.keeper.start()
        self._warm_again()

    def _warm_again(self) -> None:
        from policies.adapters.warm_up import WarmUp
        from policies.engine.engine import KeptEngine

        keeper = self.keeper
        self.sessions.warm()
        count = self._settings.query.warm_up_queries
        warm_up = WarmUp(
            self.sessions, count, self._busy, lambda engine: KeptEngine(engine, keeper), self._process.archive_classes
        )
        self.closing.append(warm_up.close)
        warm_up.start()

    def query_engine(self, client_settings: Callable[[str], Mapping[str, str]]) -> Engine:
        """`client_settings`: bootstrap servers of a cluster -> librdkafka's settings for it."""
        from api.joins.query_tables import Decoder
        from policies.adapters.kafka.positions import KafkaPositions
        from policies.adapters.kafka.topic_identity import TopicIdentity
        from policies.adapters.spark.engine import SparkEngine
        from policies.engine.engine import KeptEngine
        from scanners.adapters.spark.carried_code import carried

        if self.given.engine is not REAL:
            return self.given.engine
        windows = self._windows(client_settings)
        positions = KafkaPositions(windows, TopicIdentity(client_settings))
        return KeptEngine(SparkEngine(self.sessions, Decoder(carried), windows, positions), self.keeper)

    def _windows(self, client_settings: Callable[[str], Mapping[str, str]]) -> KafkaWindows:
        """The reader of small windows, the same for all who ask."""
        from policies.adapters.kafka.windows import KafkaWindows

        with self.lock:
            if "windows" not in self.kept:
                query = self._settings.query
                reader = KafkaWindows(client_settings, query.small_window_records, query.small_window_bytes)
                self.closing.append(reader.close)
                self.kept["windows"] = reader
            windows: KafkaWindows = self.kept["windows"]
            return windows

    def record_sizes(self, client_settings: Callable[[str], Mapping[str, str]]) -> Sizes:
        from policies.browse.service import no_sizes

        return no_sizes if self.given.engine is not REAL else self._windows(client_settings).largest

    def text_scan(self, client_settings: Callable[[str], Mapping[str, str]]) -> TextScan:
        """Which records may hold a text, see `policies.browse.skipping`."""
        from policies.adapters.kafka.text_scan import KafkaTextScan
        from policies.browse.skipping import no_scan

        return no_scan if self.given.engine is not REAL else KafkaTextScan(self._windows(client_settings))

    def query_offsets(self, connections: Connections) -> Offsets:
        """Which offsets queries read, asked of each cluster with its own settings."""
        if self.given.window is not REAL:
            return self.given.window
        from policies.adapters.kafka.offsets import KafkaOffsets

        return QueryOffsets(connections, KafkaOffsets)
