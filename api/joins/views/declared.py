"""`kind: View` under `weir apply`, and the declared views as the runner reads them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from api.joins.views.cycles import Clusters, check_no_cycle
from catalog.apply.kept import KeptDocuments
from catalog.change_cache import ChangeCache
from catalog.declared.documents import Document
from catalog.errors import InvalidInput, WeirError
from catalog.ports import CatalogStore, Clock
from catalog.records import DeclaredDocument
from policies.sql.names import fold
from policies.sql.trace import Visible
from views.declared import ViewSpec
from views.durations import span
from views.ports import TopicOptions, TopicSettings
from views.runner.build import gated_once
from views.runner.compacted import shown_key
from views.runner.tools import DeclaredView
from views.runner.topic_options import alterations
from views.shape.shape import shape

KIND = "View"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,199}\Z")
"""A view's name is part of the name of its private topic and of the folder with its state."""


Options = Callable[[str, str], TopicOptions | None]
"""Of a cluster's topic; None where it is not there. Raises WeirError."""


Source = Callable[[str], tuple[str, str] | None]
"""(cluster, topic) that a name in SQL means; None where it is none, or is a view."""


def topic_notes(spec: ViewSpec, options: Options, source: Source) -> list[str]:
    """Sentences on what a view changes of an output topic that is there already, and why it would not start."""
    sink = spec.sink
    if sink is None:
        return []
    place = f"{sink.cluster}/{sink.topic}"
    try:
        there = options(sink.cluster, sink.topic)
        if there is None:
            return []
        streamed = shape(
            gated_once(spec.sql),
            key=spec.key if spec.key is not None else _key_of_source(spec, options, source),
            watermark=spec.watermark is not None,
            watermark_column=spec.watermark_column,
        )
    except WeirError as error:
        return [f"The topic {place} could not be looked at: {error.message}"]
    keyed = bool(streamed.key) or streamed.single
    compacted = sink.cleanup == "compact" if sink.cleanup is not None else keyed
    if sink.cleanup is None and spec.copyOf is not None:  # that of its source
        compacted = "compact" in there.config.get("cleanup.policy", "")
    ttl = int(span(spec.ttl).total_seconds() * 1000) if spec.ttl is not None else None
    settings = TopicSettings(there.partitions, there.replication, compacted, ttl)
    return alterations(there, settings, sink, keyed or spec.copyOf is not None).sentences(place)


def _key_of_source(spec: ViewSpec, options: Options, source: Source) -> list[str] | None:
    """The key that a view without one has by its compacted source, as `views.runner.build` finds it. Raises WeirError."""
    gated = gated_once(spec.sql)
    if spec.copyOf is not None or spec.compactedAs == "stream" or len(gated.tables) != 1:
        return None
    (ref,) = gated.tables
    key = shown_key(gated, {ref: Visible(("_key",), ("_key",))}, [ref])
    place = source(ref.name) if key is not None else None
    there = options(*place) if place is not None else None
    return key if there is not None and "compact" in there.config.get("cleanup.policy", "") else None


