"""`/domains`: teams with datasets, admins and stewards of their own, as the caller may know of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from api.edge.parameters import Instant, Limit, Name, Offset, Text
from api.features.declared.known import KnownDocuments
from api.features.domains import answers
from api.features.domains.pages import DomainPages
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Reader, Readers
from policies.access.audit_of_domain import DomainAudit, Viewpoint
from policies.access.identity import Identity
from policies.audit.ports import AuditFilter
from policies.decision.domains import Domain, Power
from policies.declared.domain_specs import KIND, OWN_KINDS
from policies.model import Subject

router = FeatureRouter("/domains", tags=["domains"])


def _pages(
    known: From[KnownDocuments], identity: From[Identity], readers: From[Readers], caller: Caller
) -> DomainPages:
    kinds = (KIND, *sorted(OWN_KINDS))
    documents = [each for kind in kinds for each in known.of_kind(caller, kind)]
    return DomainPages(identity, caller, readers.of(caller), documents)


Pages = Annotated[DomainPages, Depends(_pages)]


@router.get("", dependencies=[signed_in(KNOWN)])
def list_domains(pages: Pages) -> answers.Domains:
    """Domains that the caller may know of, and whether they are admin or steward."""
    return answers.Domains(domains=pages.all())


@router.get("/{name}", dependencies=[signed_in(KNOWN)])
def get_domain(pages: Pages, name: Name) -> answers.OneDomain:
    """One domain: patterns, people, documents, and what the caller may do with its datasets."""
    return pages.one(name)


@router.get("/{name}/datasets", dependencies=[signed_in(KNOWN)])
def datasets(pages: Pages, name: Name, limit: Limit = 100, offset: Offset = 0) -> answers.DomainDatasets:
    """Datasets of a domain that the caller may know of, by CLUSTER/TOPIC."""
    return pages.datasets(name, limit, offset)


@router.get("/{name}/audit", dependencies=[needs("audit:read", others="admins of the domain", unseen=True)])
def audit(
    pages: Pages,
    entries: From[DomainAudit],
    identity: From[Identity],
    readers: From[Readers],
    caller: Caller,
    name: Name,
    actor: Annotated[Text | None, Query(description="Who did it.")] = None,
    action: Annotated[Text | None, Query(description="The action, or its beginning: query, grant...")] = None,
    dataset: Annotated[Text | None, Query(description="CLUSTER/TOPIC of the domain that it is about.")] = None,
    decision: Annotated[Text | None, Query(description="allow, deny...")] = None,
    since: Annotated[Instant | None, Query(description="From then on.")] = None,
    until: Annotated[Instant | None, Query(description="Before then.")] = None,
    cursor: Annotated[Text | None, Query(description="The `next` of the page before.")] = None,
    limit: Limit = 100,
) -> answers.DomainAudit:
    """What the audit has about datasets of a domain, newest first, for its admins. Of entries that are about more, that part
    is left out."""
    domain = pages.domain(name)
    where = AuditFilter(actor, action, dataset=dataset, decision=decision, since=since, until=until)
    viewpoint = _viewpoint(identity, readers.of(caller), caller, domain)
    return answers.DomainAudit.model_validate(entries.page(viewpoint, where, cursor, limit), from_attributes=True)


def _viewpoint(identity: Identity, reader: Reader, caller: Subject, domain: Domain) -> Viewpoint:
    """Raises NotAllowed."""
    if Power.AUDIT in identity.permissions(caller):
        return Viewpoint(domain, domain.has)
    reach = identity.reach(caller, Power.AUDIT, domain.name)
    if not reach:
        identity.require(caller, Power.AUDIT)
    return Viewpoint(domain, reach.has, reader.mentions_hidden)
