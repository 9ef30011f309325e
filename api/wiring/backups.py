"""Backups of the record store and its keys: made, read through and restored. No server of Weir needs to run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from api import VERSION
from api.config.home import Home
from api.config.settings import Settings, load
from api.wiring import backup_audit
from api.wiring.backup_files import new_file, opened, undone_on_failure
from api.wiring.backup_keys import STATED_KEYS, check_key, keep_keys, kept_admin_token, own_keys, refuse_other_keys
from api.wiring.clock import now
from catalog.backup.contents import BackupReader, BackupWriter, Head, Manifest, Part, sum_of
from catalog.backup.frames import FrameWriter
from catalog.errors import InvalidInput, SettingsError, WeirError
from catalog.record_keys import KEYS
from catalog.records import rfc3339

if TYPE_CHECKING:
    from catalog.adapters.sql.database import Database
    from catalog.adapters.sql.store_copy import StoreCopy
    from policies.audit.verify import Verification

KEYS_PART = "keys"
ADMIN_PART = "admin token"
_TABLE = "table "
LEFT_OUT = (
    "search index: weir server rebuild search",
    "lineage graph: weir server rebuild lineage, from the topic of lineage events, which Kafka keeps",
    "rows and checkpoints of stream views: made again from their topics",
    "settings (weir.yaml and the environment) and the secrets that declared documents name: keep them as you deploy them",
    "files of audit segments that were removed, and passwords of the local servers",
)


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    """keys: how many; schema: the revision that the store has now; audit: of the restored chain."""

    manifest: Manifest
    keys: int
    schema: str
    audit: Verification


def create(home: Home, file: Path, passphrase: str | None) -> Manifest:
    """Write a backup while Weir runs. `file` must not exist; it is there when it is whole and in the audit.

    Raises SettingsError for a record store or a key that is not there, InvalidInput for a file that cannot be written.
    """
    from catalog.adapters.sql.store_copy import snapshot
    from catalog.adapters.sql.table_shapes import shapes

    settings = load(home)
    with _database(settings, home) as database, new_file(file) as output:
        with snapshot(database) as store:
            revision = store.revision()
            if revision is None:
                raise SettingsError(f"The record store {database.name} is empty; there is nothing to back up.")
            keys = own_keys(home, store, revision, settings)
            head = Head(VERSION, revision, rfc3339(now()), database.url.get_backend_name(), LEFT_OUT)
            backup = BackupWriter(FrameWriter(output, passphrase), head)
            backup.part(KEYS_PART, ["name", "key"], sorted(keys.items()))
            backup.part(ADMIN_PART, ["token"], kept_admin_token(home))
            for shape in shapes(revision):
                backup.part(_TABLE + shape.name, list(shape.kinds), store.rows(shape), store.last(shape))
            manifest = backup.finish()
        backup_audit.created(database, file, manifest, encrypted=passphrase is not None)
        return manifest


def verify(file: Path, passphrase: str | None) -> Manifest:
    """Read a backup from its first byte to its last. Raises InvalidInput where it cannot be restored as it was written."""
    with opened(file, passphrase) as backup:
        keys: dict[str, str] = {}
        for part in backup.parts():
            if part.name == KEYS_PART:
                keys = dict(part.rows)
            elif part.name == _TABLE + STATED_KEYS:
                for row in part.rows:
                    check_key(file, keys, dict(zip(part.columns, row, strict=True)))
            else:
                for _ in part.rows:
                    pass
        return _manifest(backup)


def restore(home: Home, file: Path, passphrase: str | None, accept_broken_audit: bool = False) -> RestoredBackup:
    """Restore into an empty record store and WEIR_HOME: all of it, or nothing.

    Raises SettingsError where either is not empty or a newer Weir wrote the backup, InvalidInput for a damaged file.
    """
    from catalog.adapters.sql import schema
    from catalog.adapters.sql.store_copy import into_empty

    settings = load(home)
    with opened(file, passphrase) as backup, _database(settings, home) as database:
        if not schema.is_known(backup.head.schema):
            raise SettingsError(
                f"{file} was written by Weir {backup.head.program} with the schema {backup.head.schema}, which this version"
                f" ({VERSION}) does not know; restore it with that version or a newer one."
            )
        with undone_on_failure(_files_of(database, home)), closing(database), into_empty(database) as store:
            keys, admin_token = _fill(store, backup, home)
            manifest = _manifest(backup)
            _compare(store, manifest)
            store.bring_forward()
            audit = _verified(database, settings, keys)
            if not audit.holds and audit.first_bad is not None and not accept_broken_audit:
                raise InvalidInput(
                    f"The audit in {file} does not hold: {audit.problem} Nothing was restored; --accept-broken-audit restores"
                    " it as it is."
                )
            backup_audit.restored(database, file, manifest)
            keep_keys(home, keys, admin_token)
        return RestoredBackup(manifest, len(keys), schema.newest(), audit)


def restore_keys(home: Home, file: Path, passphrase: str | None) -> list[str]:
    """Put only the keys of a backup into WEIR_HOME, for a further host of the same record store. Returns their names."""
    with opened(file, passphrase) as backup:
        keys: dict[str, str] = {}
        for part in backup.parts():
            if part.name == KEYS_PART:
                keys = dict(part.rows)
            for _ in part.rows:
                pass
        _manifest(backup)
    refuse_other_keys(home, keys)
    with undone_on_failure([home.secrets / name for name in KEYS]):
        keep_keys(home, keys)
    return sorted(keys)


def _manifest(backup: BackupReader) -> Manifest:
    if backup.manifest is None:
        raise RuntimeError("The parts were not read to their end.")
    return backup.manifest


@contextmanager
def _database(settings: Settings, home: Home) -> Iterator[Database]:
    from catalog.adapters.sql.database import Database

    database = Database(settings.database.url or home.database_url)
    try:
        yield database
    finally:
        database.close()


def _files_of(database: Database, home: Home) -> list[Path]:
    """What a restore makes."""
    file = database.file()
    store = [] if file is None else [file.with_name(file.name + end) for end in ("", "-wal", "-shm")]
    return [*store, home.admin_token, *(home.secrets / name for name in KEYS)]


def _fill(store: StoreCopy, backup: BackupReader, home: Home) -> tuple[dict[str, str], str | None]:
    """Put every part where it belongs; the keys and the admin's token are returned."""
    from catalog.adapters.sql.table_shapes import shapes

    tables = {_TABLE + shape.name: shape for shape in shapes(backup.head.schema)}
    store.begin(backup.head.schema)
    keys: dict[str, str] = {}
    admin_token = None
    for part in backup.parts():
        if part.name == KEYS_PART:
            keys = dict(part.rows)
            refuse_other_keys(home, keys)
        elif part.name == ADMIN_PART:
            admin_token = next((str(row[0]) for row in [*part.rows]), None)
        elif part.name in tables and list(tables[part.name].kinds) == list(part.columns):
            store.fill(tables.pop(part.name), part.rows, part.last)
        else:
            raise _not_as_stated(part)
    if tables or "masks" not in keys:
        missing = ", ".join([*tables, *([] if "masks" in keys else ["the key masks"])])
        raise InvalidInput(f"The backup lacks {missing}; use another backup.")
    return keys, admin_token


