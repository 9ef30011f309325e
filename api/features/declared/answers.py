"""Answers of `/apply`, `/declared`, `/policies`, `/rebuild`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from api.edge.answer import Answer, FreeForm, OpenAnswer, Time, about, absent
from api.joins.declared import AppliedDocuments


class NameWarning(Answer):
    """A name in a document that nothing has now."""

    what: Literal["tag", "user", "group", "role", "term", "purpose", "dataset", "field"]
    name: str = about("As it is written.")
    field: str = about("Where in the document, as in spec.match.tags.0.")
    nearest: str | None = about("The known name that it looks like.")
    refused: bool = about("It looks like a typing error: applying is refused without `allowUnknown`.")
    message: str


class AppliedChange(Answer):
    """What applying does to one document."""

    kind: str
    name: str
    action: Literal["create", "update", "unchanged", "delete"]
    diff: str = about("Unified, of the YAML before and after; empty when unchanged.")
    warnings: list[NameWarning] = about("Names that nothing has now.")
    notes: list[str] = about("What applying it brings beside the document, in sentences.")
    problem: str = absent("What could not be done outside of Weir yet, and is tried again.")


class Applied(Answer):
    """What applying did, or would do."""

    changes: list[AppliedChange]
    dry_run: bool

    @classmethod
    def of(cls, applied: AppliedDocuments) -> Applied:
        changes = [each.change.to_json() | {"warnings": [*map(asdict, each.warnings)]} for each in applied.changes]
        return cls.model_validate({"changes": changes, "dryRun": applied.dry_run})


class DocumentMetadata(OpenAnswer):
    """How a document is called; a dataset has its cluster here too."""

    name: str


class DeclaredDocument(Answer):
    """A declared document, as `apply` takes it back."""

    api_version: str
    kind: str
    metadata: DocumentMetadata
    spec: FreeForm


class DeclaredDocuments(Answer):
    """Documents of one kind."""

    documents: list[DeclaredDocument]


class DocumentOrigin(Answer):
    """The newest apply of a document from a git checkout, as the command reported it."""

    kind: str
    name: str = about("Of a dataset CLUSTER/TOPIC.")
    repository: str = about("The address of its origin without credentials, else the name of its folder.")
    commit: str
    path: str = about("What was applied, from the root of the repository.")
    dirty: bool = about("Something of what was applied differed from the commit.")
    at: Time
    by: str | None
    changed: bool = about("The document is not as it was applied then.")
    changedAt: Time = absent("Of the first change since that was declared without a checkout, as pages do it.")
    changedBy: str = absent()


class DocumentOrigins(Answer):
    """Of the documents of one kind that came from a git checkout."""

    origins: list[DocumentOrigin]


class Policies(Answer):
    """Every declared policy."""

    policies: list[DeclaredDocument]


class DeletedDocument(Answer):
    """A document that was taken away."""

    kind: str
    name: str
    action: Literal["delete"]
    problem: str = absent("What could not be done outside of Weir yet, and is tried again.")
    datasets: int = absent("Of a cluster that no document declared: how many left the catalog.")


class RebuiltSearch(Answer):
    """A search index built again."""

    documents: int = about("Documents in it.")


class RebuiltLineage(Answer):
    """A lineage graph built again."""

    events_folded: int = about("Events that went into it.")
    messages_skipped: int = about("Messages of the topic that are not events.")
    tombstones: int
