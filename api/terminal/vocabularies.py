"""Words that an option takes and that no room has a type for. An option of such a type refuses another word with exit code 2."""

from __future__ import annotations

from enum import StrEnum


class SearchKind(StrEnum):
    """What a search finds."""

    DATASET = "dataset"
    FIELD = "field"


class Rebuilt(StrEnum):
    SEARCH = "search"
    LINEAGE = "lineage"


class Origin(StrEnum):
    """How an edge of lineage is known."""

    OBSERVED = "observed"
    DECLARED = "declared"
    PERMITTED = "permitted"


class Holder(StrEnum):
    """Who has access."""

    USER = "user"
    GROUP = "group"
    ROLE = "role"


class RightKind(StrEnum):
    """What a right comes from."""

    GRANT = "grant"
    ROLE = "role"
    OWNER = "owner"


class SightLevel(StrEnum):
    """What somebody sees of a dataset."""

    CLEAR = "clear"
    PARTLY = "partly"
    MASKED = "masked"
    NONE = "none"


class Severity(StrEnum):
    """How bad a finding is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"


class Unconfirmed(StrEnum):
    """What becomes of a right that nobody confirmed."""

    REVOKE = "revoke"
    KEEP = "keep"
