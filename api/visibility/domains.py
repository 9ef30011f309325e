"""Domains as one reader may know of them: a domain with a dataset that they may not know of does not exist for them."""

from __future__ import annotations

from collections.abc import Sequence

from api.visibility.readers import Reader
from catalog.declared.documents import WrittenDocument
from policies.access.identity import Identity
from policies.declared.domain_specs import KIND
from policies.model import Subject


class SeenDomains:
    """Cuts lists of declared documents; for one request."""

    def __init__(self, identity: Identity, subject: Subject, reader: Reader) -> None:
        self._domains, self._own, self._reader = identity.every_domain(), identity.domains(subject), reader

    def own(self, document: WrittenDocument) -> bool:
        """Whether it is, or belongs to, a domain of the reader's."""
        return _of(document) in self._own

    def known(self, listed: Sequence[WrittenDocument]) -> list[WrittenDocument]:
        """Without domains, and documents of domains, that the reader may not know of."""
        named = {_of(each) for each in listed} - set(self._own)
        domains = self._domains
        unknown = {name for name in domains.keys() & named if not self._reader.knows_domain(domains[name])}
        return [each for each in listed if _of(each) not in unknown]


def _of(document: WrittenDocument) -> str | None:
    """The domain that a document is, or belongs to."""
    metadata = document["metadata"]
    name = metadata["name"] if document["kind"] == KIND else metadata.get("domain")
    return None if name is None else str(name)
