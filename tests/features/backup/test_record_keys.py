"""All processes of one record store have one set of keys: another one does not start, and gives the reason."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from api.bootstrap import build
from api.config.home import Home
from api.config.settings import Settings
from api.wiring import backups, key_statements
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.record_keys import SqlRecordKeys
from catalog.errors import InvalidInput, SettingsError
from catalog.record_keys import KEYS, fingerprint
from policies.adapters.signing import Ed25519Signer


def start(home: Path, store: Path, trusted: list[str] | None = None) -> None:
    """Start as a process does, and end."""
    settings = Settings()
    settings.database.url = f"sqlite:///{store / 'weir.db'}"
    settings.policies.audit_trusted_keys = trusted or []
    build(settings, Home(home)).close()


def test_the_first_process_states_its_keys_and_starts_again(tmp_path: Path) -> None:
    start(tmp_path, tmp_path)
    start(tmp_path, tmp_path)
    with closing(Database(Home(tmp_path).database_url)) as database:
        stated = SqlRecordKeys(database).stated()
    assert stated.keys() == KEYS.keys()
    for name, each in stated.items():
        key = Home(tmp_path).secret(name)
        assert each.fingerprint == fingerprint(name, key)
        assert key not in str(each)
        assert each.home == str(tmp_path)
    assert len({each.fingerprint for each in stated.values()}) == len(KEYS)


def test_a_second_home_with_other_keys_does_not_start(tmp_path: Path) -> None:
    start(tmp_path / "one", tmp_path)
    other = Home(tmp_path / "two")
    other.secret("masks")
    with pytest.raises(SettingsError) as refused:
        start(other.root, tmp_path)
    message = refused.value.message
    assert f"The key {other.secrets / 'masks'} (makes masked values) is not the one of this record store" in message
    assert f"{tmp_path / 'one'} on " in message
    assert "Copy the folder secrets from there, run `weir backup restore FILE --keys-only`" in message
    assert other.secret("masks") not in message


def test_a_second_home_without_keys_makes_none(tmp_path: Path) -> None:
    start(tmp_path / "one", tmp_path)
    with pytest.raises(SettingsError, match=r"secrets/masks .* is missing: "):
        start(tmp_path / "two", tmp_path)
    assert not (tmp_path / "two" / "secrets").exists()


@pytest.mark.parametrize("name", KEYS)
def test_every_key_is_compared(name: str, tmp_path: Path) -> None:
    start(tmp_path, tmp_path)
    (tmp_path / "secrets" / name).write_text("f" * 64)
    with pytest.raises(SettingsError, match=f"secrets/{name} "):
        start(tmp_path, tmp_path)


def test_a_home_with_the_keys_of_the_first_starts(tmp_path: Path) -> None:
    start(tmp_path / "one", tmp_path)
    (tmp_path / "one" / "secrets").rename(tmp_path / "secrets")
    for name in ("one", "two"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "secrets").symlink_to(tmp_path / "secrets")
        start(tmp_path / name, tmp_path)


def test_keys_come_from_a_backup(tmp_path: Path) -> None:
    start(tmp_path, tmp_path)
    backups.create(Home(tmp_path), tmp_path / "weir.backup", None)
    assert backups.restore_keys(Home(tmp_path / "two"), tmp_path / "weir.backup", None) == sorted(KEYS)
    start(tmp_path / "two", tmp_path)


def test_a_lost_key_is_replaced_on_demand(tmp_path: Path) -> None:
    start(tmp_path, tmp_path)
    (tmp_path / "secrets" / "notify").unlink()
    home = Home(tmp_path)
    assert {row["name"]: row["state"] for row in key_statements.listed(home)}["notify"] == "missing"
    with pytest.raises(SettingsError, match="run `weir server keys --accept notify` here"):
        start(tmp_path, tmp_path)
    with pytest.raises(InvalidInput, match="Did you mean notify"):
        key_statements.accept(home, "notfy")
    key_statements.accept(home, "notify")
    start(tmp_path, tmp_path)
    assert {row["state"] for row in key_statements.listed(home)} == {"same"}


def test_a_key_of_the_audit_that_is_trusted_may_be_another_one(tmp_path: Path) -> None:
    start(tmp_path, tmp_path)
    own = "f" * 64
    (tmp_path / "secrets" / "audit-signature").write_text(own)
    with pytest.raises(SettingsError, match="signs the audit"):
        start(tmp_path, tmp_path)
    start(tmp_path, tmp_path, [Ed25519Signer(own.encode).public_key()])


def test_processes_that_start_at_once_agree(tmp_path: Path) -> None:
    Database(Home(tmp_path).database_url).migrate()
    refused: list[Exception] = []

    def run(home: Path) -> None:
        try:
            start(home, tmp_path)
        except SettingsError as error:
            refused.append(error)

    threads = [threading.Thread(target=run, args=(tmp_path / "same",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not refused


@pytest.mark.sampled(1)
@pytest.mark.parametrize("process", ["api", "worker"])
def test_a_process_ends_with_one_sentence(process: str, tmp_path: Path) -> None:
    start(tmp_path / "one", tmp_path)
    environment = {
        **os.environ,
        "WEIR_HOME": str(tmp_path / "two"),
        "WEIR_DATABASE__URL": f"sqlite:///{tmp_path / 'weir.db'}",
    }
    done = subprocess.run(
        [sys.executable, "-m", "api", "server", process], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    assert "✗ The key" in done.stderr
    assert "is missing" in done.stderr
    assert "Traceback" not in done.stderr
