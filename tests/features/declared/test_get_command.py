"""`weir get -o yaml` gives documents that `weir apply` reads back as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from api import cli
from tests.answer_check import CheckedClient
from tests.api_world import world

WORDS = ["1e3", "08", "0o17", "+.5", "12e4", "12:30", "no", "2026-01-01", "0x1F", "~", "true"]


def test_words_that_look_like_numbers_stay_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("WEIR_HOME", str(home))
    for name in ("WEIR_URL", "WEIR_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with world(home) as weir:

        def client(*, headers: dict[str, str], **_: object) -> CheckedClient:
            return CheckedClient(weir.app, raise_server_exceptions=False, headers=headers)

        def shown(*words: str) -> str:
            monkeypatch.setattr("sys.argv", ["weir", *words])
            capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                cli.main()
            assert not ended.value.code, capsys.readouterr().err
            return capsys.readouterr().out

        monkeypatch.setattr("api.terminal.http.Client", client)
        documents = [
            {"apiVersion": "weir/v1", "kind": kind, "metadata": {"name": word}, "spec": {field: word}}
            for kind, field in (("GlossaryTerm", "definition"), ("Purpose", "description"))
            for word in WORDS
        ]
        answer = weir.admin.post("/api/v1/apply", json=documents)
        assert answer.status_code == 200, answer.text
        file = tmp_path / "all.yaml"
        file.write_text(shown("get", "GlossaryTerm", "-o", "yaml") + shown("get", "Purpose", "-o", "yaml"))
        applied = shown("diff", "-f", str(file), "-o", "csv").splitlines()
        assert len(applied) == 2 * len(WORDS) + 1
        assert all(line.startswith("unchanged,") for line in applied[1:])
        weir.apply(
            'apiVersion: weir/v1\nkind: Cluster\nmetadata: {name: prod}\nspec: {bootstrapServers: "localhost:9092"}\n---\n'
            "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: prod}\nspec: {description: Orders}\n"
        )
        assert "Dataset,prod/orders," in shown("get", "Dataset", "-o", "csv")  # as `weir delete` takes it
