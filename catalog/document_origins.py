"""Which declared documents were applied from a git checkout, and whether they are still as they were applied."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Checkout:
    """Where files are from, as the command that sent them reported it.

    repository   address of its origin without credentials, else the name of its folder
    commit       the commit that is checked out; path: what was applied, from the root of the repository
    dirty        whether something of it differs from the commit
    """

    repository: str
    commit: str
    path: str
    dirty: bool


@dataclass(frozen=True, slots=True)
class DocumentOrigin:
    """The newest apply of a document from a checkout.

    name      `Document.key`; digest: of the document as it was kept then
    at, by    of the apply
    changed_at, changed_by   of the first apply after it that changed the document without a checkout, as pages send it
    """

    kind: str
    name: str
    checkout: Checkout
    digest: str
    at: datetime
    by: str | None
    changed_at: datetime | None = None
    changed_by: str | None = None


class OriginStore(Protocol):
    """Raises Unavailable when it does not answer."""

    def put_origins(self, origins: Collection[DocumentOrigin]) -> None:
        """Insert or replace by kind and name."""

    def origins(self, kind: str) -> dict[str, DocumentOrigin]:
        """By name."""

    def delete_origins(self, kind: str, names: Collection[str]) -> None: ...


def digest_of(document: Mapping[str, Any]) -> str:
    """The same for a document with the same metadata and spec, in any order of keys."""
    content = {"metadata": document["metadata"], "spec": document["spec"]}
    text = json.dumps(content, sort_keys=True, default=str, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def key_of(document: Mapping[str, Any]) -> str:
    """`catalog.declared.documents.Document.key` of a document as it is given back."""
    metadata = document["metadata"]
    cluster = metadata.get("cluster")
    return f"{cluster}/{metadata['name']}" if cluster else str(metadata["name"])
