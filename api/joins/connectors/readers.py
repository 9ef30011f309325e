"""Who sees the values of a connector's configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from catalog.declared.documents import WrittenDocument
from connectors.config import HIDDEN
from policies.model import Subject


def owns(subject: Subject, spec: Mapping[str, Any]) -> bool:
    """Whether somebody, or a group of theirs, is an owner in the spec of a connector."""
    owners = spec.get("owners") or []
    return any(each.get("user") == subject.user or each.get("group") in subject.groups for each in owners)


def shown_document(document: WrittenDocument, subject: Subject, manages: Callable[[Subject], bool]) -> WrittenDocument:
    """A declared connector {kind, metadata, spec} as somebody may see it. The values of its configuration are for its owners
    and those who manage."""
    spec = document["spec"]
    if manages(subject) or owns(subject, spec):
        return document
    return {**document, "spec": {**spec, "config": dict.fromkeys(spec.get("config") or {}, HIDDEN)}}
