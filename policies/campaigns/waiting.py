"""For whom open items of a campaign wait now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from policies.campaigns.model import Item, ItemState, ReviewerSet
from policies.campaigns.people import KnownPeople, OwnersOf


def waiting(
    items: Iterable[Item], sets: Mapping[str, ReviewerSet], people: KnownPeople, owners: OwnersOf
) -> dict[str, int]:
    """Reviewer -> how many open items they may decide; without rights of their own, and without people who have none."""
    by_set: Counter[str] = Counter()
    own: Counter[str] = Counter()
    reviewers: dict[str, frozenset[str]] = {}
    for item in items:
        if item.state is not ItemState.OPEN:
            continue
        key = item.reviewers
        if key not in reviewers:
            reviewers[key] = people.reviewers(sets[key], owners)
        by_set[key] += 1
        own.update(people.holders(item.right) & reviewers[key])
    total: Counter[str] = Counter()
    for key, count in by_set.items():
        total.update(dict.fromkeys(reviewers[key], count))
    total.subtract(own)
    return {name: total[name] for name in sorted(total) if total[name] > 0}
