"""Which revision the schema of a record store has, looked up without changing it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from catalog.adapters.sql.database import Database

_MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class SchemaState:
    """`current`: None for a database without a schema of Weir. `waiting`: how many migrations the next start runs."""

    current: str | None
    newest: str
    is_known: bool
    waiting: int

    @property
    def is_newest(self) -> bool:
        return self.current == self.newest


def schema_state(database: Database) -> SchemaState:
    """Raises Unavailable."""
    from alembic.config import Config
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    revisions = [each.revision for each in ScriptDirectory.from_config(config).walk_revisions()]  # the newest first
    with database.translated(), database.engine.connect() as connection:
        current = MigrationContext.configure(connection).get_current_revision()
    waiting = revisions.index(current) if current in revisions else len(revisions)
    return SchemaState(current, revisions[0], current in revisions, waiting)
