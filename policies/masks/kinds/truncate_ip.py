"""TRUNCATE_IP: the network of an address."""

from __future__ import annotations

import re

from policies.masks.kind import MaskKind, Meaning
from policies.masks.texts import redacted, redacted_sql
from policies.model import Mask

_IP4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+)?\Z")
_IP6 = re.compile(
    r"[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?::?[0-9]{1,3}(?:\.[0-9]{1,3}){3})?(?:%[A-Za-z0-9_]+)?\Z"
)


class TruncateIp(MaskKind):
    """Hides the host. A text that is not an address is masked as by MASK."""

    name = "TRUNCATE_IP"
    rank = 24
    meaning = Meaning("`10.1.2.0`, `2001:db8:1::`", "0", "1900-01-01", "the host")
    example = ("10.1.2.3", "10.1.2.0")
    aliases = ("IP",)
    proven = True

    def text_sql(self, mask: Mask, value: str) -> str:
        four = r"^\\d{1,3}(\\.\\d{1,3}){3}(:\\d+)?\\z"
        six = r"^[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){2,7}(:?\\d{1,3}(\\.\\d{1,3}){3})?(%\\w+)?\\z"
        network = f"array_join(slice(split(substring_index({value}, '::', 1), ':'), 1, 3), ':')"
        return (
            f"CASE WHEN {value} RLIKE '{four}' THEN concat(substring_index({value}, '.', 3), '.0')"
            f" WHEN {value} RLIKE '{six}' THEN concat({network}, '::') ELSE {redacted_sql(value)} END"
        )

    def text(self, mask: Mask, value: str) -> str:
        if _IP4.match(value):
            return ".".join(value.split(".")[:3]) + ".0"
        if _IP6.match(value):
            return ":".join(value.split("::", 1)[0].split(":")[:3]) + "::"
        return redacted(value)
