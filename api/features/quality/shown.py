"""The quality of a dataset as one caller may see it: series whose figures they may see, the others counted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from api.features.quality import answers
from api.visibility.sight import Sight, shows_figures, withheld
from catalog.quality.series import Measure, Series
from catalog.quality.service import Courses
from catalog.quality_store import Anomaly, QualityMark, Tier
from catalog.records import rfc3339

UNITS: dict[Measure, answers.Unit] = {
    Measure.VOLUME: "recordsPerHour",
    Measure.RECORDS: "records",
    Measure.LATENESS: "seconds",
    Measure.NULLS: "share",
    Measure.PRESENCE: "share",
    Measure.DISTINCT: "values",
    Measure.TYPE: "share",
}


def quality(
    reference: str,
    courses: Courses,
    marks: list[QualityMark],
    sight: Sight,
    *,
    sensitivity: str,
    tier: Tier,
    path: str | None,
    measure: str | None,
    limit: int,
    offset: int,
) -> answers.DatasetQuality:
    """`path`: a field, and all that is in it; empty: the records as a whole. `measure`: as `type` or `type:int64`."""
    fitting = [(place, series) for place, series in enumerate(courses.series) if _fits(series, path, measure)]
    visible = [(place, series) for place, series in fitting if shows_figures(sight, series.path)]
    visible.sort(key=lambda each: _rank(courses, *each))
    return answers.DatasetQuality(
        dataset=reference,
        checkedAt=rfc3339(courses.checked_at),
        sensitivity=sensitivity,
        resolution=str(tier),
        series=[_series(courses, place, series) for place, series in visible[offset : offset + limit]],
        total=len(visible),
        marks=list(map(mark, marks)),
        withheld=withheld(sight, fields=sight.counts and len(visible) < len(fitting)),
        withheldSeries=len(fitting) - len(visible),
        leftOut=courses.left_out,
    )


def anomalies(reference: str, known: list[Anomaly], sight: Sight) -> answers.Anomalies:
    """Those of series that the caller may see figures of."""
    visible = [each for each in known if shows_figures(sight, each.path)]
    return answers.Anomalies(
        dataset=reference,
        anomalies=list(map(_anomaly, visible)),
        withheldAnomalies=len(known) - len(visible),
    )


def mark(each: QualityMark) -> answers.QualityMark:
    """A mark as it is shown."""
    return answers.QualityMark(
        id=each.id,
        kind=each.kind,
        startsAt=rfc3339(each.starts_at),
        endsAt=rfc3339(each.ends_at),
        note=each.note,
        markedBy=each.marked_by,
    )


def _rank(courses: Courses, place: int, series: Series) -> int:
    """Those of the records first, then those with something unusual, then those that change."""
    if series.path is None:
        return 0
    if (courses.seen.unusual[:, place] > 0).any():
        return 1
    figures = courses.seen.mean[:, place]
    figures = figures[~np.isnan(figures)]
    return 2 if figures.size and figures.min() < figures.max() else 3


def _fits(series: Series, path: str | None, measure: str | None) -> bool:
    if measure is not None and measure not in (series.name, str(series.measure)):
        return False
    if path is None:
        return True
    own = series.path or ""
    return own == path or (path != "" and own.startswith((f"{path}.", f"{path}[", f"{path}{{", f"{path}@")))


def _series(courses: Courses, place: int, series: Series) -> answers.QualitySeries:
    usual = courses.usual
    shown = None
    if usual is not None and usual.enough[place] and series.measure is not Measure.RECORDS:
        shown = answers.UsualRange(low=_figure(usual.low[place]), high=_figure(usual.high[place]))
    return answers.QualitySeries(
        path=series.path,
        measure=series.name,
        unit=UNITS[series.measure],
        usual=shown,
        points=list(_points(courses, place)),
    )


def _points(courses: Courses, place: int) -> Iterator[answers.SeriesPoint]:
    seen = courses.seen
    for row, at in enumerate(seen.at):
        if not np.isnan(seen.mean[row, place]):
            yield answers.SeriesPoint(
                at=rfc3339(at),
                value=_figure(seen.mean[row, place]),
                low=_figure(seen.low[row, place]),
                high=_figure(seen.high[row, place]),
                unusual=bool(seen.unusual[row, place] > 0),
            )


def _figure(value: float) -> float:
    """Kept in 32 bits, of which the seventh digit is chance."""
    return float(f"{float(value):.6g}")


def _anomaly(each: Anomaly) -> answers.Anomaly:
    return answers.Anomaly(
        id=each.id,
        path=each.path,
        measure=each.measure,
        direction=each.direction,
        reason=each.reason,
        value=_figure(each.value),
        usual=answers.UsualRange(low=_figure(each.low), high=_figure(each.high)),
        score=_figure(each.score),
        beganAt=rfc3339(each.began_at),
        seenAt=rfc3339(each.seen_at),
        endedAt=rfc3339(each.ended_at),
        endedWhy=each.ended_why,
    )
