"""The demo's jobs, run for real: each a process of its own, the Spark ones with a JVM of their own.

The scripts know nothing of Weir. As on any platform, where lineage goes is set around them: for Spark in a
spark-defaults.conf that only its owner can read (so the token is not among the processes' arguments), for Python in
the environment.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

from api.demo.errors import DemoFailed
from api.demo.generator import DERIVED_TOPICS, KEEP
from api.demo.produce import client

NAMESPACE = "shop"
"""The OpenLineage namespace of the jobs."""

SECONDS = 600.0
"""A job that takes longer than this is ended; they take about 15 each on two cores that do nothing else."""

_HERE = Path(__file__).resolve().parent

_LOGGING = """rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


@dataclass(frozen=True, slots=True)
class JobDone:
    """A job that ended well, after `seconds`."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class _Job:
    name: str
    spark: bool
    arguments: tuple[str, ...] = ()


def run_jobs(
    bootstrap: str,
    weir_url: str,
    token: str,
    jars: Sequence[Path],
    environment: Mapping[str, str],
    folder: Path,
    logs: Path,
    python: str,
    prefix: str = "",
    on_done: Callable[[JobDone], None] = lambda _: None,
    stopped: threading.Event | None = None,
    login: tuple[str, str] | None = None,
) -> list[JobDone]:
    """Run the three jobs side by side; returns when all have ended.

    `jars`: Spark's Kafka connector and the OpenLineage agent. `environment`: JAVA_HOME and PYSPARK_PYTHON for PySpark.
    `login`: user and password for Kafka, where it asks for them; the jobs find what they need of it as JSON in
    SHOP_KAFKA. `folder` keeps the stream's checkpoint. Each job's output goes to `logs`/demo-NAME.log. Setting `stopped` ends them.
    Raises DemoFailed, naming the job and its log, when one fails; the others are then ended too.
    """
    checkpoint = folder / "clean_clicks.checkpoint"
    jobs = (
        _Job("daily_revenue", True),
        _Job("clean_clicks", True, ("--checkpoint", str(checkpoint))),
        _Job("newsletter_export", False),
    )
    for path in (folder, logs):
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    _make_outputs(bootstrap, prefix, login)
    settings = Path(tempfile.mkdtemp(prefix="spark-", dir=folder))
    try:
        defaults = _spark_defaults(weir_url, token, jars, settings)
        _private(settings / "spark-defaults.conf", "".join(f"{name} {value}\n" for name, value in defaults.items()))
        _private(settings / "log4j2.properties", _LOGGING)
        plain, spark = _environments(weir_url, token, environment, settings, login)
        begun = time.monotonic()
        running: dict[str, subprocess.Popen[bytes]] = {}
        try:
            for job in jobs:
                command = [python, str(_HERE / f"{job.name}.py"), "--bootstrap-servers", bootstrap, "--prefix", prefix]
                log = logs / f"demo-{job.name}.log"
                running[job.name] = _start([*command, *job.arguments], spark if job.spark else plain, log)
            return _await(running, begun, logs, on_done, stopped or threading.Event())
        finally:
            for process in running.values():
                _end(process)
    finally:
        shutil.rmtree(settings, ignore_errors=True)


def _environments(
    weir_url: str, token: str, environment: Mapping[str, str], settings: Path, login: tuple[str, str] | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Of Python jobs, and of Spark jobs."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("WEIR_", "SPARK_", "OPENLINEAGE"))}
    plain = inherited | {"OPENLINEAGE_URL": weir_url, "OPENLINEAGE_API_KEY": token}
    plain["SHOP_KAFKA"] = json.dumps(client(login))
    spark = inherited | dict(environment) | {"SPARK_CONF_DIR": str(settings), "SPARK_LOCAL_IP": "127.0.0.1"}
    spark["SHOP_KAFKA"] = json.dumps(_spark_client(login))
    return plain, spark


def _start(command: Sequence[str], environment: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """A process in a session of its own, whose output goes to `log`."""
    with open(log, "wb", opener=_owners) as output:
        return subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,
        )


def _owners(path: str, flags: int) -> int:
    """Opens a file that nobody but its owner reads."""
    return os.open(path, flags, 0o600)


def _await(
    running: Mapping[str, subprocess.Popen[bytes]],
    begun: float,
    logs: Path,
    on_done: Callable[[JobDone], None],
    stopped: threading.Event,
) -> list[JobDone]:
    done: list[JobDone] = []
    left = dict(running)
    while left:
        for name, process in list(left.items()):
            code = process.poll()
            if code is None:
                continue
            del left[name]
            if code != 0:
                raise DemoFailed(f"The job {name} ended with exit code {code}; its log is {logs / f'demo-{name}.log'}.")
            done.append(JobDone(name, time.monotonic() - begun))
            on_done(done[-1])
        if left and time.monotonic() - begun > SECONDS:
            name = next(iter(left))
            raise DemoFailed(
                f"The job {name} did not end within {SECONDS:.0f} s; its log is {logs / f'demo-{name}.log'}."
            )
        if left and stopped.wait(0.1):
            break
    return done


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a job: its Python and the JVM it started share one process group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _spark_client(login: tuple[str, str] | None) -> dict[str, str]:
    """Options of Spark's Kafka source and sink for a user and password; none without."""
    if login is None:
        return {}
    user, password = login
    return {
        "kafka.security.protocol": "SASL_PLAINTEXT",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required"
        f' username="{user}" password="{password}";',
    }


def _make_outputs(bootstrap: str, prefix: str, login: tuple[str, str] | None) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0, **client(login)})
    try:
        there = set(admin.list_topics(timeout=20).topics)
        topics = [
            NewTopic(prefix + name, num_partitions=1, replication_factor=1, config=dict(KEEP))
            for name in DERIVED_TOPICS
            if prefix + name not in there
        ]
        for future in admin.create_topics(topics, operation_timeout=20).values() if topics else ():
            future.result(20)
    except KafkaException as error:
        raise DemoFailed(
            f"The Kafka broker at {bootstrap} did not make the jobs' topics: {error.args[0].str()}."
        ) from error


def _spark_defaults(weir_url: str, token: str, jars: Sequence[Path], folder: Path) -> dict[str, str]:
    return {
        "spark.master": "local[1]",
        "spark.driver.memory": "512m",
        "spark.driver.extraClassPath": os.pathsep.join(map(str, jars)),
        # A short job gains more from a quick start than from the second compiler.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.hadoop.fs.permissions.umask-mode": "077",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "UTC",
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.namespace": NAMESPACE,
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": weir_url,
        "spark.openlineage.transport.endpoint": "/api/v1/lineage",
        "spark.openlineage.transport.auth.type": "api_key",
        "spark.openlineage.transport.auth.apiKey": token,
        "spark.openlineage.job.owners.team": "team-orders",
    }


def _private(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
