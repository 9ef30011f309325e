"""Text sealed with a key of the instance: encrypted, signed, with the time of sealing. Of the library cryptography."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import cached_property

from cryptography.fernet import Fernet, InvalidToken


class FernetSealer:
    """`Sealer`. `secret` gives bytes of any length, when a key is first needed; the key is made of them."""

    def __init__(self, secret: Callable[[], bytes]) -> None:
        self._secret = secret

    @cached_property
    def _fernet(self) -> Fernet:
        return Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"weir sign-in " + self._secret()).digest()))

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode()

    def open(self, sealed: str, seconds: int | None = None) -> str | None:
        try:
            return self._fernet.decrypt(sealed.encode(errors="replace"), ttl=seconds).decode()
        except (InvalidToken, ValueError):
            return None
