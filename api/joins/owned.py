"""Who owns a dataset, and the refusal of a document about one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn, Protocol

from catalog.errors import NotAllowed
from catalog.model import DatasetId, Owner
from catalog.records import DatasetOutline
from policies.model import Subject


class Outlines(Protocol):
    def outline(self, dataset: DatasetId) -> DatasetOutline:
        """Of any dataset, by the id that its cluster's name or address gives it."""
        ...


def is_owner(subject: Subject, owners: Iterable[Owner]) -> bool:
    """True where the subject, or a group of theirs, owns it."""
    return any(o.name == subject.user if o.kind == "user" else o.name in subject.groups for o in owners)


def refuse(subject: Subject, kind: str, name: str, why: str, verb: str = "declare") -> NoReturn:
    """Raises NotAllowed."""
    why = why if why.endswith(".") else f"{why}."
    raise NotAllowed(
        f"{subject.user} may not {verb} {kind} {name}: {why}", details={"kind": kind, "name": name, "reasons": [why]}
    )
