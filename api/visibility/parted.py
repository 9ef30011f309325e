"""What is hidden of the whole catalog from one reader, as sets of datasets, and those sets kept for readers alike."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cachetools import LRUCache

from api.visibility.names import Names
from api.visibility.outlines import Outlines
from catalog.model import DatasetId
from catalog.records import DatasetOutline
from catalog.search.documents import dataset_key
from catalog.search_model import Unseen
from policies.decision.visibility import Outline, Rules, Viewer, what_is_known

_READERS = 256
_MOST_OUTLINES = 200_000


@dataclass(frozen=True, slots=True)
class OutlineMatches:
    """Whether documents match an outline, for one set of documents: readers of other documents never write into it."""

    rules: Rules = field(default_factory=Rules)
    kept: dict[Outline, bool] = field(default_factory=dict)

    def holds(self, outline: Outline) -> bool:
        results = self.kept.get(outline)
        if results is None:
            results = self.rules.touches(outline)
            if len(self.kept) < _MOST_OUTLINES:
                self.kept[outline] = results
        return results


@dataclass(frozen=True, slots=True)
class HiddenParts:
    """The datasets of the catalog of which a reader may not know all. `nothing` is in none of the others.

    bare   without the schema; plain: with the schema, without the personal data; unlinked: without the lineage
    names  how texts name those in `nothing`; of_bare, of_plain, of_unlinked: those in the other sets
    """

    nothing: frozenset[DatasetId] = frozenset()
    bare: frozenset[DatasetId] = frozenset()
    plain: frozenset[DatasetId] = frozenset()
    unlinked: frozenset[DatasetId] = frozenset()
    names: Names = field(default_factory=Names)
    of_bare: Names = field(default_factory=Names)
    of_plain: Names = field(default_factory=Names)
    of_unlinked: Names = field(default_factory=Names)
    unseen: Unseen = field(default_factory=Unseen)


class PartedOfReaders:
    """Keeps what is hidden until the catalog or what is declared changes. Safe for threads."""

    def __init__(self, outlines: Outlines, changes: Callable[[], int | None]) -> None:
        """`changes`: a number that is another after each change of the catalog; None where changes cannot be noticed."""
        self._outlines, self._changes = outlines, changes
        self._lock = threading.Lock()
        self._kept: LRUCache[object, tuple[int, HiddenParts]] = LRUCache(_READERS)

    def of(self, version: int, viewer: Viewer, matched: OutlineMatches, tags: frozenset[str]) -> HiddenParts:
        """`version`: of what is declared; `tags`: those of fields that count for the reader."""
        key, changes = _key(version, viewer), self._changes()
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept[0] == changes:
            return kept[1]
        built = parted(self._outlines, viewer, matched, tags)
        if changes is not None:
            with self._lock:
                self._kept[key] = (changes, built)
        return built


def parted(outlines: Outlines, viewer: Viewer, matched: OutlineMatches, tags: frozenset[str]) -> HiddenParts:
    """All that is hidden from one reader. `tags`: those of fields that count for them."""
    nothing, bare, plain, unlinked, whole = (list[DatasetOutline]() for _ in range(5))
    rules, shown = matched.rules, list[DatasetOutline]()
    for dataset, outline in outlines.all(tags):
        if viewer.agent is None and not rules.closed and not matched.holds(outline):
            shown.append(dataset)
            continue
        results = what_is_known(viewer, outline, rules)
        if not results.existence:
            nothing.append(dataset)
            continue
        shown.append(dataset)
        if not results.lineage:
            unlinked.append(dataset)
        (bare if not results.schema else plain if not results.evidence else whole).append(dataset)
    hidden, schemaless, unproven = _ids(nothing), _ids(bare), _ids(plain)
    closed = rules.closed or viewer.agent is not None
    unseen = Unseen(
        _keys(hidden) if not closed else frozenset(),
        _keys(schemaless),
        _keys(unproven),
        _keys(_ids(whole)) if closed else None,
    )
    return HiddenParts(
        nothing=hidden,
        bare=schemaless,
        plain=unproven,
        unlinked=_ids(unlinked),
        names=Names.of(nothing, shown),
        of_bare=Names.of(bare, _but(shown, bare)),
        of_plain=Names.of(plain, _but(shown, plain)),
        of_unlinked=Names.of(unlinked, _but(shown, unlinked)),
        unseen=unseen,
    )


def _but(datasets: Iterable[DatasetOutline], others: Iterable[DatasetOutline]) -> Iterable[DatasetOutline]:
    without = _ids(others)
    return (each for each in datasets if each.id not in without)


def _ids(datasets: Iterable[DatasetOutline]) -> frozenset[DatasetId]:
    return frozenset(each.id for each in datasets)


def _keys(datasets: Iterable[DatasetId]) -> frozenset[str]:
    return frozenset(map(dataset_key, datasets))


def _key(version: int, viewer: Viewer) -> object:
    """Readers with the same key know the same. Who is in which role is in `version`, and what providers give in the names."""
    grants = tuple(sorted(grant.name for grant in viewer.grants))
    return (
        version,
        viewer.who.user,
        viewer.who.groups,
        frozenset(viewer.who.roles),
        grants,
        viewer.operator,
        viewer.agent,
    )
