"""Anomalies are faults of a dataset: each opens an incident, or joins the one that lasts."""

from __future__ import annotations

from catalog.incident_store import IncidentCause, IncidentKey
from catalog.incidents.fault import Fault
from catalog.incidents.service import Incidents
from catalog.quality.series import Series
from catalog.quality.words import title
from catalog.quality_store import Anomaly
from catalog.records import DatasetRecord

SOURCE = "quality"
_WORDS = {
    "usual": "It is in its usual range again",
    "accepted": "It lasted so long that it is usual now",
    "marked": "A mark covers the time in which it began",
    "off": "Anomalies of the dataset are off",
}


class IncidentAlarms:
    """See `catalog.quality.service.Alarms`."""

    def __init__(self, incidents: Incidents) -> None:
        self._incidents = incidents

    def lasts(self, record: DatasetRecord, anomaly: Anomaly) -> None:
        """The incident has the reason of the scan that saw it last."""
        series = Series.parse(_rule(anomaly))
        self._incidents.report(
            Fault(
                dataset=anomaly.dataset,
                cause=IncidentCause.QUALITY,
                source=SOURCE,
                rule=series.key,
                title=title(record.id.name, series),
                reason=anomaly.reason,
                at=anomaly.seen_at,
                path=anomaly.path,
            )
        )

    def ended(self, record: DatasetRecord, anomaly: Anomaly) -> None:
        """The incident is over, unless a person resolved it before."""
        key = IncidentKey(anomaly.dataset, IncidentCause.QUALITY, SOURCE, _rule(anomaly))
        why = anomaly.ended_why or "usual"
        self._incidents.recovered(
            key, anomaly.ended_at or anomaly.seen_at, _WORDS[why], withdrawn=why in ("marked", "off")
        )


def _rule(anomaly: Anomaly) -> str:
    return anomaly.measure if anomaly.path is None else f"{anomaly.measure} {anomaly.path}"
