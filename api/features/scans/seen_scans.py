"""Scans cut to what their reader may know of, and may count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from api.visibility import figures, sight
from api.visibility.readers import Reader
from api.visibility.sight import Sights
from catalog.model import DatasetId
from catalog.scan_store import ScanRecord
from policies.decision.domains import Reach
from policies.decision.visibility import DatasetKnowledge


class SeenScans:
    """Who may not start a scan does not see how many records of others it read."""

    def __init__(self, reader: Reader, sights: Sights, operates: bool, within: Reach) -> None:
        """`operates`: whether the reader may scan everything; `within`: the datasets they may scan by their domains."""
        self._reader, self._sights, self._operates, self._within = reader, sights, operates, within

    def of(self, scans: Iterable[ScanRecord]) -> list[ScanRecord]:
        """Without scans of which nothing may be known."""
        if self._operates and self._reader.horizon is None:
            return list(scans)
        shown = []
        for scan in scans:
            listed = self._without_names(replace(scan, datasets=tuple(self._rows(scan))))
            if listed.request["topics"] or not scan.request.get("topics"):
                shown.append(listed)
        return shown

    def _rows(self, scan: ScanRecord) -> Iterable[Mapping[str, Any]]:
        for row in scan.datasets:
            dataset = DatasetId(str(row.get("namespace")), str(row.get("name")))
            if not self._reader.knows(dataset):
                continue
            shown = _cut(row, self._reader.known_of(dataset))
            record = self._reader.store.dataset(dataset)
            if not self._operates and not (record is not None and self._within.has(record.reference)):
                seen = self._sights.of(record) if record is not None else sight.Sight()
                shown = figures.without_counts(shown, seen)
            yield shown

    def _without_names(self, scan: ScanRecord) -> ScanRecord:
        """A scan without what names, or counts, a dataset that the reader may not know of."""
        reader, about = self._reader, {"cluster": scan.request.get("cluster")}
        topics = scan.request.get("topics") or ()
        known = [each for each in topics if not reader.mentions_hidden({**about, "topic": each})]
        problems = tuple(each for each in scan.problems if not reader.names_uncertain({**about, "problem": each}))
        return replace(scan, request={**scan.request, "topics": known}, problems=problems)


def _cut(row: Mapping[str, Any], known: DatasetKnowledge) -> dict[str, object]:
    """The row of a dataset without what the reader may not know of it."""
    schema: dict[str, object] = {} if known.schema else {"version": 0, "format": {}, "fields": 0, "shapes": 0}
    # Problems name fields and kinds of data.
    evidence: dict[str, object] = {} if known.evidence else {"entities": [], "problems": []}
    return {**row, **schema, **evidence}
