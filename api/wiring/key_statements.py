"""The keys of a record store for who keeps an instance: how they compare here, and accepting another one."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from api.config.home import Home
from api.config.settings import Settings, load
from api.wiring.record_keys import statement, states
from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean
from catalog.record_keys import KEYS, RecordKeys
from catalog.records import rfc3339

if TYPE_CHECKING:
    from catalog.adapters.sql.database import Database


def listed(home: Home) -> list[dict[str, object]]:
    """Each key: what it does, how the one here compares with the one that is stated, and who stated that."""
    settings = load(home)
    with _keys(settings, home) as keys:
        stated = keys.stated()
    here = states(home, stated, settings.policies.audit_trusted_keys)
    return [
        {
            "name": name,
            "purpose": purpose,
            "state": here[name],
            "fingerprint": stated[name].fingerprint if name in stated else None,
            "statedBy": f"{stated[name].home} on {stated[name].host}" if name in stated else None,
            "statedAt": rfc3339(stated[name].stated_at) if name in stated else None,
        }
        for name, purpose in KEYS.items()
    ]


def accept(home: Home, name: str) -> None:
    """State the key of this WEIR_HOME in place of the one that is stated. Raises InvalidInput for a name that is none."""
    if name not in KEYS:
        near = difflib.get_close_matches(name, KEYS, 1)
        raise InvalidInput(
            f"There is no key {name!r}.{did_you_mean(near, lead=' ')} Keys: {', '.join(KEYS)}.", details={"near": near}
        )
    with _keys(load(home), home) as keys:
        keys.state(statement(home, name))


@contextmanager
def _keys(settings: Settings, home: Home) -> Iterator[RecordKeys]:
    from catalog.adapters.sql.database import Database
    from catalog.adapters.sql.record_keys import SqlRecordKeys

    database: Database = Database(settings.database.url or home.database_url)
    database.migrate()
    try:
        yield SqlRecordKeys(database)
    finally:
        database.close()
