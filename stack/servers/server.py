"""What every local server has in common."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from stack.home import Home, write_atomically
from stack.installed import artifacts
from stack.installed.java import Java
from stack.processes.process import Identity
from stack.settings import StackSettings

USER = "weir"
"""The one user of a secured server."""
CONSUMER = "orders-app"
"""An ordinary user of a secured Kafka, whom only ACLs let in."""


@dataclass(frozen=True)
class Site:
    """Where a server is set up: the instance's folder, the Java, the settings and the ports chosen for it."""

    home: Home
    java: Java
    settings: StackSettings
    ports: dict[str, int]
    secured: bool = False

    def login(self, name: str) -> tuple[str, str] | None:
        """User and password of a server of a secured instance; None where anybody is taken."""
        return (USER, self.home.secret(f"{name}.password")) if self.secured else None

    def consumer_login(self) -> tuple[str, str] | None:
        """User and password of the ordinary user of a secured Kafka; None where anybody is taken."""
        return (CONSUMER, self.home.secret("kafka-consumer.password")) if self.secured else None

    def environment(self) -> dict[str, str]:
        """The few variables a server needs. Not the caller's, which may hold passwords."""
        kept = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR")
        own = {name: os.environ[name] for name in kept if name in os.environ}
        # Of glibc's memory pools a JVM with hundreds of threads would otherwise get 8 a core, and fill them.
        return own | {"JAVA_HOME": str(self.java.home), "MALLOC_ARENA_MAX": "2"}

    def java_command(
        self, name: str, heap: str, components: tuple[str, ...], options: list[str], main: list[str]
    ) -> list[str]:
        """`java` with everything in an argument file: class paths of 200 jars and secrets stay out of `ps`."""
        words = [f"-Xmx{heap}", *COMMON_OPTIONS, *options, "-cp", artifacts.class_path(*components), *main]
        return self.java_file(name, words)

    def java_file(self, name: str, words: list[str]) -> list[str]:
        """Write the argument file, with the options of the settings, and return the command that uses it."""
        end = next(index for index, word in enumerate(words) if word in ("-cp", "-jar"))
        words = [*words[:end], *shlex.split(self.settings.java_options), *words[end:]]
        quoted = ['"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words]
        path = self.home.config(name) / "java.args"
        write_atomically(path, "\n".join(quoted) + "\n")
        return [self.java.program, f"@{path}"]


COMPILED_LATE = (
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
"""For a server that computes from its first minute: Java's thorough compiler begins at ten times its usual thresholds. It
took a fifth of the query engine's processor time in the first minutes, and half of Neo4j's; what runs for long reaches
these thresholds, too (docs/decisions/0062)."""

COMMON_OPTIONS = [
    # On few cores the serial collector takes the least memory, and its pauses on small heaps are short.
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-XX:-UsePerfData",
    "-Dfile.encoding=UTF-8",
    "-Djava.awt.headless=true",
    "-Djava.net.preferIPv4Stack=true",
    # A server that is out of memory ends and is started again; limping on helps nobody.
    "-XX:+ExitOnOutOfMemoryError",
]


@dataclass(frozen=True)
class Launch:
    """How to start a server."""

    argv: list[str]
    environment: dict[str, str]
    folder: Path


@dataclass(frozen=True)
class ServerFacts:
    """The fixed facts of a server. `extra_ports` are ports it needs beside the public one."""

    name: str
    title: str
    version: str
    components: tuple[str, ...]
    extra_ports: tuple[str, ...] = field(default=())


class Server(Protocol):
    """One kind of server."""

    @property
    def facts(self) -> ServerFacts: ...

    def prepare(self, site: Site) -> Launch:
        """Write configuration, format storage. May take seconds. Raises OSError, StackError."""

    def boot(self, site: Site, identity: Identity, log: Path) -> None:
        """What the started process must be sent before it can become ready. Raises StackError."""

    def ready(self, site: Site) -> bool:
        """Whether it answers now; quick, never raises."""

    def url(self, site: Site) -> str:
        """Its public address."""