def _not_as_stated(part: Part) -> WeirError:
    return InvalidInput(f"The backup has a part {part.name} that its schema does not have; use another backup.")


def _compare(store: StoreCopy, manifest: Manifest) -> None:
    """Raises InvalidInput where a table does not have the rows that the manifest counts and sums."""
    from catalog.adapters.sql.table_shapes import shapes

    stated = {part.name: part for part in manifest.parts}
    for shape in shapes(manifest.head.schema):
        name = _TABLE + shape.name
        restored = sum_of(name, store.rows(shape))
        if restored != stated[name]:
            raise InvalidInput(
                f"The rows of {shape.name} came back changed ({restored.rows:,} of {stated[name].rows:,}); nothing was restored."
            )


def _verified(database: Database, settings: Settings, keys: Mapping[str, str]) -> Verification:
    """The audit, walked inside the transaction of the restore."""
    from policies.adapters.signing import Ed25519Signer, verified
    from policies.adapters.stores.audit import SqlAuditStore
    from policies.adapters.stores.audit_segments import SqlSegmentStore
    from policies.audit.seals import Trust
    from policies.audit.verify import Seals, verify

    own = {Ed25519Signer(key.encode).public_key() for name, key in keys.items() if name == "audit-signature"}
    trust = Trust(verified, frozenset({*own, *settings.policies.audit_trusted_keys}))
    return verify(SqlAuditStore(database), None, Seals(SqlSegmentStore(database), trust))
