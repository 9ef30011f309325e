"""The keys of MASK_HASH and TOKEN, derived from one secret, and HMAC-SHA256 as a Spark SQL expression."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass, field, replace

from policies.model import Mask

_BLOCK = 64  # bytes of a SHA-256 block


@dataclass(frozen=True, slots=True)
class MaskKeys:
    """Keyed hashing for masks. The secret shows in no repr, message or log.

    There is one secret for an installation. Each topic has keys of its own, one for each kind of personal data, so that
    what somebody learns of masked values in one topic does not help in another. A mask that declares a scope has one
    key wherever it applies: masked values join within the scope.
    """

    secret: bytes = field(repr=False)
    topic: str = ""
    """`CLUSTER/TOPIC` of the records that are masked."""

    def within(self, topic: str) -> MaskKeys:
        """The keys for the records of one topic, by its reference."""
        return replace(self, topic=topic)

    def purpose(self, mask: Mask) -> str:
        """What the key of a MASK_HASH or TOKEN is for, so that two masks have one key only where they mean to."""
        scope = str(mask.params.get("scope", ""))
        within = ["scope", scope] if scope else ["topic", self.topic, mask.kind]
        return json.dumps([str(mask.type), int(mask.params.get("keyVersion", 1)), *within], ensure_ascii=False)

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
