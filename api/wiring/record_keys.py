"""The keys of this process and those of its record store: stated at the first start, compared at every later one."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING

from api.config.home import Home
from api.wiring.clock import now
from catalog.errors import SettingsError
from catalog.record_keys import KEYS, KeyStatement, RecordKeys, fingerprint

if TYPE_CHECKING:
    from catalog.adapters.sql.database import Database

_AUDIT = "audit-signature"


def agree_on_keys(home: Home, database: Database, trusted: list[str]) -> None:
    """State the fingerprints of keys that nobody stated. `trusted`: public keys that may sign the audit beside the one
    that is stated.

    Raises SettingsError for the first key that is another one, or is missing, here.
    """
    from catalog.adapters.sql.record_keys import SqlRecordKeys

    keys: RecordKeys = SqlRecordKeys(database)
    stated = keys.stated()
    if all(name in stated and _agrees(home, stated[name], trusted) for name in KEYS):
        return
    with database.begin():  # of processes that start at once, one states its keys
        stated = keys.stated()
        for name in KEYS:
            if name in stated:
                require_same(home, stated[name], trusted)
            else:
                keys.state(statement(home, name))


def statement(home: Home, name: str) -> KeyStatement:
    """What this process states of its key, which is made where there is none."""
    return KeyStatement(name, fingerprint(name, home.secret(name)), socket.gethostname(), str(home.root), now())


def require_same(home: Home, stated: KeyStatement, trusted: list[str]) -> None:
    """Raises SettingsError where the key here is missing or another one."""
    if _agrees(home, stated, trusted):
        return
    name = stated.name
    missing = home.kept_secret(name) is None
    what = "is missing" if missing else "is not the one of this record store"
    other = " and not in policies.audit_trusted_keys" if name == _AUDIT and trusted and not missing else ""
    raise SettingsError(
        f"The key {home.secrets / name} ({KEYS.get(name, 'a key')}) {what}{other}: {stated.home} on {stated.host} stated the"
        f" fingerprint {stated.fingerprint} on {stated.stated_at:%Y-%m-%d}. Copy the folder secrets from there, run"
        f" `weir backup restore FILE --keys-only`, or, where that key is lost, run `weir server keys --accept {name}` here."
    )


def states(home: Home, stated: Mapping[str, KeyStatement], trusted: list[str]) -> dict[str, str]:
    """Name of each key -> `same`, `other`, `trusted`, `missing` or `not stated`."""
    compared: dict[str, str] = {}
    for name in KEYS:
        own = home.kept_secret(name)
        if own is None:
            compared[name] = "missing"
        elif name not in stated:
            compared[name] = "not stated"
        elif fingerprint(name, own) == stated[name].fingerprint:
            compared[name] = "same"
        else:
            compared[name] = "trusted" if _agrees(home, stated[name], trusted) else "other"
    return compared


def _agrees(home: Home, stated: KeyStatement, trusted: list[str]) -> bool:
    own = home.kept_secret(stated.name)
    if own is None:
        return False
    if fingerprint(stated.name, own) == stated.fingerprint:
        return True
    return stated.name == _AUDIT and bool(trusted) and _public(own) in trusted


def _public(secret: str) -> str:
    from policies.adapters.signing import Ed25519Signer

    return Ed25519Signer(secret.encode).public_key()
