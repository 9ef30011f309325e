"""The revisions of the record store's tables: which one a database has, and bringing it to another."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

from catalog.errors import SettingsError

NEWEST = "head"
_MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(connection: Connection, name: str, to: str = NEWEST) -> None:
    """Bring the tables forward inside the caller's transaction. `name`: of the database, for the sentence of an error.

    Raises SettingsError when a newer Weir wrote them.
    """
    if to == NEWEST and revision_of(connection) == newest():
        return
    try:
        command.upgrade(_config(connection), to)
    except CommandError as error:
        raise newer(f"The record store {name}") from error


def revision_of(connection: Connection) -> str | None:
    """The revision of a database; None where it has no tables of Weir."""
    return MigrationContext.configure(connection).get_current_revision()


def is_known(revision: str) -> bool:
    """Whether this version can bring tables of a revision forward."""
    try:
        return ScriptDirectory.from_config(_config()).get_revision(revision) is not None
    except CommandError:
        return False


@cache
def newest() -> str:
    """The revision that this version writes."""
    return str(ScriptDirectory.from_config(_config()).get_current_head())


def newer(what: str) -> SettingsError:
    """What to raise for tables of a revision that is not known here."""
    return SettingsError(f"{what} has a schema this version does not know; it was written by a newer Weir.")


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
