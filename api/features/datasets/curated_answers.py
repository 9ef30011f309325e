"""What people state about a dataset and who answers for it, in answers about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from api.edge.answer import Answer, about
from catalog.curation.stated import announced
from catalog.records import DatasetRecord


class FieldNote(Answer):
    """What people note about a field."""

    path: str
    description: str
    terms: list[str]
    properties: dict[str, str | int | float | bool]


class DatasetOwner(Answer):
    """A user or a group that owns a dataset itself."""

    name: str = about("A user, or a group as group:NAME.")
    roles: list[Literal["business", "technical"]]


class ResponsibleFor(Answer):
    """Who answers for a dataset: decides, is notified, is asked."""

    names: list[str] = about("Users, and groups as group:NAME.")
    source: Literal["dataset", "product", "domain", "cluster", "nobody"] = about("Whose owners they are.")
    source_name: str = about("Of the product, the domain or the cluster; empty for nobody.")
    owners: list[DatasetOwner] = about("The dataset's own.")


class Certification(Answer):
    """That people vouch for a dataset."""

    by: str
    note: str


class Deprecation(Answer):
    """That a dataset is to be used no more."""

    reason: str
    successor: str | None = about("CLUSTER/TOPIC; null where none is named, or none that the caller may know of.")
    date: str | None = about("When it ends, as 2026-12-31.")


class Announcement(Answer):
    """A sentence for the readers of a dataset."""

    text: str
    from_: str | None = Field(alias="from", description="A date or a time.")
    until: str | None


class Curated(Answer):
    """What people state about a dataset."""

    certification: Certification | None
    deprecation: Deprecation | None
    announcements: list[Announcement] = about("Those that are shown now.")
    properties: dict[str, str | int | float | bool]
    products: list[str] = about("Data products that it belongs to.")

    @classmethod
    def of(cls, record: DatasetRecord, knows: Callable[[str], bool], products: Iterable[str], at: datetime) -> Curated:
        """`knows`: whether the reader may know of a `CLUSTER/TOPIC`."""
        certification, deprecation = record.curation.get("certification"), record.curation.get("deprecation")
        return cls(
            certification=None
            if certification is None
            else Certification(by=certification.get("by", ""), note=certification.get("note", "")),
            deprecation=None if deprecation is None else _deprecation(deprecation, knows),
            announcements=[
                Announcement(text=each["text"], from_=each.get("from"), until=each.get("until"))
                for each in announced(record.curation, at)
            ],
            properties=dict(record.curation.get("properties") or {}),
            products=list(products),
        )


def _deprecation(stated: Mapping[str, Any], knows: Callable[[str], bool]) -> Deprecation:
    successor = stated.get("successor")
    return Deprecation(
        reason=stated.get("reason", ""),
        successor=successor if successor and knows(successor) else None,
        date=stated.get("date"),
    )
