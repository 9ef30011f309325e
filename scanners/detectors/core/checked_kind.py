"""A kind of personal data whose values have a form and a validator: everything about it in one object.

Weir's own are in `scanners.detectors.checked`; other packages add theirs by entry points of the group `weir.detectors`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from scanners.detectors.core.base import VERSION, Pattern

CODES = frozenset({
        "sku", "product", "item", "article", "part", "gtin", "ean", "upc", "isbn", "asin", "barcode", "order", "invoice",
        "ticket", "case", "ref", "reference", "tracking", "awb",
    "waybill", "shipment", "parcel", "serial", "batch", "lot", "version",
        "build", "hash", "checksum", "etag", "digest", "sha", "md5", "offset", "sequence", "seq", "timestamp", "ts",
        "epoch", "time", "created", "updated", "amount", "price", "total", "count", "quantity", "qty", "size", "weight",
        "duration", "latency", "bytes", "score", "rate", "port", "code", "coupon", "voucher", "trace", "span",
        "correlation", "request", "session", "iccid",
    })  # fmt: skip
"""Words of names that hold numbers of things: evidence against most kinds of numbers."""


class ColumnEvidence(Protocol):
    """What is known of one column for one recognizer; see `scanners.detectors.evidence.Evidence`.

    by_name     1: the field's name is evidence for the kind; -1: against it; 0: neither
    c           counters: those of the base, and the marks that the validator raised
    n           texts that were read; matched: texts with a valid candidate; valid: valid candidates
    precision   share of the candidates that are valid; share: of the texts that hold a valid one
    distinct    different texts with a valid candidate
    prose       most matches are inside longer text
    """

    recognizer: str
    by_name: int
    c: Mapping[str, int]

    @property
    def n(self) -> int: ...
    @property
    def valid(self) -> int: ...
    @property
    def matched(self) -> int: ...
    @property
    def precision(self) -> float: ...
    @property
    def share(self) -> float: ...
    @property
    def distinct(self) -> int: ...
    @property
    def prose(self) -> bool: ...

    def of(self, mark: str, whole: str) -> float:
        """A counter as a share of another one."""
        ...


def by_validator(e: ColumnEvidence) -> float:
    """Score of a number whose validator seldom accepts a random text, such as one with two check digits."""
    if not e.valid or e.by_name < 0:
        return 0.0
    if e.by_name > 0:
        return 0.95 if e.precision >= 0.5 else 0.0
    return 0.8 if e.precision >= 0.85 and e.distinct >= 3 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedKind:
    """One kind of personal data.

    entity         name of the tag, in capitals
    patterns       how a value looks, and the validator; each with this entity
    score          0..1 from what a column holds; below 0.5 there is no tag
    names          words of field names that are evidence for it, in lower case; phrases are joined by _
    other_names    words that are evidence against it
    number         whether it competes with cards, phone numbers and national numbers for the same digits
    validated_by   for people: what makes a candidate valid
    examples       texts that hold a valid value; each is tried when the kind is loaded
    version        of the recognizers; a change has every column judged again
    """

    entity: str
    patterns: tuple[Pattern, ...]
    validated_by: str
    examples: tuple[str, ...]
    score: Callable[[ColumnEvidence], float] = by_validator
    names: frozenset[str] = frozenset()
    other_names: frozenset[str] = frozenset()
    number: bool = False
    version: str = VERSION
