"""What fails, or will soon fail, in the operation of Weir: servers, lag, scans, disk, certificate."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from api.features.health.service import Health
from api.features.inbox.person import Person
from api.features.inbox.rows import Row, page, plural, verb
from catalog.lags import GroupLag, LagStore
from catalog.model import DatasetId
from catalog.scan_store import ScanRecord, ScanState
from catalog.scans.scans import Scans
from policies.decision.domains import Power

LAG_EVENTS = 1_000
"""From so many events on that are not in the graph yet, lineage has a row."""
LAG_RECORDS = 10_000
"""From so many records on, of all its groups together, a topic counts as one whose consumers are far behind."""
LAG_AGE = timedelta(minutes=10)
"""Samples of lag that are older are not used."""
FREE_SHARE = 0.1
"""With less of the disk free there is a row."""
RENEW = timedelta(days=30)
"""A certificate that ends within this time has a row."""
SCANS = 50
"""Scans that are looked through for failed ones, the newest first."""


def operates(person: Person) -> bool:
    """Whether somebody keeps Weir running."""
    return person.may("manage") or person.may(Power.SCAN)


def servers(person: Person, health: Health) -> Sequence[Row]:
    """Servers that do not answer, and how far lineage is behind."""
    if not operates(person):
        return []
    report = health.check()
    rows = [
        Row(
            kind="server",
            duty="administrator",
            tone="broken",
            subject=name[:1].upper() + name[1:],
            text=f"does not answer: {problem}",
            action="Health",
            link="/admin/health",
        )
        for name, problem in report.problems.items()
        if problem
    ]
    behind = report.lineage_lag or 0
    if behind >= LAG_EVENTS:
        rows.append(
            Row(
                kind="lineage-lag",
                duty="administrator",
                tone="waiting",
                count=behind,
                subject=plural(behind, "event"),
                text=verb(behind, "is", "are") + " not in the lineage graph yet",
                action="Health",
                link="/admin/health",
            )
        )
    return rows


def consumers(person: Person, store: LagStore) -> Sequence[Row]:
    """Topics whose consumer groups are far behind, by the samples of the last minutes."""
    if not operates(person):
        return []
    by_name = {(each.cluster, each.id.name): each for each in person.datasets.values() if each.cluster is not None}
    behind: Counter[DatasetId] = Counter()
    worst: dict[DatasetId, GroupLag] = {}
    for sample in store.newest_lags(person.now - LAG_AGE):
        record = by_name.get((sample.cluster, sample.topic))
        if record is None or not person.sights.of(record).counts:
            continue
        behind[record.id] += sample.lag
        if record.id not in worst or sample.lag > worst[record.id].lag:
            worst[record.id] = sample
    far = [each for each, lag in behind.items() if lag >= LAG_RECORDS]
    if not far:
        return []
    most = max((worst[each] for each in far), key=lambda each: (each.lag, each.topic, each.group))
    return [
        Row(
            kind="consumer-lag",
            duty="administrator",
            tone="waiting",
            count=len(far),
            subject=plural(len(far), "topic"),
            text=f"{verb(len(far), 'has', 'have')} consumers far behind, most {most.group} on {most.topic}:"
            f" {plural(most.lag, 'record')}",
            action="Look",
            link=page("/datasets", show="behind"),
        )
    ]


def failed_scans(person: Person, scans: Scans) -> Sequence[Row]:
    """Datasets whose last scan failed, and clusters of which no scan worked since one failed."""
    failed = [
        each
        for each in person.datasets.values()
        if each.scan.get("error") and (person.has(Power.SCAN, each) or person.has(Power.REPORT, each))
    ]
    rows = []
    if failed:
        rows.append(
            Row(
                kind="failed-scan",
                duty="administrator" if operates(person) else "officer",
                tone="broken",
                count=len(failed),
                subject=plural(len(failed), "dataset"),
                text=verb(len(failed), "has", "have") + " a failed scan",
                action="Look",
                link=page("/datasets", show="failed"),
            )
        )
    # Scans without a dataset name what was asked for: only who may scan everything sees all of that.
    if person.may(Power.SCAN) and person.reader.horizon is None:
        counted = {each.cluster for each in failed}
        for cluster, scan in sorted(_clusters_that_fail(scans.list(SCANS)).items()):
            if cluster in counted:
                continue
            rows.append(
                Row(
                    kind="failed-scan",
                    duty="administrator",
                    tone="broken",
                    subject=f"The last scan of {cluster}",
                    text="failed",
                    action="Look",
                    link=f"/admin/scans/{scan.id}",
                    since=scan.finished_at,
                )
            )
    return rows


def _clusters_that_fail(scans: Sequence[ScanRecord]) -> dict[str, ScanRecord]:
    """Cluster -> its newest scan that is over, where that failed. `scans`: newest first."""
    newest: dict[str, ScanRecord] = {}
    for scan in scans:
        if scan.state in (ScanState.DONE, ScanState.FAILED):
            newest.setdefault(str(scan.request.get("cluster")), scan)
    return {cluster: scan for cluster, scan in newest.items() if scan.state is ScanState.FAILED}


def disk(person: Person, folder: Path) -> Sequence[Row]:
    """A disk of Weir's own that is nearly full. Raises OSError."""
    if not person.may("manage"):
        return []
    usage = shutil.disk_usage(folder)
    if usage.free >= FREE_SHARE * usage.total:
        return []
    return [
        Row(
            kind="disk",
            duty="administrator",
            tone="waiting",
            subject=f"{usage.free / 2**30:.1f} GiB",
            text=f"free on the disk of Weir's folder, {usage.free / usage.total:.0%}",
            action="Health",
            link="/admin/health",
        )
    ]


def certificate(person: Person, end: datetime | None) -> Sequence[Row]:
    """The certificate of the API, where it ends soon. `end`: None where it has none."""
    if end is None or not person.may("manage") or end - person.now > RENEW:
        return []
    over = end <= person.now
    return [
        Row(
            kind="certificate",
            duty="administrator",
            tone="broken" if over else "waiting",
            subject="The certificate of the API",
            text="ended" if over else "ends",
            action="Health",
            link="/admin/health",
            since=end if over else None,
            until=None if over else end,
        )
    ]
