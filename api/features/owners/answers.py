"""The answer of `/datasets/{namespace}/{name}/owner-suggestions`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, about


class OwnerReason(Answer):
    """Why somebody might own a dataset."""

    source: Literal["acl", "consumer", "lineage", "git", "document", "description"]
    text: str = about("One sentence.")


class OwnerSuggestion(Answer):
    """A person or a group that might own a dataset."""

    name: str = about("A user, or a group as group:NAME.")
    known: bool = about("Whether Weir knows a person or a group of this name.")
    reasons: list[OwnerReason]


class OwnerSuggestions(Answer):
    """Those with the most reasons first; people who own it already are left out."""

    suggestions: list[OwnerSuggestion]
    not_read: list[str] = about("What could not be asked, a sentence each.")
