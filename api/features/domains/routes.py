"""`/domains`: teams with datasets, admins and stewards of their own, as the caller may know of them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from api.edge.openapi import answers_with
from api.edge.parameters import Instant, Limit, Name, Offset, Text
from api.features.declared.routes import known_documents
from api.features.domains import answers as schemas
from api.guard.credentials import require
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import InstanceOf
from api.joins.declared import Declared
from api.visibility.domain_page import DomainPages
from api.visibility.readers import Readers
from api.wiring.instance import Instance
from policies.access.audit_of_domain import DomainAudit, Viewpoint
from policies.access.identity import Identity
from policies.audit.ports import AuditFilter
from policies.decision.domains import Domain, Power
from policies.declared.domain_specs import KIND, OWN_KINDS
from policies.model import Subject

router = FeatureRouter(prefix="/domains", tags=["domains"])


def _pages(built: Instance, subject: Subject) -> DomainPages:
    kinds = (KIND, *sorted(OWN_KINDS))
    documents = [each for kind in kinds for each in built[Declared].documents(kind, None)]
    return DomainPages(built[Identity], subject, built[Readers].of(subject), known_documents(built, subject, documents))


@router.get("", dependencies=[signed_in(KNOWN)], responses=answers_with(schemas.Domains))
def list_domains(built: InstanceOf, subject: Caller) -> Any:
    """Domains that the caller may know of, and whether they are admin or steward."""
    return {"domains": _pages(built, subject).all()}


@router.get("/{name}", dependencies=[signed_in(KNOWN)], responses=answers_with(schemas.OneDomain))
def get_domain(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """One domain: patterns, people, documents, and what the caller may do with its datasets."""
    return _pages(built, subject).one(name)


@router.get(
    "/{name}/datasets",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(schemas.DomainDatasets),
)
def datasets(built: InstanceOf, subject: Caller, name: Name, limit: Limit = 100, offset: Offset = 0) -> Any:
    """Datasets of a domain that the caller may know of, by CLUSTER/TOPIC."""
    shown, total = _pages(built, subject).datasets(name, limit, offset)
    return {"datasets": shown, "total": total}


@router.get(
    "/{name}/audit",
    dependencies=[needs("audit:read", others="admins of the domain", unseen=True)],
    responses=answers_with(schemas.DomainAudit),
)
def audit(
    built: InstanceOf,
    subject: Caller,
    name: Name,
    actor: Annotated[Text | None, Query(description="Who did it.")] = None,
    action: Annotated[Text | None, Query(description="The action, or its beginning: query, grant...")] = None,
    dataset: Annotated[Text | None, Query(description="CLUSTER/TOPIC of the domain that it is about.")] = None,
    decision: Annotated[Text | None, Query(description="allow, deny...")] = None,
    since: Annotated[Instant | None, Query(description="From then on.")] = None,
    until: Annotated[Instant | None, Query(description="Before then.")] = None,
    cursor: Annotated[Text | None, Query(description="The `next` of the page before.")] = None,
    limit: Limit = 100,
) -> Any:
    """What the audit has about datasets of a domain, newest first, for its admins. Of entries that are about more, that part
    is left out."""
    domain = _pages(built, subject).domain(name)
    where = AuditFilter(actor, action, dataset=dataset, decision=decision, since=since, until=until)
    return built[DomainAudit].page(_viewpoint(built, subject, domain), where, cursor, limit)


def _viewpoint(built: Instance, subject: Subject, domain: Domain) -> Viewpoint:
    """Raises NotAllowed."""
    reader = built[Readers].of(subject)
    if Power.AUDIT in built[Identity].permissions(subject):
        return Viewpoint(domain, domain.has)
    reach = built[Identity].reach(subject, Power.AUDIT, domain.name)
    if not reach:
        require(built, subject, Power.AUDIT)
    return Viewpoint(domain, reach.has, reader.mentions_hidden)
