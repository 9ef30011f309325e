"""The keys of MASK_HASH and TOKEN, derived from one secret, and HMAC-SHA256 as a Spark SQL expression."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field

_BLOCK = 64  # bytes of a SHA-256 block


@dataclass(frozen=True, slots=True)
class MaskKeys:
    """Keyed hashing for masks. The secret shows in no repr, message or log.

    One secret for a whole installation makes masked values join across topics and queries.
    """

    secret: bytes = field(repr=False)

    def derived(self, purpose: str) -> bytes:
        return hmac.new(self.secret, b"weir-mask-1:" + purpose.encode(), hashlib.sha256).digest()

    def hexdigest(self, purpose: str, value: bytes) -> str:
        return hmac.new(self.derived(purpose), value, hashlib.sha256).hexdigest()

    def sql(self, purpose: str, text: str) -> str:
        """Spark SQL of the hex HMAC-SHA256 of a STRING or BINARY expression. Spark 4.0 has no hmac of its own."""
        key = self.derived(purpose).ljust(_BLOCK, b"\0")
        inner = bytes(b ^ 0x36 for b in key).hex()
        outer = bytes(b ^ 0x5C for b in key).hex()
        return f"sha2(concat(X'{outer}', unhex(sha2(concat(X'{inner}', CAST({text} AS BINARY)), 256))), 256)"
