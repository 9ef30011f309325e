"""Masked copies of topics that failed, or that nobody needs any more."""

from __future__ import annotations

from collections.abc import Sequence

from api.features.inbox.person import Person
from api.features.inbox.rows import Row, few, page, plural, verb
from policies.broker_rights.comparison import Comparison
from policies.broker_rights.copies import CopyState
from policies.broker_rights.copy_keeper import CopyKeeper, KeptCopy

_LINK = page("/rights", show="copies")


def masked_copies(person: Person, keeper: CopyKeeper, comparison: Comparison) -> Sequence[Row]:
    """For those who manage: a row for each that failed, one for all that are removed soon. Raises Unavailable."""
    if not person.may("manage"):
        return []
    kept = [each for record in comparison.records() for each in keeper.kept(record)]
    failed = [each for each in kept if each.copy.state is CopyState.FAILED]
    rows = few(failed, _failed, lambda n: (f"{n:,} more masked {verb(n, 'copy', 'copies')}", "failed"), _LINK)
    ends = sorted(each.removed_at for each in kept if each.removed_at is not None)
    if ends:
        unneeded = Row(
            kind="masked-copy",
            duty="administrator",
            tone="news",
            count=len(ends),
            subject=plural(len(ends), "masked copy", "masked copies"),
            text=verb(len(ends), "has", "have") + " no reader and will be removed, the first",
            action="Look",
            link=_LINK,
            until=ends[0],
        )
        rows.append(unneeded)
    return rows


def _failed(kept: KeptCopy) -> Row:
    return Row(
        kind="masked-copy",
        duty="administrator",
        tone="broken",
        subject=f"The masked copy of {kept.copy.source}",
        text=f"failed, and {', '.join(kept.readers) or 'nobody'} reads it: {kept.copy.text}",
        action="Look",
        link=_LINK,
    )
