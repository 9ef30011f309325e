"""Where each series of a dataset is in packed values, and what kind it is: masks for calculations on all at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from catalog.paths import FieldPath
from catalog.quality.points import Flags, Numbers
from catalog.quality.series import MOST_SERIES, Measure, Series

_LOGARITHMIC = (Measure.VOLUME, Measure.RECORDS, Measure.DISTINCT)
_DOWN = (Measure.VOLUME, Measure.NULLS, Measure.PRESENCE, Measure.DISTINCT)
_UP = (Measure.VOLUME, Measure.LATENESS, Measure.NULLS, Measure.DISTINCT, Measure.TYPE)


@dataclass(frozen=True, eq=False)
class Layout:
    """Series by their place.

    places    key of a series -> its place
    log       compared by their logarithm; shares are not, lateness is by its fourth root
    up, down  whether leaving the usual range upwards and downwards is an anomaly
    types     (places of type series, places of the null share of their field)
    records   place of the records that a scan read; None where no scan read any
    """

    series: tuple[Series, ...]
    places: Mapping[str, int]
    log: Flags
    up: Flags
    down: Flags
    share: Flags
    presence: Flags
    distinct: Flags
    late: Flags
    volume: Flags
    types: tuple[NDArray[np.int64], NDArray[np.int64]]
    records: int | None

    @property
    def width(self) -> int:
        return len(self.series)

    def compared(self, values: Numbers) -> Numbers:
        """Figures on scales on which chance is about as wide above the middle as below it."""
        positive = np.maximum(values, 0.0)
        roots = np.sqrt(np.sqrt(positive))  # a power takes ten times as long
        return np.where(self.log, np.log1p(positive), np.where(self.late, roots, values))

    def apart(self, values: Numbers, others: Numbers) -> Numbers:
        """How much larger: the difference of shares, of others the logarithm of how many times."""
        times = np.log1p(np.maximum(values, 0.0)) - np.log1p(np.maximum(others, 0.0))
        return np.where(self.share, values - others, times)

    def figures(self, measured: Mapping[Series, float]) -> Numbers:
        """In their places, NaN where nothing was measured. A type that a field has no more has the share 0, and so has the
        presence of a field that is gone while what it was in is there."""
        values = np.full(self.width, np.nan)
        for series, figure in measured.items():
            if (place := self.places.get(series.key)) is not None:
                values[place] = figure
        for place in np.flatnonzero(self.presence & np.isnan(values)).tolist():
            if self._was_looked_for(self.series[place], measured):
                values[place] = 0.0
        return self.with_types(values)

    def with_types(self, values: Numbers) -> Numbers:
        """Types that a field does not have get the share 0 wherever the field was seen. Changes what is given."""
        of_types, of_nulls = self.types
        if len(of_types):
            seen = values[..., of_types]
            absent = np.isnan(seen) & ~np.isnan(values[..., of_nulls])
            values[..., of_types] = np.where(absent, 0.0, seen)
        return values

    def with_learned(self, learned: Numbers) -> Numbers:
        """What was learned, (mean deviation, how many it is of): a type that is new was absent as often as its field was
        seen. Changes what is given."""
        of_types, of_nulls = self.types
        new = of_types[np.isnan(learned[1, of_types])]
        if not len(new):
            return learned
        learned[:, new] = 0.0
        learned[1, new] = learned[1, of_nulls[np.isin(of_types, new)]]
        return learned

    def _was_looked_for(self, series: Series, measured: Mapping[Series, float]) -> bool:
        place = FieldPath.parse(series.path or "value")
        parent = place.parent if place.steps else None
        of_parent = Series(Measure.PRESENCE, str(parent))
        if parent is None or (not parent.steps and of_parent.key not in self.places):
            return Series(Measure.RECORDS) in measured
        return of_parent in measured


def extended(keys: Sequence[str], measured: Mapping[Series, float]) -> tuple[tuple[str, ...], int]:
    """Keys with those of series that are new, and how many found no place."""
    known = set(keys)
    new = [each.key for each in measured if each.key not in known]
    room = max(0, MOST_SERIES - len(keys))
    return (*keys, *new[:room]), len(new) - len(new[:room])


@lru_cache(maxsize=256)
def layout(keys: tuple[str, ...]) -> Layout:
    """The layout of stored keys."""
    series = tuple(map(Series.parse, keys))
    places = {key: place for place, key in enumerate(keys)}

    def mask(*measures: Measure) -> Flags:
        return np.array([each.measure in measures for each in series], dtype=np.bool_)

    typed = [
        (place, places[nulls])
        for place, each in enumerate(series)
        if each.measure is Measure.TYPE and (nulls := Series(Measure.NULLS, each.path).key) in places
    ]
    return Layout(
        series=series,
        places=places,
        log=mask(*_LOGARITHMIC),
        up=mask(*_UP),
        down=mask(*_DOWN),
        share=mask(Measure.NULLS, Measure.PRESENCE, Measure.TYPE),
        presence=mask(Measure.PRESENCE),
        distinct=mask(Measure.DISTINCT),
        late=mask(Measure.LATENESS),
        volume=mask(Measure.VOLUME),
        types=(np.array([a for a, _ in typed], dtype=np.int64), np.array([b for _, b in typed], dtype=np.int64)),
        records=places.get(Series(Measure.RECORDS).key),
    )
