"""Spark Connect: one JVM that is driver and executor, open to the loopback address and a token.

Two of them: `spark` for scans and views, and `query` for the queries of people, whose end must not touch the other.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stack.home import write_atomically
from stack.installed import artifacts, versions
from stack.installed.class_archive import ClassArchive
from stack.installed.coursier import pyspark_jars
from stack.processes.ports import LOOPBACK
from stack.processes.process import Identity
from stack.servers.server import COMMON_OPTIONS, COMPILED_LATE, Launch, ServerFacts, Site

LOGGING = """\
rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.target = SYSTEM_ERR
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{ISO8601} %p %c - %m%n%throwable{0}
# Each of these writes the message of a failed query or task, and a failed cast quotes the value.
logger.context.name = SQLQueryContextLogger
logger.context.level = off
logger.executor.name = org.apache.spark.executor.Executor
logger.executor.level = off
logger.tasks.name = org.apache.spark.scheduler
logger.tasks.level = off
logger.connect.name = org.apache.spark.sql.connect
logger.connect.level = off
logger.codegen.name = org.apache.spark.sql.catalyst.expressions.codegen
logger.codegen.level = off
logger.streaming.name = org.apache.spark.sql.execution.streaming
logger.streaming.level = off
logger.python.name = org.apache.spark.api.python
logger.python.level = off
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = error
"""
# Packages that Spark, Arrow and Hadoop reach into; the list of org.apache.spark.launcher.JavaModuleOptions.
OPENS = [
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in (
        "java.lang",
        "java.lang.invoke",
        "java.lang.reflect",
        "java.io",
        "java.net",
        "java.nio",
        "java.util",
        "java.util.concurrent",
        "java.util.concurrent.atomic",
        "jdk.internal.ref",
        "sun.nio.ch",
        "sun.nio.cs",
        "sun.security.action",
        "sun.util.calendar",
        "java.security",
    )
]

# A record may claim any length; Avro's decoder would allocate it before it looks whether the bytes are there.
AVRO_LIMITS = (
    "-Dorg.apache.avro.limits.bytes.maxLength=16777216",
    "-Dorg.apache.avro.limits.string.maxLength=16777216",
    "-Dorg.apache.avro.limits.collectionItems.maxLength=1000000",
)


QUERY_LIMITS = {
    # One task of a query must not keep all others waiting: tasks of several queries share the cores.
    "spark.default.parallelism": "2",
    "spark.sql.leafNodeDefaultParallelism": "2",
    # What Spark may hold of joins, sorts and groups before it spills; the rest of the heap is what it cannot count.
    "spark.memory.fraction": "0.4",
    # A result, as it waits to be sent.
    "spark.driver.maxResultSize": "320m",
    # A plan as text can be as long as its tree; that of a tower of subqueries fills the heap by itself.
    "spark.sql.maxPlanStringLength": "8192",
    # Each query is described for a page that nobody can open: briefly, then.
    "spark.sql.ui.explainMode": "simple",
    # A session has one query, so no plan comes again; to look for it, the records in it would be hashed.
    "spark.connect.session.planCache.maxSize": "0",
    "spark.sql.debug.maxToStringFields": "25",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "-1",
    # A task that asks for more memory than there is fails alone, and its query with it: the engine goes on.
    "spark.executor.killOnFatalError.depth": "0",
}
"""Spark's own limits of the engine for queries."""


