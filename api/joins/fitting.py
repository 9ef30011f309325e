"""Patterns of declared documents that fit no dataset: taken, as its topic may come later, with a notice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog.apply.apply import Action, Change
from catalog.ports import CatalogStore
from policies.matching import EVERYTHING, dataset_matches

_PLACES: Mapping[str, tuple[str, ...]] = {
    "Policy": ("match", "datasets"),
    "Visibility": ("match", "datasets"),
    "Domain": ("datasets",),
    "AccessReview": ("scope", "datasets"),
}
"""Kind -> where in its spec patterns of `CLUSTER/TOPIC` are."""


class Fitting:
    """Compares patterns with the datasets of the catalog."""

    def __init__(self, store: CatalogStore) -> None:
        self._store = store

    def noted(self, changes: Sequence[Change]) -> list[Change]:
        """The changes, with a note for each pattern of what they declare that fits no dataset of the catalog, nor one that
        is declared with them."""
        written = [each for each in changes if each.action in (Action.CREATE, Action.UPDATE)]
        if not any(True for each in written for _ in _patterns(each)):
            return list(changes)
        references = [each.reference for each in self._store.outlines()]
        references += [each.key for each in self._store.documents("Dataset")]
        references += [each.name for each in written if each.kind == "Dataset"]
        return [
            replace(each, notes=(*each.notes, *unfit(list(_patterns(each)), references))) if each in written else each
            for each in changes
        ]


def unfit(patterns: Sequence[str], references: Sequence[str]) -> list[str]:
    """A sentence for each pattern that fits none of the references."""
    notes = []
    for pattern in patterns:
        if pattern == EVERYTHING or any(dataset_matches(pattern, each) for each in references):
            continue
        near = next((each for each in references if dataset_matches(pattern.casefold(), each.casefold())), None)
        hint = f"; {near} differs from it by the case of letters alone" if near is not None else ""
        notes.append(f"{pattern} fits no dataset yet{hint}.")
    return notes


def _patterns(change: Change) -> Iterator[str]:
    value: Any = change.after
    for key in _PLACES.get(change.kind, ("",)):
        value = value.get(key) if isinstance(value, Mapping) else None
    yield from (each for each in value or () if isinstance(each, str))
