"""`weir audit verify --file`: a file holds for the command only when the key that signed it is known to the reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from api import cli
from policies.adapters.signing import Ed25519Signer
from tests.unit.policies.access.test_audit_export import SIGNER, exported


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "audit.jsonl"
    path.write_bytes(b"".join(exported("jsonl")))
    return path


def run(*words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", ["weir", "audit", "verify", *words])
    try:
        cli.main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


@pytest.mark.parametrize("form", ["table", "json"])
def test_without_a_key_a_file_that_anybody_may_have_signed_fails(
    file: Path, form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--file", str(file), "-o", form, monkeypatch=monkeypatch) == 1
    seen = capsys.readouterr()
    assert "--key" in seen.err and "--allow-unknown-key" in seen.err
    if form == "json":
        assert json.loads(seen.out)["trusted"] is False


def test_with_the_key_of_weir_a_file_holds_and_with_another_it_does_not(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, other = tmp_path / "weir.key", tmp_path / "other.key"
    known.write_text(SIGNER.public_key() + "\n")
    other.write_text(Ed25519Signer(lambda: b"mallory").public_key() + "\n")
    assert run("--file", str(file), "--key", str(known), monkeypatch=monkeypatch) == 0
    assert run("--file", str(file), "--key", str(other), monkeypatch=monkeypatch) == 1
    assert run("--file", str(file), "--key", str(other), "--allow-unknown-key", monkeypatch=monkeypatch) == 1


def test_on_request_the_command_checks_a_file_with_its_own_key(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--file", str(file), "--allow-unknown-key", monkeypatch=monkeypatch) == 0
    assert "the writer of the file may have made it" in capsys.readouterr().err
    assert run("--allow-unknown-key", monkeypatch=monkeypatch) == 1
