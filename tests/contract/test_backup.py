"""Backups come back the same on both databases, from either to either."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from api.config.home import Home
from api.wiring import backups
from catalog.adapters.sql.database import Database
from catalog.errors import SettingsError
from tests.backup_world import answers, fill, masked, of, without_backups
from tests.catalog_stores import own_postgres


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("source", "target"), [("sqlite", "postgresql"), ("postgresql", "sqlite"), ("postgresql", "postgresql")]
)
def test_an_instance_moves_between_databases(
    source: str, target: str, tmp_path: Path, postgres_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "weir.backup"
    with own_postgres(postgres_server) as first, own_postgres(postgres_server) as second:
        urls = {"old": first if source == "postgresql" else "", "new": second if target == "postgresql" else ""}
        with of(old, urls["old"] or None) as weir:
            tokens = fill(weir)
            _set(monkeypatch, urls["old"])
            manifest = backups.create(Home(old), file, "correct horse")
            before = {name: answers(weir, token) for name, token in tokens.items()}
        _set(monkeypatch, urls["new"])
        restored = backups.restore(Home(new), file, "correct horse")
        assert restored.manifest == manifest
        assert restored.audit.holds
        with of(new, urls["new"] or None) as weir:
            for name, token in tokens.items():
                after = answers(weir, token)
                for path, answer in before[name].items():
                    assert without_backups(path, after[path]) == without_backups(path, answer), (name, path)
        assert masked(new) == masked(old)
        with pytest.raises(SettingsError, match="has rows already"):
            backups.restore(Home(new), file, "correct horse")


def test_numbers_of_rows_go_on(tmp_path: Path, postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "weir.backup"
    with own_postgres(postgres_server) as url:
        with of(old) as weir:
            fill(weir)
        with Database(f"sqlite:///{old / 'weir.db'}").begin() as session:
            last = session.execute(text("SELECT max(seq) FROM events")).scalar_one()
            session.execute(text("DELETE FROM events WHERE seq > 3"))
        backups.create(Home(old), file, None)
        _set(monkeypatch, url)
        backups.restore(Home(new), file, None)
        database = Database(url)
        with database.begin() as session:
            insert = "INSERT INTO {} RETURNING {}"
            event = "events (id, type, subject, at, data) VALUES ('x', 't', 's', now(), '{{}}')"
            assert session.execute(text(insert.format(event, "seq").replace("{{}}", "{}"))).scalar_one() == last + 1
        database.close()


def _set(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    if url:
        monkeypatch.setenv("WEIR_DATABASE__URL", url)
    else:
        monkeypatch.delenv("WEIR_DATABASE__URL", raising=False)
