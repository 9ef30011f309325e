"""The keys in a backup: taken from WEIR_HOME, compared with the record store, put back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.config.home import Home, write_private
from api.config.settings import Settings
from api.wiring.record_keys import require_same
from catalog.errors import InvalidInput, SettingsError
from catalog.record_keys import KEYS, KeyStatement, fingerprint

if TYPE_CHECKING:
    from catalog.adapters.sql.store_copy import StoreCopy

STATED_KEYS = "record_keys"
"""The table of the record store that states its keys."""


def own_keys(home: Home, store: StoreCopy, revision: str, settings: Settings) -> dict[str, str]:
    """The keys of WEIR_HOME. Raises SettingsError where they are not those of the record store."""
    for stated in _stated(store, revision):
        require_same(home, stated, settings.policies.audit_trusted_keys)
    keys = {name: key for name in KEYS if (key := home.kept_secret(name)) is not None}
    if "masks" not in keys:
        raise SettingsError(
            f"There is no key {home.secrets / 'masks'}, without which masked values would change; set WEIR_HOME to the folder of"
            " an instance that uses this record store."
        )
    return keys


def _stated(store: StoreCopy, revision: str) -> Iterator[KeyStatement]:
    from datetime import datetime

    from catalog.adapters.sql.table_shapes import shapes

    for shape in shapes(revision):
        if shape.name == STATED_KEYS:
            for row in store.rows(shape):
                cells = dict(zip(shape.kinds, row, strict=True))
                yield KeyStatement(**{**cells, "stated_at": datetime.fromisoformat(cells["stated_at"])})


def check_key(file: Path, keys: Mapping[str, str], stated: Mapping[str, Any]) -> None:
    """Raises InvalidInput where a backup lacks a key that its record store states, or has another one."""
    name = str(stated["name"])
    if name not in keys:
        raise InvalidInput(f"{file} has no key {name}, which its record store needs; use another backup.")
    if name != "audit-signature" and fingerprint(name, keys[name]) != stated["fingerprint"]:
        raise InvalidInput(f"The key {name} in {file} is not the one of its record store; use another backup.")


def refuse_other_keys(home: Home, keys: Mapping[str, str]) -> None:
    """Raises SettingsError where WEIR_HOME has another key than the backup."""
    for name, key in keys.items():
        if home.kept_secret(name) not in (None, key):
            raise SettingsError(
                f"{home.secrets / name} is another key than the one in the backup; set WEIR_HOME to a new folder, or move the file"
                " away where nothing needs it."
            )


def keep_keys(home: Home, keys: Mapping[str, str], admin_token: str | None = None) -> None:
    """Put keys into WEIR_HOME where they are not yet, and the admin's token where one is given. Raises SettingsError."""
    try:
        for name, key in keys.items():
            if home.kept_secret(name) is None:
                home.keep_secret(name, key)
        if admin_token is not None:
            write_private(home.admin_token, admin_token)
    except OSError as error:
        raise SettingsError(
            f"The keys cannot be written to {home.secrets} ({error.strerror}); free the disk, or give the folder to this user."
            " Nothing was restored."
        ) from error


def kept_admin_token(home: Home) -> list[tuple[str]]:
    """The first admin's token, of which the record store has only the hash. Raises SettingsError."""
    try:
        return [(home.admin_token.read_text(),)] if home.admin_token.exists() else []
    except OSError as error:
        raise SettingsError(
            f"{home.admin_token} cannot be read ({error.strerror}); run this as the user of Weir."
        ) from error
