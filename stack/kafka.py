"""Kafka: one node that is broker and controller (KRaft)."""

from __future__ import annotations

import base64
import socket
import struct
import subprocess
import uuid
from pathlib import Path

from stack import versions
from stack.errors import StackError
from stack.home import write_atomically
from stack.ports import LOOPBACK
from stack.process import Identity, tail
from stack.server import Launch, Named, Site

LOGGING = """\
rootLogger.level = WARN
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{ISO8601} %p %c - %m%n
logger.kafka.name = kafka.server.KafkaRaftServer
logger.kafka.level = INFO
"""


class Kafka:
    facts = Named("kafka", "Kafka", versions.KAFKA, ("kafka",), ("kafka-controller",))

    def prepare(self, site: Site) -> Launch:
        config = site.home.config("kafka")
        data = site.home.data("kafka")
        properties = config / "server.properties"
        write_atomically(properties, self._properties(site, data))
        write_atomically(config / "log4j2.properties", LOGGING)
        options = [f"-Dlog4j2.configurationFile={config / 'log4j2.properties'}"]
        if not (data / "meta.properties").exists():
            self._format(site, properties, options)
        main = ["kafka.Kafka", str(properties)]
        argv = site.java_command("kafka", site.settings.kafka_memory, ("kafka",), options, main)
        return Launch(argv, site.environment(), config)

    def _properties(self, site: Site, data: Path) -> str:
        port, controller = site.ports["kafka"], site.ports["kafka-controller"]
        return "\n".join(
            (
                "process.roles=broker,controller",
                "node.id=1",
                f"controller.quorum.voters=1@{LOOPBACK}:{controller}",
                "controller.listener.names=CONTROLLER",
                f"listeners=PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller}",
                f"advertised.listeners=PLAINTEXT://{LOOPBACK}:{port}",
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                f"log.dirs={data}",
                # A misspelt topic name in a query must be an error, not a new topic.
                "auto.create.topics.enable=false",
                "num.partitions=1",
                "offsets.topic.num.partitions=4",
                "offsets.topic.replication.factor=1",
                "transaction.state.log.num.partitions=4",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1",
                "share.coordinator.state.topic.num.partitions=1",
                "share.coordinator.state.topic.replication.factor=1",
                "share.coordinator.state.topic.min.isr=1",
                # The default of 3 s lets many consumers of one group gather; ours come alone.
                "group.initial.rebalance.delay.ms=0",
                "log.index.size.max.bytes=1048576",
                "log.segment.bytes=134217728",
                "log.cleaner.dedupe.buffer.size=8388608",
                "num.network.threads=2",
                "num.io.threads=4",
                "background.threads=2",
                "controlled.shutdown.enable=true",
                "",
            )
        )

    def _format(self, site: Site, properties: Path, options: list[str]) -> None:
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        # An id with a leading dash would read as an option.
        cluster = cluster if cluster[0] != "-" else "A" + cluster[1:]
        main = ["kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(properties)]
        argv = site.java_command("kafka", "128m", ("kafka",), [*options, "-XX:TieredStopAtLevel=1"], main)
        log = site.home.logs / "kafka-format.log"
        with log.open("w", encoding="utf-8") as out:
            code = subprocess.run(
                argv, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=site.environment()
            ).returncode
        if code != 0:
            raise StackError(f"Kafka's data folder {site.home.data('kafka')} could not be prepared.", tail(log))

    def boot(self, site: Site, identity: Identity, log: Path) -> None:
        """Nothing to say."""

    def ready(self, site: Site) -> bool:
        return has_broker(site.ports["kafka"])

    def url(self, site: Site) -> str:
        return f"{LOOPBACK}:{site.ports['kafka']}"


def has_broker(port: int) -> bool:
    """Whether the node knows a working broker: a Metadata request that names no topic.

    An open port is not enough: it opens before the controller lets the broker serve. Version 4 asks for no topics
    and is the oldest form in which an empty list means none.
    """
    client = b"weir"
    body = struct.pack(">hhih", 3, 4, 1, len(client)) + client + struct.pack(">i?", 0, False)
    try:
        with socket.create_connection((LOOPBACK, port), 1) as connection:
            connection.settimeout(2)
            connection.sendall(struct.pack(">i", len(body)) + body)
            with connection.makefile("rb") as answer:
                (size,) = struct.unpack(">i", answer.read(4))
                payload = answer.read(min(size, 65_536))
        # correlation id, throttle time, number of brokers
        _, _, brokers = struct.unpack_from(">iii", payload)
        return bool(brokers > 0)
    except (OSError, struct.error):
        return False
