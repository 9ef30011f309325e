"""What is known of one place when its verdict is due: the merged counters of one recognizer and what surrounds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scanners.detectors.core.base import CANDIDATES, DISTINCT, LOOKED, STOPPED, VALID, VALID_TEXTS, WHOLE
from scanners.detectors.names.fields import of_person, speaks
from scanners.sketch.nodes import Node


@dataclass(slots=True)
class Evidence:
    """Counters of one (path, entity, recognizer), with what surrounds them. `beside`: names of the fields next to it."""

    entity: str
    recognizer: str
    c: Mapping[str, int]
    node: Node
    names: tuple[str, ...]
    beside: frozenset[str] = frozenset()
    by_name: int = field(init=False)

    def __post_init__(self) -> None:
        self.by_name = speaks(self.entity, self.names)
        if self.by_name < 0 and self.prose:
            # The name of a text does not show what people write in it.
            self.by_name = 0

    @property
    def n(self) -> int:
        return max(1, self.c.get("read") or self.node.scanned)

    @property
    def valid(self) -> int:
        return self.c.get(VALID, 0)

    @property
    def _more(self) -> float:
        """Texts the quick pass stopped at, for each that was looked at closely."""
        return max(1.0, self.c.get(STOPPED, 0) / max(1, self.c.get(LOOKED, 0)))

    @property
    def matched(self) -> int:
        return self.scaled(self.c.get(VALID_TEXTS, 0))

    def scaled(self, count: int) -> int:
        """What a count of the texts looked at closely comes to in all texts that were read."""
        return min(self.n, round(count * self._more))

    @property
    def precision(self) -> float:
        return self.valid / max(1, self.c.get(CANDIDATES, 0))

    @property
    def share(self) -> float:
        return self.matched / self.n

    @property
    def distinct(self) -> int:
        """Different texts that are valid. Each batch counts its own, so a few that repeat would be many."""
        counted, whole = self.c.get(DISTINCT, 0), self.node.distinct
        return counted if whole is None else min(counted, whole)

    @property
    def prose(self) -> bool:
        """Most matches are inside longer text."""
        return self.c.get(WHOLE, 0) * 2 < max(1, self.c.get(VALID_TEXTS, 0)) and self.node.traits.get("prose", 0) > 0

    @property
    def personal(self) -> bool:
        """The field, or one beside it, is called as those of a person are."""
        return of_person((*self.names, *self.beside))

    @property
    def spread(self) -> int:
        """How many different third or sixth digits are common: few where ids are counted up."""
        least = 0.03 * max(1, self.c.get(VALID_TEXTS, 0))
        return max(sum(self.c.get(f"{at}_{d}", 0) > least for d in range(10)) for at in ("s3", "s6"))

    def part(self, *marks: str) -> float:
        """The share of all texts that was read with one of these marks, which are of those looked at closely."""
        return self.scaled(sum(self.c.get(mark, 0) for mark in marks)) / self.n

    def of(self, mark: str, whole: str) -> float:
        return self.c.get(mark, 0) / max(1, self.c.get(whole, 0))
