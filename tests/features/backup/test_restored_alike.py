"""A restored instance answers as the one that was backed up: through the HTTP door and the command line."""

from __future__ import annotations

from pathlib import Path

from api.config.home import Home
from api.wiring import backups
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
                assert after[path] == answer, path
    assert backup_world.masked(new) == backup_world.masked(old)
