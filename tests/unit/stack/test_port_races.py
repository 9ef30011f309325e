"""Two starts at once: no port is chosen twice, and a server that lost its port is started again on another."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pytest_socket import enable_socket

import stack.servers.gateway  # noqa: F401 - what it says to py4j's logger is tested
from stack.errors import StackError
from stack.home import Home
from stack.installed.java import Java
from stack.instances.starting import ATTEMPTS, Starter
from stack.instances.state import State
from stack.processes.ports import LOOPBACK, PortBook, free_port, is_open
from stack.processes.process import Identity, stop
from stack.processes.reservations import Reservations
from stack.servers.server import Launch, ServerFacts, Site
from stack.settings import StackSettings

LISTEN = "import socket, time; s = socket.socket(); s.bind(('127.0.0.1', {port})); s.listen(); time.sleep(60)"


@pytest.fixture(autouse=True)
def loopback_allowed(no_network: None) -> None:
    """Ports are what is tested here; nothing leaves the machine."""
    enable_socket()


class Notes:
    """A progress that keeps its notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def downloading(self, done: int, total: int, megabytes: float) -> None: ...

    def starting(self, name: str) -> None: ...

    def ready(self, name: str, seconds: float, address: str) -> None: ...

    def stopping(self, name: str) -> None: ...

    def note(self, text: str) -> None:
        self.notes.append(text)


class Listener:
    """A server that listens on its port, and ends where it cannot."""

    facts = ServerFacts("listener", "The listener", "1", ())

    def prepare(self, site: Site) -> Launch:
        code = LISTEN.format(port=site.ports["listener"])
        return Launch([sys.executable, "-c", code], {}, site.home.root)

    def boot(self, site: Site, identity: Identity, log: Path) -> None: ...

    def ready(self, site: Site) -> bool:
        return is_open(site.ports["listener"])

    def url(self, site: Site) -> str:
        return f"tcp://{LOOPBACK}:{site.ports['listener']}"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program listens on."""
    with socket.socket() as server:
        server.bind((LOOPBACK, 0))
        server.listen()
        yield server.getsockname()[1]


def test_two_starts_at_once_choose_different_ports(tmp_path: Path) -> None:
    ours, theirs = (Reservations(name, tmp_path / "locks") for name in ("ours", "theirs"))
    wanted = free_port(set())
    first = PortBook(tmp_path / "a.json", reserve=ours.take)
    second = PortBook(tmp_path / "b.json", reserve=theirs.take)
    assert first.choose("kafka", wanted) == (wanted, False)
    port, replaced = second.choose("kafka", wanted)
    assert port != wanted
    assert replaced


def test_a_remembered_port_that_another_start_has_chosen_is_replaced(tmp_path: Path) -> None:
    ours, theirs = (Reservations(name, tmp_path / "locks") for name in ("ours", "theirs"))
    port = free_port(set())
    assert theirs.take(port)
    book = PortBook(tmp_path / "a.json", {"kafka": (0, port)}, ours.take)
    assert book.choose("kafka", 0)[0] != port


def test_the_processes_of_one_instance_choose_alike(tmp_path: Path) -> None:
    starting, asking = (Reservations("one", tmp_path / "locks") for _ in range(2))
    port = free_port(set())
    assert starting.take(port)
    assert asking.take(port)
    starting.release()
    assert Reservations("two", tmp_path / "locks").take(port)


def test_a_folder_that_cannot_be_made_stops_no_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert Reservations("one", tmp_path / "file" / "locks").take(free_port(set()))


def _starter(tmp_path: Path, notes: Notes, moves: Sequence[int]) -> Starter:
    home = Home(tmp_path)
    home.create()
    left = list(moves)
    return Starter(
        home,
        StackSettings(start_timeout=20),
        State.load(home.state_file),
        notes,
        "races",
        lambda names: {name: left.pop(0) for name in names},
    )


def test_a_server_that_lost_its_port_is_started_again_on_another(tmp_path: Path, taken: int) -> None:
    notes, other = Notes(), free_port(set())
    starter = _starter(tmp_path, notes, [other])
    site = Site(starter.home, Java(Path(), 0), starter.settings, {"listener": taken})
    try:
        starter.servers({"listener": Listener()}, site)
        assert is_open(other)
        assert starter.state.servers["listener"].port == other
        assert notes.notes == [f"another program took the port of listener; it is started again on {other}"]
    finally:
        stop([entry.identity for entry in starter.state.servers.values()], 5)


def test_a_server_that_loses_every_port_fails_with_its_log(tmp_path: Path, taken: int) -> None:
    starter = _starter(tmp_path, Notes(), [taken] * ATTEMPTS)
    site = Site(starter.home, Java(Path(), 0), starter.settings, {"listener": taken})
    with pytest.raises(StackError, match="The listener ended with code 1 while it was starting") as failure:
        starter.servers({"listener": Listener()}, site)
    assert any("Address already in use" in line for line in failure.value.tail)


def test_py4j_writes_no_stack_trace_to_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    try:
        raise ConnectionRefusedError("refused")
    except ConnectionRefusedError:
        logging.getLogger("py4j.java_gateway").exception("An error occurred while trying to connect to the Java server")
    assert capfd.readouterr() == ("", "")
