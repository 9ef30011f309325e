"""`/datasets/{namespace}/{name}/owner-suggestions`: who might own a dataset."""

from __future__ import annotations

from api.edge.parameters import Name
from api.features.owners import answers
from api.features.owners.service import SuggestedOwners
from api.guard.guards import Caller, needs
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from catalog.model import DatasetId
from policies.access.identity import Identity
from policies.decision.domains import Power

router = FeatureRouter("/datasets", tags=["catalog"])


@router.get(
    "/{namespace}/{name}/owner-suggestions",
    dependencies=[needs("manage", others="admins and stewards of a domain, of its datasets")],
)
def owner_suggestions(
    service: From[SuggestedOwners],
    readers: From[Readers],
    identity: From[Identity],
    caller: Caller,
    namespace: Name,
    name: Name,
) -> answers.OwnerSuggestions:
    """Who might own a dataset, by the ACLs and consumer groups of the brokers, jobs in lineage, the author of its document in
    git (the annotation git-author), and who described it; each with its reasons. To accept one, name it in
    `PATCH /datasets/{namespace}/{name}/curation`.
    """
    reader = readers.of(caller)
    record = reader.datasets.get(DatasetId(namespace, name))
    if Power.EDIT not in identity.powers(caller, record.reference):
        identity.require(caller, "manage")
    return service.of(caller, reader, record)
