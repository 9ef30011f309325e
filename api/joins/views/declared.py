"""`kind: View` under `weir apply`, and the declared views as the runner reads them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence

from catalog.apply.handlers import Kept
from catalog.declared.documents import Document
from catalog.errors import InvalidInput
from catalog.ports import CatalogStore
from catalog.records import DeclaredDocument
from policies.sql.names import fold
from views.declared import ViewSpec
from views.runner.build import gated_once
from views.runner.tools import Declared
from views.shape.shape import shape

KIND = "View"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,199}\Z")
"""A view's name is part of the name of its private topic and of the folder with its state."""


class ViewHandler(Kept):
    """A view is kept as it was written; what depends on topics and rights is found when it starts."""

    kind = KIND

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
        reads = {name: _tables(ViewSpec.model_validate(each.spec)) for name, each in others.items()}
        reads[document.name] = tuple(ref.name for ref in gated.tables)
        _no_cycle(document.name, reads)

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


def _tables(spec: ViewSpec) -> tuple[str, ...]:
    return tuple(ref.name for ref in gated_once(spec.sql).tables)


def _no_cycle(start: str, reads: dict[str, tuple[str, ...]]) -> None:
    """Raises InvalidInput for a view that would read itself, directly or through others."""
    names = {fold(name): name for name in reads}

    def below(name: str, path: tuple[str, ...]) -> None:
        for table in reads.get(name, ()):
            view = names.get(fold(table))
            if view is None:
                continue
            if view in (start, *path):
                chain = " -> ".join((*path, view))
                raise InvalidInput(f"The view would read itself: {chain}.", details={"field": "spec.sql"})
            below(view, (*path, view))

    below(start, (start,))


class DeclaredViews:
    """The views of the record store."""

    def __init__(self, store: CatalogStore) -> None:
        self._store = store

    def names(self) -> list[str]:
        return sorted(each.key for each in self._store.documents(KIND))

    def get(self, name: str) -> Declared | None:
        document = self._store.document(KIND, name)
        if document is None:
            return None
        text = json.dumps(document.spec, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        return Declared(ViewSpec.model_validate(document.spec), digest)
