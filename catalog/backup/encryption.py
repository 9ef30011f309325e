"""How the frames of a backup are sealed: by a hash, or encrypted by a key that is made of a passphrase."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from catalog.errors import InvalidInput

_SCRYPT = {"n": 2**15, "r": 8, "p": 1}
"""32 MiB and about a tenth of a second for each guess at a passphrase."""
_HASH = 32
_TAG = 16


class Seal(Protocol):
    """Seals one frame after another. `bound`: bytes that are not in the frame and must be the same at both ends."""

    @property
    def size(self) -> int:
        """Bytes that a sealed frame is longer."""
        ...

    def close(self, number: int, bound: bytes, payload: bytes) -> bytes: ...

    def open(self, number: int, bound: bytes, sealed: bytes) -> bytes | None:
        """The payload; None where the frame was changed."""
        ...


class HashSeal:
    """SHA-256 behind the payload: notices every change, hides nothing."""

    size = _HASH

    def close(self, number: int, bound: bytes, payload: bytes) -> bytes:
        return payload + self._hash(number, bound, payload)

    def open(self, number: int, bound: bytes, sealed: bytes) -> bytes | None:
        payload, digest = sealed[:-_HASH], sealed[-_HASH:]
        return payload if self._hash(number, bound, payload) == digest else None

    def _hash(self, number: int, bound: bytes, payload: bytes) -> bytes:
        return hashlib.sha256(number.to_bytes(8) + bound + payload).digest()


@dataclass(frozen=True, slots=True)
class PassphraseSeal:
    """AES-256-GCM. Each file has a salt, so a key of its own, for which the number of a frame is used once."""

    key: bytes = field(repr=False)
    size: int = _TAG

    def close(self, number: int, bound: bytes, payload: bytes) -> bytes:
        return AESGCM(self.key).encrypt(number.to_bytes(12), payload, bound)

    def open(self, number: int, bound: bytes, sealed: bytes) -> bytes | None:
        try:
            return AESGCM(self.key).decrypt(number.to_bytes(12), sealed, bound)
        except InvalidTag:
            return None


def new_seal(passphrase: str | None) -> tuple[Seal, Mapping[str, Any] | None]:
    """A seal for a new file, and what of it is in the file's first line: None without encryption."""
    if passphrase is None:
        return HashSeal(), None
    salt = os.urandom(16).hex()
    key, check = _keys(passphrase, salt)
    return PassphraseSeal(key), {"cipher": "AES-256-GCM", "scrypt": _SCRYPT, "salt": salt, "check": check}


def seal_of(stated: Mapping[str, Any] | None, passphrase: str | None, name: str) -> Seal:
    """The seal of a file whose first line states this. Raises InvalidInput for a passphrase that is missing or wrong."""
    if stated is None:
        return HashSeal()
    if stated.get("cipher") != "AES-256-GCM" or stated.get("scrypt") != _SCRYPT:
        raise InvalidInput(
            f"{name} is encrypted in a way that this version does not know; it was changed, or is of a newer Weir."
        )
    if passphrase is None:
        raise InvalidInput(
            f"{name} is encrypted; name a file with its passphrase in --passphrase-file, or set WEIR_BACKUP_PASSPHRASE."
        )
    key, check = _keys(passphrase, str(stated.get("salt")))
    if not hmac.compare_digest(check.encode(), str(stated.get("check")).encode(errors="replace")):
        raise InvalidInput(f"The passphrase is not the one of {name}, or the first line of the file was changed.")
    return PassphraseSeal(key)


def _keys(passphrase: str, salt: str) -> tuple[bytes, str]:
    """The key of frames, and a text by which a wrong passphrase differs from a changed file."""
    both = hashlib.scrypt(passphrase.encode(), salt=salt.encode(errors="replace"), maxmem=2**27, dklen=64, **_SCRYPT)
    return both[:32], hmac.new(both[32:], b"weir backup", hashlib.sha256).hexdigest()[:32]
