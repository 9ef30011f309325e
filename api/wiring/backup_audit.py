"""What the audit has about backups. They are made on the machine of an instance, so the actor is its account there."""

from __future__ import annotations

import getpass
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from api.wiring.clock import now
from catalog.adapters.sql import schema
from policies.audit.actions import AuditAction

if TYPE_CHECKING:
    from catalog.adapters.sql.database import Database
    from catalog.backup.contents import Manifest

_TARGET = "record store"


def is_noted(manifest: Manifest) -> bool:
    """Whether the audit has an entry of the backup: a store of an older schema is copied and not written to."""
    return manifest.head.schema == schema.newest()


def created(database: Database, file: Path, manifest: Manifest, encrypted: bool) -> None:
    """Note a backup. Raises Unavailable where the record store does not take it."""
    if is_noted(manifest):
        _note(database, "backup.create", file, {"encrypted": encrypted})


def restored(database: Database, file: Path, manifest: Manifest) -> None:
    """Note in a restored store which backup it is from."""
    head = manifest.head
    _note(database, "backup.restore", file, {"writtenAt": head.created_at, "program": head.program})


def _note(database: Database, action: AuditAction, file: Path, details: dict[str, object]) -> None:
    from policies.adapters.stores.audit import SqlAuditStore
    from policies.audit.log import AuditLog

    AuditLog(SqlAuditStore(database), now).record(
        f"{_account()} on {socket.gethostname()}", action, _TARGET, details={"file": file.name, **details}
    )


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "an account without a name"
