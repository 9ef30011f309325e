"""`weir connector` and what `weir apply` and `weir diff` show of connectors, over the real application."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api import cli
from api.joins.connectors.sync import ConnectorSync
from tests.answer_check import CheckedClient
from tests.connector_world import CLUSTER, World, connector
from tests.twins.connectors import SINK

Weir = Callable[..., tuple[int, str]]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[World]:
    home = tmp_path / "home"
    home.mkdir()
    world = World(home)
    world.apply(CLUSTER)
    yield world
    world.services.close()


@pytest.fixture
def weir(served: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Weir:
    app = served.admin.app

    def client(*, headers: dict[str, str], **_: object) -> CheckedClient:
        return CheckedClient(app, raise_server_exceptions=False, headers=headers)

    monkeypatch.setattr("api.terminal.http.Client", client)
    monkeypatch.setenv("WEIR_HOME", str(tmp_path / "home"))
    for name in ("WEIR_URL", "WEIR_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["weir", *arguments])
        capsys.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        shown = capsys.readouterr()
        return code, shown.out + shown.err

    return run


def test_a_connector_from_its_file_to_its_end(weir: Weir, served: World, tmp_path: Path) -> None:
    file = tmp_path / "lines.yaml"
    file.write_text(connector())
    assert "There is no connector yet" in weir("connector", "list")[1]
    code, text = weir("connector", "plugins", "prod")
    assert code == 0 and SINK in text
    assert weir("diff", "-f", str(file))[0] == 1
    assert weir("apply", "-f", str(file))[0] == 0 and weir("diff", "-f", str(file))[0] == 0
    code, text = weir("connector", "list", "-o", "csv")
    assert code == 0 and "lines,running,source,prod,1 running" in text
    for action, words, state in (
        ("pause", "lines pauses", "PAUSED"),
        ("resume", "lines continues", "RUNNING"),
        ("stop", "lines stops", "STOPPED"),
        ("restart", "lines starts again", "STOPPED"),
    ):
        code, text = weir("connector", action, "lines")
        assert code == 0 and words in text and served.worker.connectors["lines"].state == state
    served.worker.configure("lines", {**served.worker.connectors["lines"].config, "file": "/by/hand"})
    code, text = weir("connector", "describe", "lines")
    assert code == 0 and "changed: config.file" in text and "/by/hand" in text
    code, text = weir("diff", "-f", str(file))
    assert code == 1 and "-    file: /by/hand" in text and "+    file: /data/in.txt" in text
    served.worker.away = True
    code, text = weir("apply", "-f", str(file))
    assert code != 0 and "Kafka Connect at https://connect:8083 does not answer" in text and "Traceback" not in text
    assert "unknown" in weir("connector", "list")[1]
    code, text = weir("delete", "Connector", "lines")
    assert code == 0 and "does not answer" in text
    served.worker.away = False
    served.services[ConnectorSync].step()
    assert served.worker.connectors == {}
    code, text = weir("connector", "describe", "lines")
    assert code != 0 and "There is no connector 'lines'" in text
