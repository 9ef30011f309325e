"""The instance's folder: private, written in one step, its secrets made once."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stack.errors import StackError
from stack.home import Home, default_home


def test_a_secret_is_made_once_and_is_the_owners_alone(tmp_path: Path) -> None:
    home = Home(tmp_path / "weir")
    home.create()
    secret = home.secret("spark.token")
    assert len(secret) == 48
    assert Home(tmp_path / "weir").secret("spark.token") == secret
    assert home.secret("neo4j.password") != secret
    assert stat.S_IMODE((tmp_path / "weir" / "secrets" / "spark.token").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "weir" / "secrets").stat().st_mode) == 0o700


def test_all_who_ask_first_at_once_get_the_same_secret(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(lambda _: home.secret("spark.token"), range(64)))
    assert len(secrets) == 1
    assert [path.name for path in (tmp_path / "secrets").iterdir()] == ["spark.token"]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StackError, match=r"The folder .*file/weir cannot be written \(Not a directory\); .* WEIR_HOME"):
        Home(tmp_path / "file" / "weir").create()


def test_the_default_is_beside_the_project_wherever_one_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WEIR_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    assert default_home() == Path(__file__).resolve().parents[3] / ".weir"
    monkeypatch.setenv("WEIR_HOME", "mine")
    assert default_home() == tmp_path / "mine"
