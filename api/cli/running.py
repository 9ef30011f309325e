"""A running instance: the local servers of `stack`, with Weir's API and worker as its last processes."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import httpx
from pydantic import ValidationError
from rich.console import Console

from api import VERSION
from api.cli.pages import PagesBuild
from api.config.address import Address
from api.config.home import PROGRAM, Home
from api.config.settings import load
from api.config.tls_client import ClientTls
from api.config.worker_marker import worker_lives
from api.terminal.output import errors
from catalog.errors import SettingsError
from catalog.record_keys import KEYS
from stack import SERVERS, Instance, ProcessSpec, StackSettings
from stack.instances.status import StatusRow

_EXTERNAL = {
    "kafka": "WEIR_KAFKA__BOOTSTRAP_SERVERS",
    "registry": "WEIR_SCHEMA_REGISTRY__URL",
    "neo4j": "WEIR_NEO4J__URI",
    "elasticsearch": "WEIR_ELASTICSEARCH__URL",
    "spark": "WEIR_SPARK__REMOTE",
    "query": "WEIR_QUERY__REMOTE",
}
"""A server whose address is set is yours: it is used and not started. A Spark of yours serves queries too, unless there is
another for them."""


class TerminalProgress:
    """Reports a start on stderr: one line an event, a moving counter for downloads on a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("") if console.is_terminal else None
        self._last = 0.0

    def downloading(self, done: int, total: int, megabytes: float) -> None:
        text = f"fetching servers: {done} of {total} parts, {megabytes:.0f} MB"
        if self._status is not None:
            self._status.update(text)
            self._status.start()
            if done == total:
                self._status.stop()
        elif done == total or time.monotonic() - self._last > 5:
            self._last = time.monotonic()
            self._console.print(text)

    def starting(self, name: str) -> None:
        self._console.print(f"  [dim]starting {name} ...[/]")

    def ready(self, name: str, seconds: float, address: str) -> None:
        how = f"in {seconds:.1f} s" if seconds else "already running"
        self._console.print(f"[green]✓[/] {name} {how}  [dim]{address.split(';')[0]}[/]")

    def stopping(self, name: str) -> None:
        self._console.print(f"  [dim]stopping {name} ...[/]")

    def note(self, text: str) -> None:
        self._console.print(f"[yellow]![/] {text}")


