"""When servers of an earlier run are used, and when they are started again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tools.testing import kept_servers


class Servers:
    """In the place of `python -m stack`: what it was asked to do, and the states it reports."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.states = [{"name": "kafka", "state": "ready"}]

    def __call__(self, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
        self.calls.append(words[0])
        answer = {"status": json.dumps(self.states), "env": '{"kafka": "here"}'}.get(words[0], "")
        return subprocess.CompletedProcess(words, 0, answer, "")


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Servers:
    for name in ("stack/a.py", "requirements/base.txt", "requirements/java.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    servers = Servers()
    monkeypatch.setattr(kept_servers, "_stack", servers)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: None)
    monkeypatch.setenv("WEIR_TEST_STACK", "")  # so that it is restored
    return servers


def run(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.delenv("WEIR_TEST_STACK", raising=False)
    lines: list[str] = []
    (root / "home").mkdir(exist_ok=True)
    kept_servers.use(root, lines.append, root / "home")
    return lines


def test_a_second_run_takes_the_servers_of_the_first(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, monkeypatch)
    assert servers.calls == ["up", "env"]
    run(tmp_path, monkeypatch)
    assert servers.calls == ["up", "env", "status"]
    assert json.loads((tmp_path / "home" / "stack.json").read_text()) == {"kafka": "here"}


def test_changed_ended_and_worn_servers_are_started_again(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, monkeypatch)
    (tmp_path / "stack" / "a.py").write_text("changed")
    assert "what starts them has changed" in run(tmp_path, monkeypatch)[0]
    servers.states = [{"name": "kafka", "state": "dead"}]
    assert "kafka ended" in run(tmp_path, monkeypatch)[0]
    servers.states = [{"name": "kafka", "state": "ready"}]
    for _ in range(kept_servers.RUNS - 1):
        run(tmp_path, monkeypatch)
    assert "20 runs have used them" in run(tmp_path, monkeypatch)[0]
    assert servers.calls.count("down") == 3
