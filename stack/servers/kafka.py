"""Kafka: one node that is broker and controller (KRaft)."""

from __future__ import annotations

import base64
import socket
import struct
import subprocess
import uuid
from pathlib import Path
from typing import BinaryIO

from stack.errors import StackError
from stack.home import owners, write_atomically
from stack.installed import versions
from stack.processes.ports import LOOPBACK
from stack.processes.process import Identity, tail
from stack.servers.server import Launch, ServerFacts, Site

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
    facts = ServerFacts("kafka", "Kafka", versions.KAFKA, ("kafka",), ("kafka-controller",))

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
        login = site.login("kafka")
        protocol = "SASL_PLAINTEXT" if login else "PLAINTEXT"
        return "\n".join(
            (
                "process.roles=broker,controller",
                "node.id=1",
                f"controller.quorum.voters=1@{LOOPBACK}:{controller}",
                "controller.listener.names=CONTROLLER",
                f"listeners={protocol}://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller}",
                f"advertised.listeners={protocol}://{LOOPBACK}:{port}",
                f"listener.security.protocol.map={protocol}:{protocol},CONTROLLER:{protocol}",
                *(_security(*login, site.consumer_login()) if login else ()),
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
        with open(log, "w", encoding="utf-8", opener=owners) as out:
            code = subprocess.run(
                argv,
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env=site.environment(),
                umask=0o077,
            ).returncode
        if code != 0:
            raise StackError(f"Kafka's data folder {site.home.data('kafka')} could not be prepared.", tail(log))

    def boot(self, site: Site, identity: Identity, log: Path) -> None:
        """Needs nothing."""

    def ready(self, site: Site) -> bool:
        return has_broker(site.ports["kafka"], site.login("kafka"))

    def url(self, site: Site) -> str:
        return f"{LOOPBACK}:{site.ports['kafka']}"


def _security(user: str, password: str, consumer: tuple[str, str] | None = None) -> list[str]:
    """Lines of the configuration with which one user may do everything, also at the controller's port, and another one signs
    in and may do what ACLs let them."""
    other = f' user_{consumer[0]}="{consumer[1]}"' if consumer is not None else ""
    jaas = (
        "org.apache.kafka.common.security.plain.PlainLoginModule required"
        f' username="{user}" password="{password}" user_{user}="{password}"{other};'
    )
    return [
        "inter.broker.listener.name=SASL_PLAINTEXT",
        "sasl.enabled.mechanisms=PLAIN",
        "sasl.mechanism.inter.broker.protocol=PLAIN",
        "sasl.mechanism.controller.protocol=PLAIN",
        f"listener.name.sasl_plaintext.plain.sasl.jaas.config={jaas}",
        f"listener.name.controller.plain.sasl.jaas.config={jaas}",
        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found=false",
        f"super.users=User:{user}",
    ]


def has_broker(port: int, login: tuple[str, str] | None = None) -> bool:
    """Whether the node knows a working broker: a Metadata request that names no topic, after signing in by SASL PLAIN
    where a user and password are given.

    An open port is not enough: it opens before the controller lets the broker serve. Version 4 asks for no topics
    and is the oldest form in which an empty list means none.
    """
    requests = []
    if login is not None:
        mechanism, token = b"PLAIN", "\0".join(("", *login)).encode()
        requests.append((17, 1, struct.pack(">h", len(mechanism)) + mechanism))  # SaslHandshake
        requests.append((36, 0, struct.pack(">i", len(token)) + token))  # SaslAuthenticate
    requests.append((3, 4, struct.pack(">i?", 0, False)))  # Metadata
    try:
        with socket.create_connection((LOOPBACK, port), 1) as connection:
            connection.settimeout(2)
            with connection.makefile("rb") as answer:
                for number, request in enumerate(requests):
                    payload = _asked(connection, answer, number, *request)
                    # After the correlation id an answer about signing in begins with its error.
                    if number < len(requests) - 1 and struct.unpack_from(">ih", payload)[1] != 0:
                        return False
        # correlation id, throttle time, number of brokers
        _, _, brokers = struct.unpack_from(">iii", payload)
        return bool(brokers > 0)
    except (OSError, struct.error):
        return False


def _asked(connection: socket.socket, answer: BinaryIO, number: int, key: int, version: int, request: bytes) -> bytes:
    """The answer to one request of Kafka's protocol, header version 1. Raises OSError, struct.error."""
    client = b"weir"
    body = struct.pack(">hhih", key, version, number, len(client)) + client + request
    connection.sendall(struct.pack(">i", len(body)) + body)
    (size,) = struct.unpack(">i", answer.read(4))
    return answer.read(min(size, 65_536))