class Running:
    """One instance, as the command line drives it."""

    def __init__(self, home: Home) -> None:
        os.umask(0o077)  # what this process and those it starts write in the folder is for their user alone
        self.home = home
        self.settings = load(home)
        self._stack = Instance(home.root, stack_settings())
        self._external = {name for name, variable in _EXTERNAL.items() if os.environ.get(variable)}
        if "spark" in self._external:
            self._external.add("query")

    @property
    def url(self) -> str:
        """Weir's own address."""
        return Address(self.settings.api.host, self._port(), self.settings.api.tls_certificate).url

    def up(self, detach: bool, also: Sequence[str] = ()) -> None:
        """Start what does not run; `also`: optional servers. Raises StackError, SettingsError."""
        progress = TerminalProgress(errors.rich)
        pages = PagesBuild(progress.note)

        def processes() -> list[ProcessSpec]:
            pages.begin()
            return self._processes()

        with _terminated_as_interrupt():
            # Ports are chosen and pages built by the one that starts; a second start at once ends before it touches them.
            self._stack.up(detach, processes, self._external, (*SERVERS, *also), progress)
            pages.wait()

    @property
    def open_servers(self) -> list[str]:
        """The local servers that take any program of this machine, by the names people know."""
        names = {"kafka": "Kafka", "registry": "the registry", "elasticsearch": "Elasticsearch"}
        return [] if self._stack.secured else [text for name, text in names.items() if name not in self._external]

    def down(self, wipe: bool = False) -> int:
        # The record store stays, so what it is sealed and masked with stays, too.
        return self._stack.down(wipe, progress=TerminalProgress(errors.rich), keep=KEYS)

    def status(self) -> list[StatusRow]:
        return self._stack.status()

    def serving(self, rows: list[StatusRow]) -> str | None:
        """Where the running API answers, by the record of its start; None while it does not."""
        return next((row["url"] for row in rows if row["name"] == "weir" and row["state"] == "ready"), None)

    def stay(self) -> None:
        """Hold the foreground until Ctrl-C, TERM, or `weir down` elsewhere; then stop everything."""

        def died(name: str, tail: tuple[str, ...]) -> None:
            again = (
                "It is started again" if name in ("spark", "query") else "`weir up` in another terminal starts it again"
            )
            errors.print(f"[red]✗[/] {name} ended by itself. {again}. Its log ends:")
            for line in tail:
                errors.print(f"  [dim]| {line}[/]", markup=True)

        try:
            with _terminated_as_interrupt():
                self._stack.wait(died)
        except KeyboardInterrupt:
            errors.print("Stopping ...")
        finally:
            self.down()

    def demo(self, detach: bool, consumer: bool = False) -> int:
        """Up, then the story; the exit code of the story. A failed story in the foreground stops what it started.

        `consumer`: the story has an ordinary Kafka consumer, too, where the servers are secured.
        """
        from api.demo.run import DemoContext, run
        from stack.installed import artifacts

        if self.settings.api.tls_certificate is not None:
            raise SettingsError(
                "The demo runs without TLS, since jobs of it send lineage from Java; unset WEIR_API__TLS_CERTIFICATE and"
                " the other WEIR_API__TLS_*, or use `weir up`."
            )
        begun = time.monotonic()
        self.up(detach)
        addresses = self._stack.addresses()
        context = DemoContext(
            weir_url=self.url,
            home=self.home,
            addresses=addresses,
            job_environment=self._stack.job_environment(),
            jars=artifacts.jars,
            console=Console(highlight=False),
            begun=begun,
            consumer=addresses.kafka_consumer_login if consumer else None,
        )
        try:
            with _terminated_as_interrupt():
                return run(context)
        except BaseException:
            if not detach:
                self.down()
            raise

    def _worker_works(self) -> bool:
        """The worker writes its pid once it consumes; a file left by a dead one names no living process."""
        return worker_lives(self.home) is True

    def _port(self) -> int:
        return self._stack.port("weir", self.settings.api.port)

    def _processes(self) -> list[ProcessSpec]:
        port = self._port()
        url = self.url
        environment = {"WEIR_HOME": str(self.home.root), "WEIR_API__PORT": str(port), "PYTHONPATH": str(PROGRAM)}
        python = (sys.executable, "-m", "api")

        certificate = self.settings.api.tls_certificate
        # The certificate is for the name that others use, and this asks the process that was started here.
        trust = ClientTls().context(own=certificate) if certificate is not None else True

        def answers(path: str) -> bool:
            try:
                return httpx.get(url + path, timeout=2, verify=trust).status_code == 200
            except httpx.HTTPError:
                return False

        server = ProcessSpec(
            name="weir",
            argv=(*python, "server", "api"),
            env=environment,
            ready=lambda: answers("/healthz"),
            port=port,
            url=url,
            version=VERSION,
        )
        worker = replace(
            server,
            name="weir-worker",
            argv=(*python, "server", "worker"),
            ready=self._worker_works,
            port=0,
            url="",
            needs=("weir",),
        )
        return [server, worker]


def stack_settings() -> StackSettings:
    """The `WEIR_STACK__*` variables. Raises SettingsError naming the variable."""
    try:
        return StackSettings.from_environment()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        variable = "WEIR_STACK__" + str(first["loc"][0]).upper()
        raise SettingsError(f"The environment variable {variable} cannot be used: {first['msg']}.") from None


@contextmanager
def _terminated_as_interrupt() -> Iterator[None]:
    """TERM ends a foreground start as Ctrl-C does, so that nothing is left running."""

    def interrupt(signum: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
