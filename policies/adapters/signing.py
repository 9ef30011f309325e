"""Signatures with a key of the instance, and checking them: Ed25519 of the library cryptography."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import cached_property

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


class Ed25519Signer:
    """`policies.audit.export.Signer`. `secret` gives bytes of any length, when the key is first needed."""

    def __init__(self, secret: Callable[[], bytes]) -> None:
        self._secret = secret

    @cached_property
    def _key(self) -> Ed25519PrivateKey:
        seed = hashlib.sha256(b"weir audit signature " + self._secret()).digest()
        return Ed25519PrivateKey.from_private_bytes(seed)

    def sign(self, data: bytes) -> str:
        return base64.b64encode(self._key.sign(data)).decode()

    def public_key(self) -> str:
        return base64.b64encode(self._key.public_key().public_bytes_raw()).decode()


def verified(public_key: str, signature: str, data: bytes) -> bool:
    """`policies.audit.file_check.Verifier`."""
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True))
        key.verify(base64.b64decode(signature, validate=True), data)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True
