"""The record of what runs."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from stack.instances.state import Entry, State
from stack.processes.process import Identity


def entry(name: str, pid: int = 4) -> Entry:
    return Entry(name, pid, 12.5, 9092, "127.0.0.1:9092", "4.1.0", "/tmp/x.log")


def test_what_is_recorded_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "stack.json"
    state = State(path, "foreground", Identity(7, 1.25))
    state.record(entry("kafka"))
    state.record(entry("neo4j", 5))
    again = State.load(path)
    assert (again.mode, again.supervisor, again.stopping) == ("foreground", Identity(7, 1.25), False)
    assert list(again.servers) == ["kafka", "neo4j"]
    assert again.servers["neo4j"].identity == Identity(5, 12.5)


def test_a_server_that_is_started_again_counts_as_the_newest(tmp_path: Path) -> None:
    state = State(tmp_path / "stack.json")
    for name, pid in (("kafka", 1), ("neo4j", 2), ("kafka", 3)):
        state.record(entry(name, pid))
    assert [(each.name, each.pid) for each in State.load(state.path).servers.values()] == [("neo4j", 2), ("kafka", 3)]


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    state = State(tmp_path / "stack.json")
    state.save()
    assert stat.S_IMODE(state.path.stat().st_mode) == 0o600


def test_forgetting_and_removing(tmp_path: Path) -> None:
    state = State(tmp_path / "stack.json")
    state.record(entry("kafka"))
    state.forget("kafka")
    state.forget("never there")
    assert State.load(state.path).servers == {}
    state.remove()
    assert not state.path.exists()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"mode": "detached"}', '{"supervisor": {"pid": 1}}', "null"])
def test_an_unreadable_record_is_an_empty_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "stack.json"
    path.write_text(text)
    assert State.load(path).servers == {}


def test_a_failed_write_leaves_the_old_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = State(tmp_path / "stack.json")
    state.record(entry("kafka"))

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        state.record(entry("neo4j"))
    assert list(State.load(state.path).servers) == ["kafka"]
    assert [path.name for path in tmp_path.iterdir()] == ["stack.json"]
