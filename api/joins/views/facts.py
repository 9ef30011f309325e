"""What a decision on a view rests on: the tags its columns inherit, what its rows come from, and what the catalog knows of
its topic. A view's dataset is its output topic, or `CLUSTER/NAME` for a view without one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime

from cachetools import LRUCache

from api.joins.facts import Facts
from api.joins.views.declared import DeclaredViews
from catalog.change_cache import ChangeCache
from catalog.declared.spec_parts import OwnerSpec
from catalog.errors import DatasetNotFound
from catalog.model import DatasetId
from policies.model import DatasetFacts, SourceFacts, SourceField, SubjectMatch
from policies.sql.names import fold
from views.declared import ViewSpec
from views.ports import ViewStates
from views.runner.contents import PRIVATE_TOPIC
from views.runner.result import facts_of, mask_of
from views.runner.state import Generation, ViewState

_MOST = 2000
_MOST_DEEP = 50
"""Views over views."""


class ViewFacts:
    """`policies.ports.FactsSource` over catalog and views; the very same object while nothing has changed. Safe for
    threads."""

    def __init__(
        self,
        catalog: Facts,
        declared: DeclaredViews,
        states: ViewStates,
        resolve: Callable[[str, str], DatasetId],
        changes: Callable[[], int | None],
    ) -> None:
        """`resolve`: cluster, name -> the dataset; `changes`: see `catalog.ports.CatalogStore.changes`."""
        self._topics: ChangeCache[dict[tuple[str, str], str]] = ChangeCache(changes)
        self._catalog, self._declared, self._states, self._resolve = catalog, declared, states, resolve
        self._known: LRUCache[tuple[str, str], DatasetFacts] = LRUCache(_MOST)
        self._lock = threading.Lock()
        self._reading = threading.local()

    def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
        """By `CLUSTER/TOPIC`. Raises DatasetNotFound naming the nearest."""
        try:
            plain = self._catalog.facts(reference, as_of)
        except DatasetNotFound:
            plain = None
        topic = plain.id.name if plain is not None else reference.partition("/")[2]
        if topic.startswith(PRIVATE_TOPIC):
            raise DatasetNotFound(
                f"{reference} is the private topic of a stream view; ask for the view by its name.",
                details={"reference": reference, "nearest": []},
            )
        known = self._of_dataset(plain.reference if plain is not None else reference)
        if known is not None:
            return known
        if plain is None:
            return self._catalog.facts(reference, as_of)
        return plain

    def of(self, name: str, spec: ViewSpec | None, generation: Generation) -> DatasetFacts:
        """Of the rows of one generation. Tags from catalog and sources together: none that is known anywhere is missing.

        `spec`: None for a view that is not declared any more.
        """
        dataset = name if generation.private else generation.topic
        reference = f"{generation.cluster}/{dataset}"
        tags = {path: dict(each) for path, each in generation.tags.items()}
        owners = _owners(spec.owners if spec is not None else ())
        if not generation.private:
            known = self._plain(reference)
            for each in known.fields if known is not None else ():
                if each.tags:
                    tags[each.path] = {**each.tags, **tags.get(each.path, {})}
            if known is not None:
                owners = SubjectMatch(
                    users=owners.users | known.owners.users, groups=owners.groups | known.owners.groups
                )
        facts = facts_of(
            self._resolve(generation.cluster, dataset),
            reference,
            generation.typed,
            tags,
            owners,
            tuple(self._source(generation, each) for each in generation.sources),
            generation.id,
        )
        return self._same(name, facts)

    def generations(self, reference: str) -> list[Generation]:
        """Those of a view whose records may be in its output topic `CLUSTER/TOPIC`, the one that readers get first; none of
        another topic."""
        cluster, _, topic = reference.partition("/")
        name = self._view_of(cluster, topic)
        stored = ViewState.read(self._states.get(name)).stored if name is not None else []
        return [g for g in stored if not g.private and g.topic == topic and fold(g.cluster) == fold(cluster)]

    def _view_of(self, cluster: str, topic: str) -> str | None:
        return self._topics.get("", self._by_topic).get((fold(cluster), topic))

    def _of_dataset(self, reference: str) -> DatasetFacts | None:
        """Of the view that the dataset is of. Of an output topic: what all generations may hold of which there are records."""
        cluster, _, topic = reference.partition("/")
        name = self._view_of(cluster, topic)
        private = name is None
        if private:
            name = self._declared.of_dataset(reference)
        if name is None:
            return None
        state = ViewState.read(self._states.get(name))
        stored = [state.active] if private else [each for each in state.stored if each.topic == topic]
        declared = self._declared.get(name)
        each = [
            self.of(name, declared.spec if declared is not None else None, generation)
            for generation in stored
            if generation is not None and generation.private is private and fold(generation.cluster) == fold(cluster)
        ]
        return self._same(name, _together(each)) if each else None

    def _by_topic(self) -> dict[tuple[str, str], str]:
        """(cluster, output topic) -> view: declared ones, and those that records of a view are in still. The catalog counts a
        change of a declaration, and before it no view has another topic."""
        views = {
            (fold(each.cluster), each.topic): name
            for name, data in self._states.all().items()
            for each in ViewState.read(data).stored
            if not each.private
        }
        return {**views, **self._declared.sinks()}

    def _source(self, generation: Generation, reference: str) -> SourceFacts:
        fields = tuple(
            SourceField(at, path, mask_of(mask))
            for at, source, path, mask in generation.made_of or ()
            if source == reference
        )
        path: tuple[str, ...] = getattr(self._reading, "path", ())
        facts = None
        # Views that read one another in a circle, from before that was refused, come from nothing that is known.
        if generation.made_of is not None and reference not in path and len(path) < _MOST_DEEP:
            self._reading.path = (*path, reference)
            try:
                facts = self.facts(reference)
            except DatasetNotFound:
                facts = None
            finally:
                self._reading.path = path
        return SourceFacts(reference, facts, fields, tuple(generation.filtered.get(reference, ())))

    def _plain(self, reference: str) -> DatasetFacts | None:
        try:
            return self._catalog.facts(reference)
        except DatasetNotFound:
            return None

    def _same(self, name: str, facts: DatasetFacts) -> DatasetFacts:
        """The object that was given before, where it is equal: decisions recognise facts by identity."""
        key = (name, facts.generation)
        with self._lock:
            known = self._known.get(key)
            if known is not None and known == facts:
                return known
            self._known[key] = facts
            return facts


def _together(parts: Sequence[DatasetFacts]) -> DatasetFacts:
    """Facts of a topic with records of several generations: every field with all its tags, all sources."""
    first, *others = parts
    if not others:
        return first
    fields = {field.path: field for field in first.fields}
    for field in (field for each in others for field in each.fields):
        known = fields.get(field.path)
        fields[field.path] = type(field)(field.path, {**(known.tags if known else {}), **field.tags})
    return DatasetFacts(
        id=first.id,
        reference=first.reference,
        fields=tuple(fields.values()),
        tags=first.tags,
        owners=first.owners,
        sources=tuple(source for each in parts for source in each.sources),
        generation=" ".join(each.generation for each in parts),
    )


def _owners(written: Sequence[OwnerSpec]) -> SubjectMatch:
    return SubjectMatch(
        users=frozenset(each.user for each in written if each.user),
        groups=frozenset(each.group for each in written if each.group),
    )
