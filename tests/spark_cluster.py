"""A standalone Spark cluster whose executors have a clean Python: a master, workers of one core, and a Spark Connect server.

Executors run the operating system's or a bare Python without packages, in folders, a home and an environment of their own. Spark
itself is in a folder with hard links to the jars, so nothing on their paths is of Weir's environment.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from stack.installed import artifacts, java
from stack.installed.coursier import pyspark_jars
from stack.processes.ports import free_port, is_open
from stack.progress import Silent
from stack.servers.spark import AVRO_LIMITS, LOGGING, OPENS, speaks_http2
from tests.waiting import until

HOST = "127.0.0.1"


@dataclass
class SparkCluster:
    """`properties`: Spark's settings of the Connect server, over those that a cluster needs."""

    folder: Path
    workers: int = 2
    properties: Mapping[str, str] = field(default_factory=dict)
    connect_python: str = ""

    def __post_init__(self) -> None:
        self._java = Path(java.spark_java_home(java.find("", self.folder / "java.log", Silent()), self.folder / "java"))
        self._secret, self._token = secrets.token_hex(16), secrets.token_hex(16)
        ports: set[int] = set()
        for _ in range(2):
            ports.add(free_port(ports))
        self._master_port, self._connect_port = sorted(ports)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._home = _spark_home(self.folder / "spark")
        python = self.folder / "clean"
        venv.create(python, with_pip=False, symlinks=True)
        self._path = f"{python / 'bin'}:/usr/bin:/bin"

    @property
    def remote(self) -> str:
        """Spark Connect URL."""
        return f"sc://localhost:{self._connect_port}/;token={self._token}"

    @property
    def log(self) -> Path:
        """Where the Connect server writes what it logs."""
        return self.folder / "connect.log"

    def start(self) -> None:
        self._start("master", "org.apache.spark.deploy.master.Master", "--host", HOST, "--port", str(self._master_port),
                    "--webui-port", "0")  # fmt: skip
        until(lambda: is_open(self._master_port), "a master", 60, every=0.1)
        for number in range(self.workers):
            self.start_worker(number)
        self.start_connect()

    def start_worker(self, number: int) -> None:
        work = self.folder / f"work{number}"
        self._start(f"worker{number}", "org.apache.spark.deploy.worker.Worker", "--host", HOST, "--cores", "1", "--memory",
                    "1g", "--work-dir", str(work), "--webui-port", "0", f"spark://{HOST}:{self._master_port}")  # fmt: skip

    def start_connect(self) -> None:
        properties = self.folder / "connect.properties"
        settings = self._connect_settings() | dict(self.properties)
        properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        more = {"PYSPARK_PYTHON": self.connect_python} if self.connect_python else {}
        self._start("connect", "org.apache.spark.deploy.SparkSubmit", "--properties-file", str(properties), "--class",
                    "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal", memory="1g", **more)  # fmt: skip
        until(lambda: speaks_http2(self._connect_port), "a Spark Connect server", 120, every=0.2)

    def executors(self, number: int | None = None) -> list[psutil.Process]:
        """The executors' processes, of one worker or of all."""
        names = [f"worker{number}"] if number is not None else [f"worker{each}" for each in range(self.workers)]
        executors: list[psutil.Process] = []
        for name in names:
            with contextlib.suppress(psutil.NoSuchProcess):
                for child in psutil.Process(self._processes[name].pid).children():
                    executors += [child] if "CoarseGrainedExecutorBackend" in " ".join(child.cmdline()) else []
        return executors

    def processes(self) -> list[psutil.Process]:
        """Those that were started here and live; their children are not among them."""
        return [psutil.Process(each.pid) for each in self._processes.values() if each.poll() is None]

    def kill_worker(self, number: int) -> None:
        """SIGKILL for a worker and its executors, as when its machine fails."""
        executors = self.executors(number)
        self._kill(f"worker{number}")
        for each in executors:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()

    def kill_master(self) -> None:
        self._kill("master")

    def kill_connect(self) -> None:
        self._kill("connect")

    def stop(self) -> None:
        for name in reversed(list(self._processes)):
            process = psutil.Process(self._processes[name].pid) if self._processes[name].poll() is None else None
            children = process.children(recursive=True) if process is not None else []
            self._kill(name)
            for child in children:
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()

    def _kill(self, name: str) -> None:
        process = self._processes.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait(30)

    def _start(self, name: str, main: str, *words: str, memory: str = "256m", **environment: str) -> None:
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        conf = self.folder / "log4j2.properties"
        conf.write_text(LOGGING)
        options = [f"-Xmx{memory}", *OPENS, "-XX:+IgnoreUnrecognizedVMOptions", "-Dspark.authenticate=true",
                   f"-Dspark.authenticate.secret={self._secret}", f"-Dlog4j2.configurationFile={conf}",
                   "-Djdk.reflect.useDirectMethodHandle=false"]  # fmt: skip
        if name == "connect":
            options += AVRO_LIMITS
        with (self.folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [str(self._java / "bin" / "java"), *options, "-cp", f"{self._home / 'jars'}/*", main, *words],
                env={"PATH": self._path, "HOME": str(home), "JAVA_HOME": str(self._java), "SPARK_HOME": str(self._home),
                     "SPARK_LOCAL_IP": HOST, "SPARK_SCALA_VERSION": "2.13", "LANG": "C.UTF-8", **environment},
                cwd=home, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip

    def _connect_settings(self) -> dict[str, str]:
        limits = " ".join((*AVRO_LIMITS, *OPENS))
        return {
            "spark.master": f"spark://{HOST}:{self._master_port}",
            "spark.jars": ",".join(map(str, artifacts.jars("spark-kafka", "spark-avro"))),
            "spark.driver.host": HOST,
            "spark.driver.bindAddress": HOST,
            "spark.connect.grpc.binding.address": HOST,
            "spark.connect.grpc.binding.port": str(self._connect_port),
            "spark.connect.authenticate.token": self._token,
            "spark.authenticate": "true",
            "spark.authenticate.secret": self._secret,
            "spark.executor.cores": "1",
            "spark.executor.memory": "640m",
            "spark.executor.extraJavaOptions": limits,
            "spark.scheduler.mode": "FAIR",
            "spark.io.encryption.enabled": "true",
            "spark.ui.enabled": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.local.dir": str(self.folder / "local"),
        }


@contextmanager
def spark_cluster(folder: Path, **given: object) -> Iterator[SparkCluster]:
    """Started, and ended with all that it started."""
    cluster = SparkCluster(folder, **given)  # type: ignore[arg-type]
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def _spark_home(folder: Path) -> Path:
    """Spark as it is installed on a node: its jars, and PySpark for its workers."""
    jars = pyspark_jars()
    (folder / "jars").mkdir(parents=True)
    (folder / "python" / "lib").mkdir(parents=True)
    for jar in jars.glob("*.jar"):
        _same(jar, folder / "jars" / jar.name)
    for packed in (jars.parent / "python" / "lib").glob("*.zip"):
        _same(packed, folder / "python" / "lib" / packed.name)
    return folder


def _same(source: Path, target: Path) -> None:
    try:
        os.link(source.resolve(), target)
    except OSError:  # on another disk
        shutil.copyfile(source, target)


if __name__ == "__main__":  # by hand: python -m tests.spark_cluster FOLDER [NAME=VALUE...]
    import threading

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    given = dict(word.split("=", 1) for word in sys.argv[2:])
    connect_python = given.pop("PYSPARK_PYTHON", "")
    with spark_cluster(Path(sys.argv[1]).absolute(), properties=given, connect_python=connect_python) as running:
        print(running.remote, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
