"""`weir apply` and `weir diff` on names that nothing has."""

from __future__ import annotations

import io
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


def test_a_dry_run_fails_where_apply_would_refuse(weir: Weir, tmp_path: Path) -> None:
    file = tmp_path / "governance.yaml"
    file.write_text(POLICY)
    code, out, err = weir("apply", "-f", str(file), "--dry-run")
    assert code == 1 and "create" in out and "apply refuses this" in err
    assert weir("apply", "-f", str(file), "--dry-run", "--allow-unknown")[0] == 0
    file.write_text(POLICY.replace("EMIAL", "EMAIL_ADDRESS"))
    assert weir("apply", "-f", str(file), "--dry-run")[0] == 0


def test_an_error_names_each_file_and_line_that_it_is_about(weir: Weir, tmp_path: Path) -> None:
    term = "apiVersion: weir/v1\nkind: GlossaryTerm\nmetadata: {name: order}\nspec: {definition: A}\n"
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text(f"# ours\n{term}")
    second.write_text(term)
    code, _, err = weir("apply", "-f", str(tmp_path))
    assert code == 1
    assert f"{second}, line 1: metadata.name GlossaryTerm 'order' is there twice (first at {first}, line 2)." in err
    second.write_text(term.replace("order", "b") + "---\n" + term.replace("order", "b"))
    assert (
        f"{second}, line 6: metadata.name GlossaryTerm 'b' is there twice (first at line 1)."
        in weir("apply", "-f", str(tmp_path))[2]
    )
    second.write_text(term.replace("order", "b").replace("A", "A\x0c"))
    assert f"{second}, line 4: the character U+000C is not read" in weir("apply", "-f", str(tmp_path))[2]
    second.write_text(term.replace("order", "b").replace("A", "A" * 2**21))
    code, _, err = weir("apply", "-f", str(tmp_path), "--dry-run")
    assert code == 1 and "The 2 files have 2.0 MiB together, and one apply takes 2 MiB" in err


def test_text_that_is_not_utf_8_is_one_sentence(weir: Weir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for errors in ("strict", "surrogateescape"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9"), encoding="utf-8", errors=errors))
        code, _, err = weir("apply", "-f", "-")
        assert code == 1 and err.endswith("Standard input is not UTF-8 text.")
    file = tmp_path / "review.yaml"
    file.write_bytes(b"caf\xe9")
    code, _, err = weir("access-review", "start", "-f", str(file))
    assert code == 1 and f"{file} cannot be read: it is not UTF-8 text." in err
    code, _, err = weir("search", "caf\udce9")
    assert code == 1 and err.endswith("A word of the command is not UTF-8 text.")
