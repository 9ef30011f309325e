"""Warnings on masks that can be undone by those who choose values: equal values stay equal under MASK_HASH and TOKEN."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from policies.decision.policy_index import Compiled
from policies.masks.registry import shows_equality
from policies.model import DatasetFacts, MaskPolicy

_NAMED = 3


class Reversible:
    """Collects the topics that each of some mask policies gives such a mask. `names`: the policies, by name."""

    def __init__(self, policies: Compiled, names: Collection[str], unscanned_is_sensitive: bool) -> None:
        self._policies, self._sensitive = policies, unscanned_is_sensitive
        self._numbers = {n for n, p in enumerate(policies.masks) if p.name in names and shows_equality(p.mask.type)}
        self._topics: dict[int, list[str]] = defaultdict(list)

    def add(self, facts: DatasetFacts) -> None:
        """Take one dataset in."""
        if not self._numbers:
            return
        plan = self._policies.plan(facts, self._sensitive)
        for number in sorted(self._numbers):
            if plan.mask_bits >> number & 1:
                self._topics[number].append(facts.reference)

    def warnings(self) -> Iterator[str]:
        """One sentence or two for each policy, with its topics."""
        for number, topics in sorted(self._topics.items()):
            yield _warning(self._policies.masks[number], topics)


def _warning(policy: MaskPolicy, topics: list[str]) -> str:
    mask = policy.mask
    named = ", ".join(topics[:_NAMED]) + (f" and {len(topics) - _NAMED:,} more" if len(topics) > _NAMED else "")
    scope = mask.params.get("scope")
    if scope and len(topics) > 1:
        return (
            f"Policy {policy.name}: {mask.type} with scope {scope} has one key for {named}. Anyone who may write a value into"
            " one of them and read it masked, or who sees one of them unmasked, can recognize such values in all of them."
            " Leave scope out where values need not join across topics."
        )
    return (
        f"Policy {policy.name}: {mask.type} of {named} shows which values are equal. Anyone who may write a value into such a"
        " topic and read it masked can recognize that value there. Use MASK or MASK_NULL where that must not be."
    )
