"""How far a series must leave its usual range to be an anomaly; declared of a dataset."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SensitivityName = Literal["off", "low", "normal", "high"]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """All of these must hold of an anomaly.

    score     usual deviations from the middle of what is usual
    factor    volume and distinct values: so many times as many, or as few
    share     shares: so much more or less, 0..1
    late      lateness: so many seconds more
    in_a_row  scans that see it, unless it is twice as far out
    """

    score: float
    factor: float
    share: float
    late: float
    in_a_row: int = 2

    @property
    def margin(self) -> float:
        """Of what is compared by its logarithm."""
        return math.log(self.factor)


SENSITIVITIES: Mapping[str, Sensitivity] = {
    "low": Sensitivity(score=6, factor=4, share=0.2, late=3600, in_a_row=3),
    "normal": Sensitivity(score=3.5, factor=2, share=0.05, late=300),
    "high": Sensitivity(score=3, factor=1.4, share=0.02, late=60),
}
NORMAL: SensitivityName = "normal"
