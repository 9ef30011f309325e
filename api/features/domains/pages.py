"""Domains as one reader may know of them: their people, documents, datasets, and what the reader may do there."""

from __future__ import annotations

from collections.abc import Sequence

from api.features.domains import answers
from api.visibility.domains import SeenDomains
from api.visibility.readers import Reader
from catalog.declared.documents import WrittenDocument
from catalog.errors import NotFound
from policies.access.identity import Identity
from policies.decision.domains import Domain, Power
from policies.declared.domain_specs import KIND
from policies.model import Subject, SubjectMatch


class DomainPages:
    """For one request. `documents`: declared ones, of kind Domain and of the kinds that belong to domains, that the reader may
    know of."""

    def __init__(
        self, identity: Identity, subject: Subject, reader: Reader, documents: Sequence[WrittenDocument]
    ) -> None:
        self._identity, self._subject, self._reader = identity, subject, reader
        self._own = identity.domains(subject)
        self._permissions = identity.permissions(subject)
        seen = SeenDomains(identity, subject, reader).known(documents) if reader.horizon is not None else documents
        self._declared = {each["metadata"]["name"]: each for each in seen if each["kind"] == KIND}
        self._documents = [each for each in seen if each["kind"] != KIND]

    def all(self) -> list[answers.ListedDomain]:
        """By name."""
        return [answers.ListedDomain.model_validate(self._listed(name)) for name in sorted(self._declared)]

    def domain(self, name: str) -> Domain:
        """Raises NotFound for one that the reader may not know of, as for one that is not there."""
        known = self._identity.every_domain().get(name) if name in self._declared else None
        if known is None:
            raise NotFound(f"There is no domain {name!r} that you may know of.", details={"domain": name})
        return known

    def one(self, name: str) -> answers.OneDomain:
        """Raises NotFound."""
        domain = self.domain(name)
        everywhere = {each for each in Power if each in self._permissions}
        mine = [each for each in self._documents if each["metadata"].get("domain") == name]
        return answers.OneDomain(
            **self._listed(name),
            patterns=list(domain.datasets),
            admins=_people(domain.admins),
            stewards=_people(domain.stewards),
            documents=[
                answers.DomainDocument(
                    kind=each["kind"],
                    name=each["metadata"]["name"],
                    description=each["spec"].get("description") or "",
                )
                for each in sorted(mine, key=lambda each: (each["kind"], each["metadata"]["name"]))
            ],
            may=sorted(everywhere | self._own.get(name, frozenset())),
            manages="manage" in self._permissions,
        )

    def datasets(self, name: str, limit: int, offset: int) -> answers.DomainDatasets:
        """A page of its datasets, of those that the reader may know of. Raises NotFound."""
        domain = self.domain(name)
        every = sorted(
            (each for each in self._reader.store.outlines() if domain.has(each.reference)),
            key=lambda each: each.reference,
        )
        page = [
            answers.DomainDataset(
                namespace=each.id.namespace,
                name=each.id.name,
                reference=each.reference,
                owners=[str(owner) for owner in each.owners],
                tags=sorted(each.tags),
            )
            for each in every[offset : offset + limit]
        ]
        return answers.DomainDatasets(datasets=page, total=len(every))

    def _listed(self, name: str) -> dict[str, object]:
        mine = self._own.get(name, frozenset())
        return {
            "name": name,
            "description": self._declared[name]["spec"].get("description") or "",
            "membership": "admin" if Power.DECLARE in mine else "steward" if mine else None,
        }


def _people(match: SubjectMatch) -> answers.DomainMembers:
    return answers.DomainMembers(users=sorted(match.users), groups=sorted(match.groups))
