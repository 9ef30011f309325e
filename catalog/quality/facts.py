"""What is kept between two checks of a dataset, beside its points: see `QualityState.facts`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from catalog.quality.episodes import Episode
from catalog.quality.layout import Layout
from catalog.quality.measuring import Reach
from catalog.quality.usual import Levels
from catalog.records import rfc3339


@dataclass(frozen=True, slots=True)
class Facts:
    """JSON-ready by `to_json`.

    reach     how far the topic had come
    episodes  key of a series -> its episode
    levels    key of a series -> (since when, until when) what was unusual is taken as usual; seconds since 1970
    left_out  series that found no place
    marked_until  when the last mark ends; seconds since 1970
    """

    reach: Reach | None = None
    episodes: Mapping[str, Episode] = field(default_factory=dict)
    levels: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    left_out: int = 0
    marked_until: float = 0.0

    @staticmethod
    def of(data: Mapping[str, Any]) -> Facts:
        reach = data.get("reach")
        return Facts(
            Reach(datetime.fromisoformat(reach["at"]), reach["ends"], reach["span"]) if reach else None,
            {key: Episode.from_json(each) for key, each in (data.get("episodes") or {}).items()},
            {key: (float(each[0]), float(each[1])) for key, each in (data.get("levels") or {}).items()},
            int(data.get("leftOut", 0)),
            float(data.get("markedUntil", 0)),
        )

    def to_json(self) -> dict[str, object]:
        reach = self.reach
        return {
            "reach": {"at": rfc3339(reach.at), "ends": dict(reach.ends), "span": reach.span} if reach else None,
            "episodes": {key: each.to_json() for key, each in self.episodes.items()},
            "levels": {key: list(each) for key, each in self.levels.items()},
            "leftOut": self.left_out,
            "markedUntil": self.marked_until,
        }

    def levels_of(self, layout: Layout) -> Levels:
        """In the places of the series."""
        levels = Levels(np.full(layout.width, np.nan), np.full(layout.width, np.nan))
        for place, series in enumerate(layout.series if self.levels else ()):
            if (level := self.levels.get(series.key)) is not None:
                levels.since[place], levels.accepted[place] = level
        return levels
