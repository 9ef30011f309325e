"""`/apply`, `/declared`, `/policies`: declared state, and rebuilding what is derived."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool

from api.edge.openapi import answers_with, takes
from api.edge.parameters import Name, Text
from api.features.declared.answers import (
    Applied,
    DeclaredDocument,
    DeclaredDocuments,
    DeletedDocument,
    Policies,
    RebuiltLineage,
    RebuiltSearch,
)
from api.guard.credentials import require
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.powers import Declarer, Session
from api.guard.router import FeatureRouter
from api.guard.services import InstanceOf
from api.joins.cluster_removal import ClusterRemoval
from api.joins.connectors.places import KIND
from api.joins.connectors.readers import shown_document
from api.joins.declared import Declared
from api.visibility.documents import SeenDocuments
from api.visibility.domains import SeenDomains
from api.visibility.readers import Readers
from api.wiring.duties import Duties
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.errors import InvalidInput, NotFound
from catalog.search.service import Search
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.model import Subject

router = FeatureRouter(tags=["declared state"])


@router.post(
    "/apply",
    dependencies=[needs("manage", others="admins and stewards of a domain, what is about its datasets alone")],
    openapi_extra=takes("application/yaml"),
    responses=answers_with(Applied),
)
async def apply(
    request: Request,
    built: InstanceOf,
    subject: Declarer,
    later: Session,
    dryRun: Annotated[bool, Query(description="Check and show, change nothing.")] = False,
    prune: Annotated[bool, Query(description="Delete declared things the documents no longer hold.")] = False,
) -> Any:
    """Make the declared state what the YAML documents of the body declare; all are checked before any is written.

    Admins and stewards of a domain declare what is about its datasets alone (docs/domains.md).
    """
    try:
        text = (await request.body()).decode()
    except UnicodeDecodeError:
        raise InvalidInput("The body is not UTF-8 text; send YAML documents.") from None
    return await run_in_threadpool(built[Declared].apply, text, subject, dry_run=dryRun, prune=prune, later=later)


@router.get(
    "/declared/{kind}",
    dependencies=[
        signed_in("of people, roles and grants the caller's own; all for `manage`, `report:read`, `audit:read`")
    ],
    responses=answers_with(DeclaredDocuments),
)
def documents(built: InstanceOf, subject: Caller, kind: Name, name: Text | None = None) -> Any:
    """Declared documents of one kind, as `apply` takes them back; secrets only by reference.

    Of users, service accounts, groups, roles and grants: the caller's own (of identity providers and rights of directories:
    none), and those of datasets they own; all for `manage`, `report:read` and `audit:read`. Values of a connector's
    `config`: for its owners and `manage`.
    """
    rows = known_documents(built, subject, _of_theirs(built, subject, built[Declared].documents(kind, name)))
    manages = built[Identity].manages
    return {"documents": [shown_document(each, subject, manages) if each["kind"] == KIND else each for each in rows]}


def _of_theirs(built: Instance, subject: Subject, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Who is who, and who may what, is for those it is about."""
    if built[Identity].permissions(subject) & {"manage", "report:read", "audit:read"}:
        return rows
    own = {
        "User": {subject.user},
        "Group": set(subject.groups),
        "Role": set(subject.roles),
        "IdentityProvider": set[str](),
        "ServiceAccount": {subject.user},
        "DirectoryRights": set[str](),
        "Grant": {grant.name for grant in built[Grants].list(subject, everybody=True)},
    }
    return [each for each in rows if each["kind"] not in own or each["metadata"]["name"] in own[each["kind"]]]


def known_documents(built: Instance, subject: Subject, listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without documents that name what the caller may not know of; their own grants stay."""
    reader = built[Readers].of(subject)
    if reader.horizon is None:
        return listed
    domains = SeenDomains(built[Identity], subject, reader)
    seen = SeenDocuments(reader.horizon, built[Datasets].clusters.resolve, reader.known_view)
    shown = (document if domains.own(document) else seen.shown(document) for document in domains.known(listed))
    return [each for each in shown if each is not None]


@router.delete(
    "/declared/{kind}/{name}",
    dependencies=[needs("manage", others="admins of a domain, its policies and visibility")],
    responses=answers_with(DeletedDocument),
)
def delete(built: InstanceOf, subject: Declarer, later: Session, kind: Name, name: Name) -> Any:
    """Take one declared document away, a dataset as CLUSTER/TOPIC; what scans found stays.

    A cluster that only a scan met goes too, and its topics leave the catalog.
    """
    if kind.casefold() == "cluster":
        require(built, subject, "manage")
    if kind.casefold() == "cluster" and not built[Declared].documents(kind, name):
        count = built[ClusterRemoval].forget(subject, name)
        return {"kind": "Cluster", "name": name, "action": "delete", "datasets": count}
    return built[Declared].delete(kind, name, subject, later)


@router.get("/policies", dependencies=[signed_in(KNOWN)], responses=answers_with(Policies))
def policies(built: InstanceOf, subject: Caller) -> Any:
    """Every declared policy that the caller may know of."""
    return {"policies": known_documents(built, subject, built[Declared].documents("Policy", None))}


@router.get(
    "/policies/{name}",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(DeclaredDocument),
)
def policy(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """One declared policy."""
    rows = known_documents(built, subject, built[Declared].documents("Policy", name))
    if not rows:
        raise NotFound(f"There is no policy {name!r}; GET /api/v1/policies lists them.")
    return rows[0]


@router.post("/rebuild/{what}", dependencies=[needs("manage")], responses=answers_with(RebuiltSearch | RebuiltLineage))
def rebuild(built: InstanceOf, subject: Caller, what: Name) -> Any:
    """Rebuild `search` from the record store, or `lineage` from its topic, beside the one in use, then swap."""
    if what not in ("search", "lineage"):
        raise InvalidInput(f"Only search and lineage can be rebuilt, not {what!r}.")
    counts = {"documents": built[Search].rebuild_search()} if what == "search" else built[Duties].rebuild_lineage()
    built[AuditLog].record_by(subject, "rebuild", what, "allow", [f"{count} {name}" for name, count in counts.items()])
    return counts
