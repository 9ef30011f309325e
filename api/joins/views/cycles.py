"""Whether a view would read itself, directly or through others, by any spelling of a name. Reads clusters, else pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from catalog.datasets.clusters import splits
from catalog.errors import InvalidInput
from catalog.namespaces import canonical
from catalog.ports import CatalogStore
from policies.sql.names import fold
from views.declared import ViewSpec
from views.runner.build import gated_once


class Clusters:
    """The clusters that names may begin with."""

    def __init__(self, store: CatalogStore, more: Iterable[str] = ()) -> None:
        """`more`: names of clusters that are declared together with the view."""
        clusters = store.clusters()
        self._by_name = {fold(name): name for name in more} | {fold(each.name): each.namespace for each in clusters}
        self._known = store.aliases() | {each.namespace: each.namespace for each in clusters}

    def one(self, name: str) -> str:
        """What is the same for all spellings of one cluster."""
        return self._by_name.get(fold(name)) or canonical(name, self._known)

    def places(self, text: str) -> Iterator[tuple[str, str]]:
        """The ways to read a name as (cluster, folded topic or view)."""
        folded = fold(text)
        for cluster, one in self._by_name.items():  # a cluster's name may have dots
            if folded.startswith((f"{cluster}.", f"{cluster}/")):
                yield one, folded[len(cluster) + 1 :]
        try:
            ways = splits(text)
        except InvalidInput:
            return
        for cluster, name in ways:
            one = self.one(cluster)
            if one in self._known:
                yield one, fold(name)


def check_no_cycle(start: str, specs: Mapping[str, ViewSpec], clusters: Clusters) -> None:
    """Raises InvalidInput for a view `start` that would read itself; names the way."""
    by_folded = {fold(name): name for name in specs}
    sinks = {name: each.sink for name, each in specs.items() if each.sink is not None}
    written = {fold(sink.topic): name for name, sink in sinks.items()}
    topics = {(clusters.one(sink.cluster), fold(sink.topic)): name for name, sink in sinks.items()}
    private = {fold(name): name for name in specs if name not in sinks}

    def meant(text: str) -> Iterator[str]:
        yield from (each[fold(text)] for each in (by_folded, written) if fold(text) in each)
        for place in clusters.places(text):
            view = topics.get(place) or private.get(place[1])
            if view is not None:
                yield view

    ways: dict[str, tuple[str, ...]] = {start: (start,)}
    waiting = [start]
    while waiting:
        reader = waiting.pop(0)
        for table in gated_once(specs[reader].sql).tables:
            for view in meant(table.name):
                if view == start:
                    chain = " -> ".join((*ways[reader], start))
                    raise InvalidInput(f"The view would read itself: {chain}.", details={"field": "spec.sql"})
                if view not in ways:
                    ways[view] = (*ways[reader], view)
                    waiting.append(view)
