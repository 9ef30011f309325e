"""Declared documents as one reader may know of them."""

from __future__ import annotations

from api.joins.declared import DeclaredService
from api.visibility.documents import SeenDocuments
from api.visibility.domains import SeenDomains
from api.visibility.readers import Readers
from catalog.datasets.datasets import Datasets
from catalog.declared.documents import WrittenDocument
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.model import Subject

_SEES_ALL = frozenset({"manage", "report:read", "audit:read"})
_PERSONAL = frozenset({"User", "Group", "Role", "IdentityProvider", "ServiceAccount", "DirectoryRights", "Grant"})
"""Kinds of who is who, and who may what."""


class KnownDocuments:
    """Lists declared documents, each `{apiVersion, kind, metadata, spec}`, for those who may know of them."""

    def __init__(
        self, declared: DeclaredService, identity: Identity, grants: Grants, readers: Readers, datasets: Datasets
    ) -> None:
        self._declared, self._identity, self._grants = declared, identity, grants
        self._readers, self._datasets = readers, datasets

    def of_kind(self, subject: Subject, kind: str, name: str | None = None) -> list[WrittenDocument]:
        """Documents of one kind without those that name what the reader may not know of. Raises InvalidInput."""
        return self._known(subject, self._of_theirs(subject, self._declared.documents(kind, name)))

    def _of_theirs(self, subject: Subject, rows: list[WrittenDocument]) -> list[WrittenDocument]:
        """Documents of personal kinds are for those they are about."""
        if _PERSONAL.isdisjoint(each["kind"] for each in rows) or self._identity.permissions(subject) & _SEES_ALL:
            return rows
        own = {
            "User": {subject.user},
            "Group": set(subject.groups),
            "Role": set(subject.roles),
            "IdentityProvider": set[str](),
            "ServiceAccount": {subject.user},
            "DirectoryRights": set[str](),
            "Grant": {grant.name for grant in self._grants.list(subject, everybody=True)},
        }
        return [each for each in rows if each["kind"] not in own or each["metadata"]["name"] in own[each["kind"]]]

    def _known(self, subject: Subject, listed: list[WrittenDocument]) -> list[WrittenDocument]:
        reader = self._readers.of(subject)
        if reader.horizon is None:
            return listed
        domains = SeenDomains(self._identity, subject, reader)
        seen = SeenDocuments(reader.horizon, self._datasets.clusters.resolve, reader.known_view)
        shown = (document if domains.own(document) else seen.shown(document) for document in domains.known(listed))
        return [each for each in shown if each is not None]
