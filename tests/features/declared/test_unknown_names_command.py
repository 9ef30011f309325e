"""`weir apply` and `weir diff` on names that nothing has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api import cli
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, world

Weir = Callable[..., tuple[int, str, str]]
POLICY = """
apiVersion: weir/v1
kind: Policy
metadata: {name: mask-email}
spec: {type: mask, match: {tags: [EMIAL]}, except: {groups: [marketing]}, mask: {type: MASK_HASH}}
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ApiWorld]:
    (tmp_path / "home").mkdir()
    with world(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def weir(served: ApiWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Weir:
    def client(*, headers: dict[str, str], **_: object) -> CheckedClient:
        return CheckedClient(served.app, raise_server_exceptions=False, headers=headers)

    monkeypatch.setattr("api.terminal.http.Client", client)
    monkeypatch.setenv("WEIR_HOME", str(tmp_path / "home"))
    for name in ("WEIR_URL", "WEIR_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["weir", *arguments])
        capsys.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        shown = capsys.readouterr()
        return code, " ".join(shown.out.split()), " ".join(shown.err.split())

    return run


def test_a_typing_error_is_shown_by_diff_and_refused_by_apply_until_it_is_allowed(weir: Weir, tmp_path: Path) -> None:
    file = tmp_path / "governance.yaml"
    file.write_text(POLICY)
    code, out, err = weir("diff", "-f", str(file))
    assert code == 1 and "create" in out
    assert "no tag EMIAL is known; did you mean EMAIL_ADDRESS? apply refuses this without --allow-unknown." in err
    assert "no group marketing is known yet." in err
    code, out, err = weir("apply", "-f", str(file))
    assert code != 0 and f"{file}, line 2: Policy mask-email: spec.match.tags.0: no tag EMIAL is known" in err
    code, out, err = weir("apply", "-f", str(file), "--allow-unknown")
    assert code == 0 and "create" in out and "did you mean EMAIL_ADDRESS?" in err and "refuses" not in err
    code, out, err = weir("apply", "-f", str(file), "-o", "json")
    assert code == 0 and '"nearest": "EMAIL_ADDRESS"' in out and "did you mean" in err
