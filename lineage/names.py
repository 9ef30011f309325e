"""Which names mean the same dataset, and how its fields are written.

Three things are undone here: the many bootstrap strings of one Kafka cluster (`resolve`, asked of the catalog),
symlinks (a table and its location), and the ways producers write a column (`fields`, asked of the catalog, too).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from catalog.columns import column_of, path_of
from catalog.errors import InvalidInput
from catalog.field_names import FieldNames
from catalog.model import DatasetId
from catalog.paths import VALUE, FieldPath

Resolve = Callable[[str, str], DatasetId]
"""The catalog's answer to `(namespace, name)`: the dataset that this is."""


def as_written(namespace: str, name: str) -> DatasetId:
    """A `Resolve` that knows no aliases."""
    return DatasetId(namespace, name)


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A producer reported that `primary`, the name it uses, is also known as `other`. `type` is TABLE, LOCATION..."""

    primary: DatasetId
    other: DatasetId
    type: str = ""


def canonical(members: Iterable[DatasetId], links: Iterable[Link]) -> DatasetId:
    """The one name that represents a set of linked names, in whatever order the links arrived.

    A name that producers use for the dataset itself comes before one that is only a symlink; where each is the
    other's symlink, a table comes before a location.
    """
    links = tuple(links)
    others = {link.other for link in links}
    tables = {link.other for link in links if link.type.upper() == "TABLE"}
    return min(members, key=lambda name: (name in others, name not in tables, name))


def _unknown(dataset: DatasetId) -> None:
    return None


class Names:
    """Names of datasets, resolved. Give it the links that touch the names it will be asked for."""

    def __init__(self, resolve: Resolve = as_written, links: Iterable[Link] = ()) -> None:
        self._resolve = resolve
        self.columns: Callable[[DatasetId], Mapping[str, Any] | None] = getattr(resolve, "columns", _unknown)
        """The catalog's learned columns of a dataset, nested; where `resolve` knows none, None."""
        self._fields_of: Callable[[DatasetId], FieldNames | None] = getattr(resolve, "fields", _unknown)
        self._fields: dict[DatasetId, FieldNames | None] = {}
        self._resolved: dict[tuple[str, str], DatasetId] = {}
        self._canonical: dict[DatasetId, DatasetId] = {}
        self._links: dict[DatasetId, set[Link]] = defaultdict(set)
        for link in links:
            self._links[link.primary].add(link)
            self._links[link.other].add(link)

    def resolved(self, namespace: str, name: str) -> DatasetId:
        """The dataset before symlinks are followed."""
        key = (namespace, name)
        dataset = self._resolved.get(key)
        if dataset is None:
            dataset = self._resolved[key] = self._resolve(namespace, name)
        return dataset

    def dataset(self, namespace: str, name: str) -> DatasetId:
        """The dataset that this name means."""
        dataset = self.resolved(namespace, name)
        return self.representative(dataset) if dataset in self._links else dataset

    def representative(self, dataset: DatasetId) -> DatasetId:
        known = self._canonical.get(dataset)
        if known is None:
            members = self.component(dataset)
            known = canonical(members, {link for member in members for link in self._links.get(member, ())})
            for member in members:
                self._canonical[member] = known
        return known

    def fields(self, dataset: DatasetId) -> FieldNames | None:
        """The fields that the catalog knows of a dataset, the same for as long as these names are used."""
        if dataset not in self._fields:
            self._fields[dataset] = self._fields_of(dataset)
        return self._fields[dataset]

    def column(self, dataset: DatasetId, column: str) -> str:
        """A column as the graph names it: by the field of the catalog that it means, where exactly one fits."""
        return column_named(dataset, column, self.fields(dataset))

    def component(self, dataset: DatasetId) -> set[DatasetId]:
        """Every name linked to this one, itself included."""
        members, todo = {dataset}, [dataset]
        while todo:
            for link in self._links.get(todo.pop(), ()):
                for name in (link.primary, link.other):
                    if name not in members:
                        members.add(name)
                        todo.append(name)
        return members


def column_named(dataset: DatasetId, column: str, fields: FieldNames | None) -> str:
    """See `Names.column`; `fields`: those that the catalog knows of the dataset."""
    text = field_text(dataset, column)
    path = path_of(dataset, text) if fields is not None else None
    if fields is None or path is None:
        return text
    field = fields.fitting(path)
    return text if field == path else column_of(dataset, field)


def field_text(dataset: DatasetId, column: str) -> str:
    """A column as the graph names it where the catalog knows no field for it.

    In a topic that is a FieldPath: `email` and `value.email` are `value.email`, `customer.email` is
    `value.customer.email`; a name that begins with `_` (`_key`, `_offset`) stays. Elsewhere the producer's own text.
    """
    return _topic_column(column) if dataset.namespace.startswith("kafka") else column


@lru_cache(maxsize=65536)
def _topic_column(column: str) -> str:
    if column.startswith("_"):
        return column
    for text in (column, f"value.{column}"):
        try:
            return str(FieldPath.parse(text))
        except InvalidInput:
            continue
    path = VALUE
    for part in column.split("."):
        path = path.field(part)
    return str(path)
