"""The dataset record: what a scan changes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from catalog.datasets.carry_over import carry_over
from catalog.datasets.changes import DatasetChanges
from catalog.datasets.classification_events import scan_events
from catalog.datasets.diff import differences
from catalog.datasets.merge import merge_scan
from catalog.datasets.reported import is_reported
from catalog.datasets.schema_events import schema_events
from catalog.errors import DatasetNotFound
from catalog.model import DatasetId, DatasetScan, SchemaVersion
from catalog.records import DatasetRecord, StoredSchema, rfc3339


class ScanResults(DatasetChanges):
    """Takes in what scans learned of datasets."""

    def record_scan(self, scan: DatasetScan) -> SchemaVersion:
        """Take in what a scan learned. Gives the schema as stored: a new version only when it differs in what matters.

        Reviews outlive scans (see `catalog.datasets.merge`). A dataset not known before is recorded. One that is unchanged
        keeps what is known of it.
        """
        dataset = self.resolve(scan.dataset.namespace, scan.dataset.name)
        now = self._clock()
        if scan.unchanged:
            return self.record_unchanged(dataset)[1]
        with self._store.transaction():
            record = self._store.dataset(dataset) or self._new(dataset, now)
            stored = self._store.schema(dataset)
            scanned = scan.schema
            record = self._store.put_dataset(
                replace(
                    record,
                    format={**record.format, **scanned.format, **self._declared_format(record)},
                    scan=_scan_facts(scan, now),
                    scanned_at=now,
                    last_seen_at=now,
                    deleted_at=None,
                    source="catalog",
                )
            )
            if stored is not None and is_reported(stored.current) and scanned.fields:
                self._store.clear_schemas(dataset)  # what is scanned comes before what producers report
                stored = None
            schema = self._keep_schema(dataset, stored, scanned, now)
            self._tell(record, schema_events(stored, self._store.schema(dataset)))
            known = self._store.classifications(dataset)
            merged = merge_scan(
                known,
                scan.classifications,
                complete=scanned.window.complete,
                unscanned=scan.unscanned,
                now=now,
                looked={profile.path: profile.count for profile in scanned.fields} if scan.recognizers else None,
                versions=scan.recognizers,
            )
            if merged.changed or merged.ended:
                self._store.put_classifications(dataset, merged.changed, merged.ended, now)
                self._tell(record, scan_events(known, merged))
            if self._checks is not None:
                began = stored is not None and stored.baseline.version != schema.version
                looked_at = replace(scanned, version=schema.version)
                self._checks.scanned(record, looked_at, stored.baseline if began and stored is not None else None)
        self._changed([dataset])
        return schema

    def record_unchanged(self, dataset: DatasetId) -> tuple[DatasetRecord, SchemaVersion]:
        """Take in that a scan did not read a dataset, as nothing of it changed. Gives what is known of it, and its schema.

        Raises DatasetNotFound for one that was removed, or lost its schema, meanwhile.
        """
        dataset, now = self.resolve(dataset.namespace, dataset.name), self._clock()
        with self._store.transaction():
            record, schema = self._fresh(dataset), self._store.current_schema(dataset)
            if schema is None:
                raise DatasetNotFound(f"{record.reference} lost its schema meanwhile; scan it again.")
            scan = {**record.scan, "unchangedAt": rfc3339(now)}
            record = self._store.put_dataset(replace(record, scan=scan, scanned_at=now, last_seen_at=now), quiet=True)
            if self._checks is not None:  # what was promised or usual may depend on the time
                self._checks.scanned(record, schema, None)
        return record, schema

    def record_scan_failure(self, dataset: DatasetId, problem: str) -> None:
        """A scan of the dataset failed; `problem` is a sentence. What is known stays, and reports name the gap."""
        dataset = self.resolve(dataset.namespace, dataset.name)
        now = self._clock()
        with self._store.transaction():
            record = self._store.dataset(dataset) or self._new(dataset, now)
            failure = {"at": rfc3339(now), "message": problem}
            self._store.put_dataset(replace(record, scan={**record.scan, "error": failure}), quiet=True)

    def _keep_schema(
        self, dataset: DatasetId, stored: StoredSchema | None, scanned: SchemaVersion, now: datetime
    ) -> SchemaVersion:
        if stored is None:
            if not scanned.fields:
                return replace(scanned, version=0)
            first = replace(scanned, version=1, created_at=rfc3339(now))
            self._store.add_schema(dataset, StoredSchema(first, first))
            return first
        if not scanned.window.records and not scanned.fields:
            return stored.current
        current = carry_over(stored.current, scanned)
        changes = differences(stored.baseline, current)
        version = stored.baseline.version
        if changes:
            current = replace(current, version=version + 1, created_at=rfc3339(now))
            self._store.add_schema(dataset, StoredSchema(current, current, tuple(c.to_json() for c in changes)))
            return current
        current = replace(current, version=version, created_at=stored.baseline.created_at)
        self._store.set_current_schema(dataset, version, current)
        return current

    def _declared_format(self, record: DatasetRecord) -> dict[str, str]:
        """The format that people declared, which a scan does not change."""
        document = self._store.document("Dataset", record.reference)
        declared = (document.spec.get("format") if document else None) or {}
        return {part: name for part, name in declared.items() if name}


def _scan_facts(scan: DatasetScan, now: datetime) -> Mapping[str, Any]:
    window = scan.schema.window
    return {
        "at": rfc3339(now),
        "records": window.records,
        "format": dict(scan.schema.format),
        "complete": window.complete,
        "strategy": window.strategy,
        "timeFrom": window.time_from,
        "timeTo": window.time_to,
        "basis": scan.basis,
        "unscanned": list(scan.unscanned),
        "problems": [dict(problem) for problem in scan.problems],
    }
