"""What a detector finds in labelled columns against what they hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tests.pii_corpus.columns import Column

Says = Callable[[Column], set[tuple[str, str]]]
"""(path, entity) a detector reports for the topic that holds the column."""

PATTERN_TYPES = {
    "EMAIL_ADDRESS": "e-mail",
    "PHONE_NUMBER": "phone",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "IBAN",
    "IP_ADDRESS": "IP",
    "US_SSN": "SSN",
    "CRYPTO": "crypto",
    "MAC_ADDRESS": "MAC",
}
OTHER_TYPES = frozenset(
    {
        "PERSON",
        "LOCATION",
        "DATE_OF_BIRTH",
        "PASSWORD",
        "API_KEY",
        "URL",
        "DEVICE_ID",
        "ADVERTISING_ID",
        "GEO_COORDINATES",
        "PASSPORT",
        "DRIVER_LICENSE",
        "LICENSE_PLATE",
        "VIN",
        "USERNAME",
        "GENDER",
        "RELIGION",
        "ETHNICITY",
        "POLITICAL_OPINION",
        "SEXUAL_ORIENTATION",
        "HEALTH",
        "TRADE_UNION_MEMBERSHIP",
        "BIOMETRIC_ID",
    }
)
NINE = frozenset({*PATTERN_TYPES.values(), "national id"})
TWELVE = NINE | {"PERSON", "LOCATION", "DATE_OF_BIRTH"}


def type_of(entity: str) -> str:
    """The nine pattern types by their short names, national ids as one; others by themselves."""
    return entity if entity in OTHER_TYPES else PATTERN_TYPES.get(entity, "national id")


@dataclass
class Count:
    right: int = 0
    missed: int = 0
    wrong: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, 2 * self.right + self.missed + self.wrong)


@dataclass
class Score:
    """Counts by type of entity and by kind of column; the clean columns that were flagged; what went wrong, in words."""

    types: Mapping[str, Count] = field(default_factory=lambda: defaultdict(Count))
    kinds: Mapping[str, Count] = field(default_factory=lambda: defaultdict(Count))
    clean: int = 0
    flagged: int = 0
    faults: list[str] = field(default_factory=list)

    def total(self, types: Iterable[str] | None = None) -> Count:
        """Of these types, by default the nine pattern types."""
        chosen = [self.types[t] for t in types or NINE]
        return Count(sum(c.right for c in chosen), sum(c.missed for c in chosen), sum(c.wrong for c in chosen))


def judge(columns: Iterable[Column], says: Says) -> Score:
    """A tag is right at the column's own path with the column's own entity; every other tag is wrong."""
    score = Score()
    for column in columns:
        verdict = says(column)
        wanted = (column.path, column.entity)
        extra = {entity for path, entity in verdict if (path, entity) != wanted and entity not in column.also}
        where = f"{column.kind} {column.path} {column.what}".strip()
        if column.entity is None:
            score.clean += 1
            score.flagged += bool(extra)
        elif wanted in verdict:
            score.types[type_of(column.entity)].right += 1
            score.kinds[column.kind].right += 1
        else:
            score.types[type_of(column.entity)].missed += 1
            score.kinds[column.kind].missed += 1
            score.faults.append(f"missed {column.entity} in {where}")
        for entity in sorted(extra):
            score.types[type_of(entity)].wrong += 1
            score.kinds[column.kind].wrong += 1
            score.faults.append(f"wrong {entity} in {where}")
    return score
