"""A restored instance answers as the one that was backed up: through the HTTP door and the command line."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from api.config.home import Home
from api.wiring import backups
from catalog.errors import Unavailable
from policies.adapters.stores.audit import SqlAuditStore
from tests import backup_world


def test_a_restored_instance_answers_alike(tmp_path: Path) -> None:
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "weir.backup"
    with backup_world.of(old) as weir:
        tokens = backup_world.fill(weir)
        manifest = backups.create(Home(old), file, None)
        before = {name: backup_world.answers(weir, token) for name, token in tokens.items()}
    assert backups.verify(file, None) == manifest
    restored = backups.restore(Home(new), file, None)
    assert restored.manifest == manifest
    assert restored.audit.holds
    with backup_world.of(new) as weir:
        for name, token in tokens.items():
            after = backup_world.answers(weir, token)
            for path, answer in before[name].items():
                assert backup_world.without_backups(path, after[path]) == backup_world.without_backups(path, answer), (
                    path
                )
    assert backup_world.masked(new) == backup_world.masked(old)


def test_a_backup_and_its_restore_are_in_the_audit(tmp_path: Path) -> None:
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "weir.backup"
    with backup_world.of(old) as weir:
        backup_world.fill(weir)
        manifest = backups.create(Home(old), file, "a long passphrase")
        newest = weir.admin.get("/api/v1/audit").json()["entries"][0]
    assert (newest["action"], newest["target"]) == ("backup.create", "record store")
    assert newest["details"] == {"file": "weir.backup", "encrypted": True}
    assert newest["actor"].endswith(f" on {socket.gethostname()}")
    assert backups.restore(Home(new), file, "a long passphrase").audit.holds
    with backup_world.of(new) as weir:
        newest = weir.admin.get("/api/v1/audit").json()["entries"][0]
        assert weir.admin.get("/api/v1/audit/verify").json()["holds"]
    assert newest["action"] == "backup.restore"
    assert newest["details"] == {
        "file": "weir.backup",
        "writtenAt": manifest.head.created_at,
        "program": manifest.head.program,
    }


def test_a_backup_that_the_audit_does_not_take_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, file = tmp_path / "old", tmp_path / "weir.backup"
    with backup_world.of(old) as weir:
        backup_world.fill(weir)

    def refuse(*_: Any, **__: Any) -> None:
        raise Unavailable("The record store does not answer.")

    monkeypatch.setattr(SqlAuditStore, "append", refuse)
    with pytest.raises(Unavailable):
        backups.create(Home(old), file, None)
    assert [each.name for each in tmp_path.iterdir()] == ["old"]
