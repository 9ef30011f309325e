"""What goes wrong with a backup is one sentence, and leaves nothing half done."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from api.config.home import Home
from api.wiring import backups
from catalog.adapters.sql import schema
from catalog.adapters.sql.database import Database
from catalog.backup.contents import BackupWriter, Head
from catalog.backup.frames import FrameWriter
from catalog.errors import InvalidInput, SettingsError, Unavailable, WeirError
from tests.api_world import ApiWorld, world

ROLE = """
apiVersion: weir/v1
kind: Role
metadata: {{name: role-{number}}}
spec: {{read: [{{dataset: "prod/*"}}]}}
"""


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path / "old") as opened:
        for number in range(3):
            opened.apply(ROLE.format(number=number))
        Home(tmp_path / "old").secret("masks")
        yield opened


@pytest.fixture
def file(weir: ApiWorld, tmp_path: Path) -> Path:
    path = tmp_path / "weir.backup"
    backups.create(Home(tmp_path / "old"), path, None)
    return path


@contextmanager
def smallest_files(most: int) -> Iterator[None]:
    """No file gets longer than so many bytes: what a full disk does to who writes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_backup_of_a_store_that_is_written_meanwhile_is_one_state(weir: ApiWorld, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        number = 3
        while not stop.is_set():
            weir.apply(ROLE.format(number=number))
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            backups.create(Home(tmp_path / "old"), tmp_path / f"{number}.backup", None)
    finally:
        stop.set()
        writer.join(60)
    for number in range(3):
        restored = backups.restore(Home(tmp_path / f"new{number}"), tmp_path / f"{number}.backup", None)
        assert restored.audit.holds
        assert restored.audit.head.seq == restored.audit.entries > 0


def test_a_file_that_exists_is_not_overwritten(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    with pytest.raises(InvalidInput, match=r"weir\.backup exists already; name a file that does not"):
        backups.create(Home(tmp_path / "old"), file, None)
    assert file.read_bytes() == before
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("weir")
def test_a_full_disk_leaves_no_backup(tmp_path: Path) -> None:
    with smallest_files(1000), pytest.raises(InvalidInput, match=r"cannot be written .*free the disk"):
        backups.create(Home(tmp_path / "old"), tmp_path / "weir.backup", None)
    assert not list(tmp_path.glob("*.backup*")) + list(tmp_path.glob(".*.part"))


def test_a_disk_that_fills_during_a_restore_leaves_nothing(file: Path, tmp_path: Path) -> None:
    home = Home(tmp_path / "new")
    with smallest_files(100_000), pytest.raises(Unavailable, match="disk"):
        backups.restore(home, file, None)
    assert not (home.root / "weir.db").exists()
    assert not home.secrets.exists()
    assert backups.restore(home, file, None).audit.holds


def test_half_a_file_restores_nothing(file: Path, tmp_path: Path) -> None:
    half, home = tmp_path / "half.backup", Home(tmp_path / "new")
    half.write_bytes(file.read_bytes()[:-200])
    for read in (backups.verify, lambda *given: backups.restore(home, *given)):
        with pytest.raises(InvalidInput, match=r"half\.backup ends early"):
            read(half, None)
    assert not (home.root / "weir.db").exists()
    assert not home.secrets.exists()


def test_a_store_with_rows_is_not_restored_into(file: Path, tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"has rows already \(.* in .*\); a backup is restored into an empty one: set"
    ):
        backups.restore(Home(tmp_path / "old"), file, None)


def test_a_store_that_is_migrated_and_empty_is_restored_into(file: Path, tmp_path: Path) -> None:
    for number, revision in enumerate((schema.NEWEST, "0016")):
        home = Home(tmp_path / f"new{number}")
        with closing(Database(home.database_url)) as database:
            database.make_file()
            with database.begin() as session:
                schema.upgrade(session.connection(), database.name, revision)
        assert backups.restore(home, file, None).audit.holds


def test_another_key_in_the_folder_is_kept(file: Path, tmp_path: Path) -> None:
    home = Home(tmp_path / "new")
    home.keep_secret("masks", "f" * 64)
    with pytest.raises(SettingsError, match="masks is another key than the one in the backup"):
        backups.restore(home, file, None)
    assert home.kept_secret("masks") == "f" * 64
    assert not (home.root / "weir.db").exists()


@pytest.mark.usefixtures("weir")
def test_a_missing_key_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path / "old")
    (home.secrets / "masks").unlink()
    with pytest.raises(SettingsError, match=r"There is no key .*masks, without which masked values would change"):
        backups.create(home, tmp_path / "weir.backup", None)


def test_no_record_store_and_no_backup_are_named(tmp_path: Path) -> None:
    home = Home(tmp_path / "none")
    with pytest.raises(SettingsError, match=r"There is no record store at .*weir\.db; set WEIR_HOME"):
        backups.create(home, tmp_path / "weir.backup", None)
    with pytest.raises(InvalidInput, match=r"none\.backup cannot be used: No such file or directory\."):
        backups.verify(tmp_path / "none.backup", None)
    assert not home.root.exists()


def test_a_backup_of_a_newer_schema_is_refused(tmp_path: Path) -> None:
    newer = tmp_path / "newer.backup"
    with newer.open("wb") as output:
        BackupWriter(FrameWriter(output, None), Head("9.9", "9999", "2030-01-01T00:00:00Z", "sqlite")).finish()
    with pytest.raises(
        SettingsError, match=r"written by Weir 9\.9 with the schema 9999, which this version .* does not know"
    ):
        backups.restore(Home(tmp_path / "new"), newer, None)


@pytest.mark.parametrize("revision", ["0009", "0016", "0021"])
def test_a_backup_of_an_older_schema_is_brought_forward(revision: str, tmp_path: Path) -> None:
    old, new, file = Home(tmp_path / "old"), Home(tmp_path / "new"), tmp_path / "weir.backup"
    old.secret("masks")
    with closing(Database(old.database_url)) as database:
        database.make_file()
        with database.begin() as session:
            schema.upgrade(session.connection(), database.name, revision)
            session.execute(text("INSERT INTO namespace_aliases (alias, namespace) VALUES ('a', 'kafka://b')"))
    assert backups.create(old, file, None).head.schema == revision
    assert backups.restore(new, file, None).schema == schema.newest()
    with closing(Database(new.database_url)) as database:
        database.migrate()
        with database.read() as session:
            assert session.execute(text("SELECT alias, namespace FROM namespace_aliases")).all() == [("a", "kafka://b")]


def test_an_audit_that_was_broken_is_restored_only_on_demand(weir: ApiWorld, tmp_path: Path) -> None:
    file = tmp_path / "weir.backup"
    with closing(Database(Home(tmp_path / "old").database_url)) as database, database.begin() as session:
        session.execute(text("UPDATE audit_entries SET actor = 'nobody' WHERE seq = 2"))
    backups.create(Home(tmp_path / "old"), file, None)
    home = Home(tmp_path / "new")
    with pytest.raises(InvalidInput, match="does not hold: Entry 2 was changed after it was written"):
        backups.restore(home, file, None)
    assert not (home.root / "weir.db").exists()
    restored = backups.restore(home, file, None, accept_broken_audit=True)
    assert restored.audit.first_bad == 2


def test_a_backup_with_a_part_of_no_table_is_refused(tmp_path: Path) -> None:
    strange = tmp_path / "strange.backup"
    with strange.open("wb") as output:
        backup = BackupWriter(FrameWriter(output, None), replace(HEAD, schema=schema.newest()))
        backup.part("table passwords", ["a"], [["b"]])
        backup.finish()
    with pytest.raises(WeirError, match="has a part table passwords that its schema does not have"):
        backups.restore(Home(tmp_path / "new"), strange, None)


HEAD = Head("0.1.0", "", "2026-06-01T12:00:00Z", "sqlite")
