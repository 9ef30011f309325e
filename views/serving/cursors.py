"""Where the next page of an answer begins, as a text that only Weir can read or write.

A place holds the last key, which may be personal data, and requests are logged; so it is encrypted. A cursor is good
for one view, one generation and one way of reading; it needs no state and outlives a restart.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from catalog.errors import InvalidInput
from policies.masks.keys import MaskKeys

_NONCE = 12


@dataclass(frozen=True, slots=True)
class Place:
    """The page begins behind `last`. It is a stored `Row.key`, or, where `masked`, a row as the asker sees it (see
    `views.serving.page`), of which `skip` equal ones were given already."""

    last: str
    masked: bool = False
    skip: int = 0


class Cursors:
    def __init__(self, keys: MaskKeys) -> None:
        self._box = AESGCM(keys.derived("view-cursor"))

    def write(self, view: str, generation: str, place: Place) -> str:
        plain = json.dumps([generation, place.last, place.masked, place.skip]).encode()
        nonce = os.urandom(_NONCE)
        sealed = nonce + self._box.encrypt(nonce, plain, view.encode())
        return base64.urlsafe_b64encode(sealed).decode("ascii").rstrip("=")

    def read(self, view: str, generation: str, cursor: str) -> Place:
        """Raises InvalidInput when it is not one of this view, or is of another generation."""
        try:
            sealed = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
            plain = self._box.decrypt(sealed[:_NONCE], sealed[_NONCE:], view.encode())
        except (binascii.Error, ValueError, InvalidTag) as error:
            raise InvalidInput(
                f"cursor is none of the view {view}; give the text that came as `next`, or leave it out to begin again.",
                details={"field": "cursor"},
            ) from error
        of, last, masked, skip = json.loads(plain)
        if of != generation:
            raise InvalidInput(
                f"The rows of the view {view} were built again since this cursor was given; leave out cursor to begin again.",
                details={"field": "cursor", "generation": generation},
            )
        return Place(last, masked, skip)
