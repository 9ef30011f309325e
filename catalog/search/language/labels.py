"""The labels of an index with their meanings: which of them are near to a question. Pure but for the `Meaning` given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.ports import Meaning


def nearest(rows: Any, question: Any, most: int, least: float) -> list[tuple[int, float]]:
    """(number of the row, likeness) of the rows nearest to a question's vector, nearest first: `most` of them, and none that
    is less like it than `least` (-1..1). rows: numpy, one vector a row."""
    import numpy as np

    if len(rows) == 0:
        return []
    likeness = rows @ question
    best = np.argpartition(-likeness, min(most, len(likeness) - 1))[:most]
    best = best[np.argsort(-likeness[best])]
    return [(int(at), float(likeness[at])) for at in best if likeness[at] >= least]


class Labels:
    """Few words a document, each distinct text once. Not to be changed once made."""

    def __init__(self, meaning: Meaning, labels: Sequence[str] = (), known: Labels | None = None) -> None:
        """`known`: labels whose vectors need not be computed again."""
        import numpy as np

        self._meaning = meaning
        self._rows: Any
        self._at = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        listed = list(self._at)
        old, rows_of_old = (known._at, known._rows) if known is not None else ({}, ())
        fresh = [label for label in listed if label not in old]
        vectors = dict(zip(fresh, meaning.vectors(fresh), strict=True)) if fresh else {}
        rows = [vectors[label] if label in vectors else rows_of_old[old[label]] for label in listed]
        self._listed, self._rows = listed, np.asarray(rows, np.float32)

    def __len__(self) -> int:
        return len(self._listed)

    def near(self, question: Any, most: int, least: float) -> tuple[str, ...]:
        """The labels nearest to a question's vector, nearest first; none that is less like it than `least` (-1..1)."""
        return tuple(self._listed[at] for at, _ in nearest(self._rows, question, most, least))

    def likeness(self, question: Any, labels: Sequence[str]) -> list[float]:
        """-1..1 for each of these labels, known or not."""
        missing = [label for label in dict.fromkeys(labels) if label and label not in self._at]
        vectors = dict(zip(missing, self._meaning.vectors(missing), strict=True)) if missing else {}
        return [
            0.0
            if not label
            else float((self._rows[self._at[label]] if label in self._at else vectors[label]) @ question)
            for label in labels
        ]
