"""`/apply`, `/declared`, `/policies`: declared state, and rebuilding what is derived."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request
from fastapi.concurrency import run_in_threadpool

from api.edge.parameters import Name, Text
from api.features.declared import answers
from api.features.declared.body import checkout_of, documents_text, takes_documents
from api.features.declared.known import KnownDocuments
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.powers import Declarer, Session
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.joins.cluster_removal import ClusterRemoval
from api.joins.connectors.places import KIND
from api.joins.connectors.readers import shown_document
from api.joins.declared import DeclaredService
from api.joins.origins import ShownOrigin
from api.wiring.duties import Duties
from catalog.document_origins import Checkout, key_of
from catalog.errors import InvalidInput, NotFound
from catalog.records import rfc3339
from catalog.search.service import Search
from policies.access.identity import Identity
from policies.audit.log import AuditLog

router = FeatureRouter(tags=["declared state"])


@router.post(
    "/apply",
    dependencies=[
        needs(
            "manage",
            others="owners of the dataset, and admins and stewards of a domain, what is about their datasets alone",
        )
    ],
    openapi_extra=takes_documents(),
)
async def apply(
    request: Request,
    declared: From[DeclaredService],
    caller: Declarer,
    later: Session,
    dryRun: Annotated[bool, Query(description="Check and show, change nothing.")] = False,
    prune: Annotated[bool, Query(description="Delete declared things the documents no longer hold.")] = False,
    allowUnknown: Annotated[
        bool, Query(description="Take names that look like typing errors, with a warning.")
    ] = False,
    checkout: Annotated[Checkout | None, Depends(checkout_of)] = None,
) -> answers.Applied:
    """Make the declared state what the documents of the body declare; all are checked before any is written.

    The body is YAML, or JSON: `{"documents": [...]}`. A name that nothing has is a warning; one that looks like a typing
    error is refused without `allowUnknown`.

    Admins and stewards of a domain declare what is about its datasets alone (docs/how-to/domains.md). Owners declare their
    datasets, and contracts of these.
    """
    text = await documents_text(request)
    applied = await run_in_threadpool(
        declared.apply,
        text,
        caller,
        dry_run=dryRun,
        prune=prune,
        allow_unknown=allowUnknown,
        later=later,
        checkout=checkout,
    )
    return answers.Applied.of(applied)


@router.get(
    "/declared/{kind}",
    dependencies=[
        signed_in("of people, roles and grants the caller's own; all for `manage`, `report:read`, `audit:read`")
    ],
)
def documents(
    known: From[KnownDocuments], identity: From[Identity], caller: Caller, kind: Name, name: Text | None = None
) -> answers.DeclaredDocuments:
    """Declared documents of one kind, as `apply` takes them back; secrets only by reference.

    Of users, service accounts, groups, roles and grants: the caller's own (of identity providers and rights of directories:
    none), and those of datasets they own; all for `manage`, `report:read` and `audit:read`. Values of a connector's
    `config`: for its owners and `manage`.
    """
    rows = known.of_kind(caller, kind, name)
    shown = (shown_document(each, caller, identity.manages) if each["kind"] == KIND else each for each in rows)
    return answers.DeclaredDocuments(documents=[answers.DeclaredDocument.model_validate(each) for each in shown])


@router.get("/declared/{kind}/origins", dependencies=[needs("manage", "audit:read", scope="read")])
def origins(
    declared: From[DeclaredService], known: From[KnownDocuments], caller: Caller, kind: Name
) -> answers.DocumentOrigins:
    """Which documents of a kind were applied from a git checkout, and which of these were changed since."""
    names = {key_of(each) for each in known.of_kind(caller, kind)}
    listed = [each for name, each in declared.origins(kind).items() if name in names]
    return answers.DocumentOrigins(origins=[_origin(each) for each in listed])


def _origin(shown: ShownOrigin) -> answers.DocumentOrigin:
    origin = shown.origin
    answer = answers.DocumentOrigin(
        kind=origin.kind,
        name=origin.name,
        repository=origin.checkout.repository,
        commit=origin.checkout.commit,
        path=origin.checkout.path,
        dirty=origin.checkout.dirty,
        at=rfc3339(origin.at),
        by=origin.by,
        changed=shown.changed,
    )
    if shown.changed and origin.changed_at is not None:
        answer.changedAt = rfc3339(origin.changed_at)
        if origin.changed_by is not None:
            answer.changedBy = origin.changed_by
    return answer


@router.delete(
    "/declared/{kind}/{name}",
    dependencies=[
        needs("manage", others="admins of a domain, its policies and visibility; owners, contracts of their datasets")
    ],
)
def delete(
    declared: From[DeclaredService],
    removal: From[ClusterRemoval],
    identity: From[Identity],
    caller: Declarer,
    later: Session,
    kind: Name,
    name: Name,
) -> answers.DeletedDocument:
    """Take one declared document away, a dataset as CLUSTER/TOPIC; what scans found stays.

    A cluster that only a scan met goes too, and its topics leave the catalog.
    """
    if kind.casefold() == "cluster":
        identity.require(caller, "manage")
        if not declared.documents(kind, name):
            count = removal.forget(caller, name)
            return answers.DeletedDocument(kind="Cluster", name=name, action="delete", datasets=count)
    return answers.DeletedDocument.model_validate(declared.delete(kind, name, caller, later))


@router.get("/policies", dependencies=[signed_in(KNOWN)])
def policies(known: From[KnownDocuments], caller: Caller) -> answers.Policies:
    """Every declared policy that the caller may know of."""
    rows = known.of_kind(caller, "Policy")
    return answers.Policies(policies=[answers.DeclaredDocument.model_validate(each) for each in rows])


@router.get("/policies/{name}", dependencies=[signed_in(KNOWN)])
def policy(known: From[KnownDocuments], caller: Caller, name: Name) -> answers.DeclaredDocument:
    """One declared policy."""
    rows = known.of_kind(caller, "Policy", name)
    if not rows:
        raise NotFound(f"There is no policy {name!r}; GET /api/v1/policies lists them.")
    return answers.DeclaredDocument.model_validate(rows[0])


@router.post("/rebuild/{what}", dependencies=[needs("manage")])
def rebuild(
    search: From[Search], duties: From[Duties], audit: From[AuditLog], caller: Caller, what: Name
) -> answers.RebuiltSearch | answers.RebuiltLineage:
    """Rebuild `search` from the record store, or `lineage` from its topic, beside the one in use, then swap."""
    if what not in ("search", "lineage"):
        raise InvalidInput(f"Only search and lineage can be rebuilt, not {what!r}.")
    counts = {"documents": search.rebuild_search()} if what == "search" else duties.rebuild_lineage()
    audit.record_by(caller, "rebuild", what, "allow", [f"{count} {name}" for name, count in counts.items()])
    if what == "search":
        return answers.RebuiltSearch.model_validate(counts)
    return answers.RebuiltLineage.model_validate(counts)