@dataclass(frozen=True)
class Spark:
    """One Spark Connect server. Its heap and slots are the settings `NAME_memory` and `NAME_cores`.

    options     further words for Java
    properties  Spark's settings, over those that both servers have
    lists_classes   whether it writes down the classes it loads where there is no archive of them yet
    """

    facts: ServerFacts
    options: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    lists_classes: bool = False

    def token(self, site: Site) -> str:
        return site.home.secret("spark.token")

    def prepare(self, site: Site) -> Launch:
        name = self.facts.name
        config = site.home.config(name)
        data = site.home.data(name)
        for folder in (data / "warehouse", data / "local", data / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        properties = config / "spark.properties"
        write_atomically(properties, self._properties(site, data), mode=0o600)
        write_atomically(config / "log4j2.properties", LOGGING)
        archive = self.archive(site)
        listed = self.class_list(site) if self.lists_classes else None
        words = [
            f"-Xmx{getattr(site.settings, f'{name}_memory')}",
            *COMMON_OPTIONS,
            *self.options,
            *archive.options(listed),
            *OPENS,
            "-XX:+IgnoreUnrecognizedVMOptions",
            "-XX:ReservedCodeCacheSize=128m",
            # Gives memory back to the system after a large scan.
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=30",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "-Djdk.reflect.useDirectMethodHandle=false",
            *AVRO_LIMITS,
            f"-Djava.io.tmpdir={data / 'tmp'}",
            f"-Dlog4j2.configurationFile={config / 'log4j2.properties'}",
            "-cp",
            archive.class_path,
            "org.apache.spark.deploy.SparkSubmit",
            "--properties-file",
            str(properties),
            "--class",
            "org.apache.spark.sql.connect.service.SparkConnectServer",
            "spark-internal",
        ]
        # A short environment: `${env:...}` in a statement could otherwise read what the user's shell holds. No SPARK_HOME:
        # Python workers would import PySpark from the archive in there, uncompiled, which takes them half a second more.
        environment = site.environment() | {
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": LOOPBACK,
            "PYTHONHASHSEED": "0",
            # What the scanners' workers compile is kept for the next ones.
            "NUMBA_CACHE_DIR": str(artifacts.cache_folder() / "compiled"),
        }
        return Launch(site.java_file(name, words), environment, data)

    def archive(self, site: Site) -> ClassArchive:
        """The archive of classes, which both servers share where they have the same jars."""
        return ClassArchive(site.java, self._class_path(), artifacts.cache_folder() / "classes")

    def class_list(self, site: Site) -> Path:
        """Where a server that starts without an archive writes which classes it loads."""
        return site.home.config(self.facts.name) / "classes.list"

    def _class_path(self) -> str:
        jars = sorted(pyspark_jars().glob("*.jar"))
        return ":".join(str(jar) for jar in (*jars, *artifacts.jars(*self.facts.components)))

    def _properties(self, site: Site, data: Path) -> str:
        settings = {
            "spark.master": f"local[{getattr(site.settings, f'{self.facts.name}_cores')}]",
            "spark.app.name": f"weir-{self.facts.name}",
            "spark.driver.host": LOOPBACK,
            "spark.driver.bindAddress": LOOPBACK,
            "spark.connect.grpc.binding.address": LOOPBACK,
            "spark.connect.grpc.binding.port": str(site.ports[self.facts.name]),
            "spark.connect.authenticate.token": self.token(site),
            # The driver's own RPC port takes Java objects; without this any local user could talk to it.
            "spark.authenticate": "true",
            "spark.connect.session.manager.defaultSessionTimeout": "15m",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            # There is no page to show the past on, so little of it is kept in memory, and no statements.
            "spark.ui.retainedJobs": "20",
            "spark.ui.retainedStages": "20",
            "spark.ui.retainedTasks": "200",
            "spark.sql.ui.retainedExecutions": "5",
            "spark.sql.streaming.ui.enabled": "false",
            "spark.connect.ui.retainedSessions": "5",
            "spark.connect.ui.retainedStatements": "5",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.ansi.enabled": "true",
            # What Spark writes through Hadoop's file system is for its user alone; the umask of the process is not asked.
            "spark.hadoop.fs.permissions.umask-mode": "077",
            # What a statement must not do. A client that holds the token can switch these back on, so they are
            # the second wall behind the gate, not the first.
            "spark.sql.variable.substitute": "false",
            "spark.sql.runSQLOnFiles": "false",
            "spark.sql.scripting.enabled": "false",
            "spark.sql.warehouse.dir": str(data / "warehouse"),
            "spark.sql.catalogImplementation": "in-memory",
            "spark.local.dir": str(data / "local"),
            "spark.scheduler.mode": "FAIR",
            "spark.python.worker.reuse": "true",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
            "spark.cleaner.periodicGC.interval": "5min",
            # Records that a shuffle or a sort puts on the disk stay there until then, and no mask or deletion reaches them.
            "spark.io.encryption.enabled": "true",
            # Spark keeps what a Kafka read fetched for five minutes, for each query anew: under load that fills the heap.
            "spark.kafka.consumer.fetchedData.cache.timeout": "10s",
            "spark.kafka.consumer.fetchedData.cache.evictorThreadRunInterval": "5s",
            "spark.kafka.consumer.cache.timeout": "30s",
            "spark.kafka.consumer.cache.evictorThreadRunInterval": "10s",
            "spark.kafka.consumer.cache.capacity": "32",
        }
        return "".join(f"{name}={value}\n" for name, value in (settings | dict(self.properties)).items())

    def boot(self, site: Site, identity: Identity, log: Path) -> None:
        """Needs nothing."""

    def ready(self, site: Site) -> bool:
        return speaks_http2(site.ports[self.facts.name])

    def url(self, site: Site) -> str:
        # By name: the client sends a token without TLS to `localhost` only.
        return f"sc://localhost:{site.ports[self.facts.name]}"


FOR_SCANS = Spark(ServerFacts("spark", "Spark Connect", versions.SPARK, ("spark-kafka", "spark-avro")))
FOR_QUERIES = Spark(
    ServerFacts("query", "Spark Connect for queries", versions.SPARK, ("spark-kafka", "spark-avro")),
    # How full its heap is and what it works on can be seen from outside: see `stack/processes/heap.py` and
    # `stack/processes/jvm.py`. One value that is too large must not end it for everybody; an engine that fails to answer
    # afterwards is replaced by its keeper.
    (
        "-XX:+UsePerfData",
        "-XX:+StartAttachListener",
        "-XX:NewRatio=3",
        "-XX:-ExitOnOutOfMemoryError",
        *COMPILED_LATE,
    ),
    QUERY_LIMITS,
    lists_classes=True,
)


def speaks_http2(port: int) -> bool:
    """Whether an HTTP/2 preface is answered by a SETTINGS frame, which is how gRPC opens a connection."""
    try:
        with socket.create_connection((LOOPBACK, port), 1) as connection:
            connection.settimeout(2)
            connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000"))
            header = connection.recv(9)
            return len(header) == 9 and header[3] == 4
    except OSError:
        return False
