"""Who was notified of a planned change."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, about, absent


class NotifiedOwner(Answer):
    """A user or a group that owns something that the change affects."""

    name: str
    kind: Literal["user", "group"]
    affected: int = about("How many affected fields, datasets and jobs of theirs the caller may know of.")
    notified: bool
    problem: str = absent("Why not.")


class ImpactAnnounced(Answer):
    """Who was notified of a planned change, and who was not."""

    root: str = about("nodeId.")
    change: str = absent("drop, rename, retype, mask or lose, where it was named.")
    note: str = about("As it was sent: one line, without addresses of mail and web.")
    owners: list[NotifiedOwner]
    messages: int = about("One for each set of owners.")
    withoutOwner: int = about("Affected things that nobody owns.")
    hidden: int = about("Affected things that the caller may not see; their owners were not notified.")
    truncated: bool = about("The graph has more than was read: owners of the rest were not notified.")
    text: str = about("All of it in a few sentences.")
