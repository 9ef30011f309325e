"""Choosing ports: the wish where it can be had, the earlier choice before all, never one port twice."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_socket import enable_socket

from stack.processes import ports
from stack.processes.ports import LOOPBACK, PortBook


@pytest.fixture(autouse=True)
def loopback_allowed(no_network: None) -> None:
    """Ports are what is tested here; nothing leaves the machine."""
    enable_socket()


@pytest.fixture
def taken() -> Iterator[int]:
    """A port somebody listens on."""
    with socket.socket() as server:
        server.bind((LOOPBACK, 0))
        server.listen()
        yield server.getsockname()[1]


def test_a_port_with_a_listener_is_not_free(taken: int) -> None:
    assert not ports.is_free(taken)
    assert ports.is_open(taken)


def test_a_port_that_only_ipv6_uses_is_not_free() -> None:
    with socket.socket(socket.AF_INET6) as server:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            server.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6 loopback")
        server.listen()
        assert not ports.is_free(server.getsockname()[1])


def test_a_port_is_free_again_after_its_listener_closed(taken: int) -> None:
    client = socket.create_connection((LOOPBACK, taken))
    client.close()
    with socket.socket() as server:
        server.bind((LOOPBACK, 0))
        port = server.getsockname()[1]
    assert ports.is_free(port)
    assert not ports.is_open(port)


def test_a_wanted_port_is_taken_when_free(tmp_path: Path) -> None:
    wanted = ports.free_port(set())
    assert PortBook(tmp_path / "ports.json").choose("kafka", wanted) == (wanted, False)


def test_a_taken_port_is_replaced_and_the_choice_is_said(tmp_path: Path, taken: int) -> None:
    port, replaced = PortBook(tmp_path / "ports.json").choose("kafka", taken)
    assert replaced
    assert port != taken
    assert ports.is_free(port)


def test_the_choice_survives_a_restart(tmp_path: Path, taken: int) -> None:
    path = tmp_path / "ports.json"
    book = PortBook(path)
    chosen, _ = book.choose("kafka", taken)
    book.save()
    again = PortBook.load(path)
    assert again.chosen("kafka") == chosen
    assert again.choose("kafka", taken) == (chosen, False)


def test_our_own_listener_keeps_its_port(tmp_path: Path, taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    book = PortBook(tmp_path / "ports.json", {"kafka": (taken, taken)})
    assert book.choose("kafka", taken, listening=True) == (taken, False)
    monkeypatch.setattr(ports, "PATIENCE", 0.2)
    assert book.choose("kafka", taken, listening=False)[0] != taken


def test_another_wish_does_not_move_a_server_that_runs(tmp_path: Path, taken: int) -> None:
    book = PortBook(tmp_path / "ports.json", {"kafka": (9092, taken)})
    assert book.choose("kafka", 19092, listening=True) == (taken, False)
    assert book.entries == {"kafka": (9092, taken)}


def test_a_port_that_was_ours_is_waited_for(tmp_path: Path) -> None:
    with socket.socket() as leaving:
        leaving.bind((LOOPBACK, 0))
        leaving.listen()
        port = leaving.getsockname()[1]
        threading.Timer(0.3, leaving.close).start()
        assert PortBook(tmp_path / "ports.json", {"kafka": (0, port)}).choose("kafka", 0) == (port, False)


def test_free_ports_are_not_those_of_outgoing_connections() -> None:
    """Clients on this machine must not be given a server's port while it restarts."""
    low = 32768
    path = Path("/proc/sys/net/ipv4/ip_local_port_range")
    if path.exists():
        low = int(path.read_text().split()[0])
    if low < ports.RANGE.stop:
        pytest.skip(f"this machine hands out ports from {low}")
    assert all(ports.free_port(set()) < low for _ in range(20))


def test_a_changed_wish_counts_more_than_the_earlier_choice(tmp_path: Path) -> None:
    earlier, wish = ports.free_port(set()), ports.free_port(set())
    book = PortBook(tmp_path / "ports.json", {"kafka": (0, earlier)})
    assert book.choose("kafka", wish) == (wish, False)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kafka": 5}', '{"kafka": ["a", "b"]}', "\x00"])
def test_a_broken_book_is_an_empty_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ports.json"
    path.write_text(text)
    assert PortBook.load(path).entries == {}


@given(wishes=st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from([0, 61001, 61002])), max_size=12))
def test_no_two_names_ever_share_a_port(wishes: list[tuple[str, int]]) -> None:
    book = PortBook(Path("unused"))
    for name, wanted in wishes:
        book.choose(name, wanted)
    chosen = [port for _, port in book.entries.values()]
    assert len(set(chosen)) == len(chosen)