class ViewHandler(KeptDocuments):
    """A view is kept as it was written; what depends on topics and rights is found when it starts."""

    kind = KIND

    def __init__(
        self,
        store: CatalogStore,
        clock: Clock,
        options: Options = lambda cluster, topic: None,
        source: Source = lambda name: None,
        start_check: Callable[[ViewSpec], None] = lambda spec: None,
    ) -> None:
        """`start_check`: see `api.joins.views.start_check`."""
        super().__init__(store, clock)
        self._options, self._source, self._start_check = options, source, start_check

    def notes(self, document: Document) -> Sequence[str]:
        """What becomes of an output topic that is there already."""
        spec = document.model
        assert isinstance(spec, ViewSpec)
        return self.topic(spec)

    def topic(self, spec: ViewSpec) -> list[str]:
        """See `topic_notes`."""
        return topic_notes(spec, self._options, self._source)

    def check(self, document: Document, all_documents: Sequence[Document]) -> None:
        """Raises SqlRefused for SQL that cannot stream, InvalidInput for a key, topic or name that does not fit."""
        spec = document.model
        assert isinstance(spec, ViewSpec)
        if not _NAME.match(document.name):
            raise InvalidInput(
                "A view's name begins with a letter and has letters, digits, dots, dashes and underscores, 200 at most.",
                details={"field": "metadata.name"},
            )
        gated = gated_once(spec.sql)
        shape(gated, key=spec.key, watermark=spec.watermark is not None, watermark_column=spec.watermark_column)
        others = {each.key: each for each in self._store.documents(KIND)}
        others |= {
            each.key: DeclaredDocument(KIND, each.key, each.metadata, each.spec)
            for each in all_documents
            if each.kind == KIND
        }
        others.pop(document.key, None)
        self._apart(document.name, spec, others)
        names = [each.name for each in all_documents if each.kind == "Cluster"]
        self._no_topic(document.name, spec, names)
        specs = {name: ViewSpec.model_validate(each.spec) for name, each in others.items()} | {document.name: spec}
        check_no_cycle(document.name, specs, Clusters(self._store, names))
        before = self._store.document(KIND, document.key)
        if (
            before is None or ViewSpec.model_validate(before.spec) != spec
        ):  # a view that runs is not stopped by an apply
            self._start_check(spec)

    def _no_topic(self, name: str, spec: ViewSpec, clusters: Sequence[str]) -> None:
        """A view's name never means a topic, with its cluster or without, but the one that the view writes."""
        for cluster in (*clusters, *(each.name for each in self._store.clusters())):
            if fold(name).startswith(f"{fold(cluster)}."):
                raise InvalidInput(
                    f"The name {name} begins with the name of the cluster {cluster}, so it means a topic there; give the view"
                    " another name.",
                    details={"field": "metadata.name"},
                )
        own = f"{spec.sink.cluster}/{spec.sink.topic}" if spec.sink is not None else ""
        alike = {topic for _, topic in self._store.names() if fold(topic) == fold(name)}
        for each in (record for topic in sorted(alike) for record in self._store.named(topic)):
            if each.topic and each.reference != own:
                raise InvalidInput(
                    f"{each.reference} is a topic; give the view another name.", details={"field": "metadata.name"}
                )

    def _apart(self, name: str, spec: ViewSpec, others: dict[str, DeclaredDocument]) -> None:
        """Two views never write one topic, and no two names differ by letter case alone."""
        for other, each in others.items():
            if fold(other) == fold(name):
                raise InvalidInput(f"There is a view {other} already; names that differ by case alone are one name.")
            sink = (each.spec or {}).get("sink")
            if (
                spec.sink is not None
                and sink
                and (sink["cluster"], sink["topic"]) == (spec.sink.cluster, spec.sink.topic)
            ):
                raise InvalidInput(
                    f"The view {other} writes {sink['cluster']}/{sink['topic']} already; name another topic in sink.",
                    details={"field": "spec.sink.topic", "view": other},
                )

    def list(self) -> Sequence[DeclaredDocument]:
        """Copies that Weir made for consumers are not declared state: `--prune` must not delete them."""
        return [each for each in super().list() if not (each.spec or {}).get("decision")]


class DeclaredViews:
    """The views of the record store; read again when something in the catalog has changed. Safe for threads."""

    def __init__(self, store: CatalogStore) -> None:
        self._store = store
        self._kept: ChangeCache[_Views] = ChangeCache(store.changes)

    def names(self) -> list[str]:
        return sorted(self._all().by_name)

    def applied(self) -> Mapping[str, datetime | None]:
        """View -> when it was applied last."""
        return self._all().applied

    def get(self, name: str) -> DeclaredView | None:
        return self._all().by_name.get(name)

    def named(self, text: str) -> str | None:
        """The view of this name, in any case of letters."""
        return self._all().folded.get(fold(text))

    def of_dataset(self, reference: str) -> str | None:
        """The view whose output topic this is, or that has this name and no output topic; its cluster is only checked
        where it is declared."""
        views = self._all()
        cluster, _, topic = reference.partition("/")
        by_topic = views.by_topic.get((fold(cluster), topic))
        if by_topic is not None:
            return by_topic
        name = topic if topic in views.by_name else None
        return name if name is not None and views.by_name[name].spec.sink is None else None

    def sinks(self) -> Mapping[tuple[str, str], str]:
        """(folded cluster, output topic) -> view."""
        return self._all().by_topic

    def _all(self) -> _Views:
        return self._kept.get("", self._read)

    def _read(self) -> _Views:
        by_name, applied = {}, {}
        for document in self._store.documents(KIND):
            applied[document.key] = document.applied_at
            text = json.dumps(document.spec, sort_keys=True, default=str)
            digest = hashlib.sha256(text.encode()).hexdigest()[:16]
            by_name[document.key] = DeclaredView(ViewSpec.model_validate(document.spec), digest)
        sinks = ((name, each.spec.sink) for name, each in by_name.items())
        by_topic = {(fold(sink.cluster), sink.topic): name for name, sink in sinks if sink is not None}
        return _Views(by_name, {fold(name): name for name in by_name}, by_topic, applied)


@dataclass(frozen=True, slots=True)
class _Views:
    """By name, by folded name, and by (cluster, output topic)."""

    by_name: dict[str, DeclaredView]
    folded: dict[str, str]
    by_topic: dict[tuple[str, str], str]
    applied: dict[str, datetime | None]
