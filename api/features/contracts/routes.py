"""`/contracts`: what is promised of datasets, and whether scans see it kept. They are declared by `weir apply`."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from api.edge.parameters import Name, Text
from api.features.contracts import answers
from api.features.contracts.shown import ShownContracts, shown_to
from api.guard.guards import KNOWN, OWNERS, Caller, needs, signed_in
from api.guard.powers import require_on
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from catalog.contracts.odcs import canonical
from catalog.contracts.service import Contracts
from catalog.errors import NotAllowed
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.decision.policy_index import Compiled
from policies.declared.state import GovernanceState
from policies.model import DatasetFacts
from policies.personal_data import is_personal_dataset
from policies.ports import FactsSource

router = FeatureRouter("/contracts", tags=["contracts"])


def _shown(
    contracts: From[Contracts],
    readers: From[Readers],
    sights: From[SightRules],
    identity: From[Identity],
    caller: Caller,
) -> ShownContracts:
    return shown_to(contracts, readers.of(caller), sights.of(caller), "manage" in identity.permissions(caller))


Shown = Annotated[ShownContracts, Depends(_shown)]


def _hidden(facts: DatasetFacts, policies: Compiled) -> list[str]:
    """Paths of whose contents a draft has nothing: the contract that comes of it is open to all who may know the schema."""
    if any(map(is_personal_dataset, facts.tags)):
        return ["key", "value", "headers"]
    return policies.plan(facts).masked(policies)


@router.get("", dependencies=[signed_in(KNOWN)])
def list_contracts(
    shown: Shown,
    dataset: Annotated[Text | None, Query(description="Only contracts that name this dataset, as prod/orders.")] = None,
) -> answers.Contracts:
    """Declared contracts with the state of their rules by the last scans."""
    return answers.Contracts(contracts=shown.all(dataset))


@router.get("/draft", dependencies=[needs("manage", "review", others=OWNERS, unseen=True)])
def draft_contract(
    contracts: From[Contracts],
    readers: From[Readers],
    sights: From[SightRules],
    facts: From[FactsSource],
    state: From[GovernanceState],
    caller: Caller,
    dataset: Annotated[Text, Query(description="prod/orders.")],
) -> answers.ContractDraft:
    """A contract written from what the last scan saw, without anything of the contents of personal data and of masked fields.

    For those who may see all figures of the dataset, since a draft states sizes and lengths.
    """
    datasets = readers.of(caller).datasets
    record = datasets.get(datasets.find_in_any_case(dataset))
    if not sights.of(caller).of(record).everything:
        raise NotAllowed(
            f"A draft states figures of all fields of {record.reference}, which its owners and those who manage may see.",
            details={"dataset": record.reference, "reasons": ["owner"]},
        )
    name = record.reference.replace("/", ".")
    hidden = _hidden(facts.facts(record.reference), state.view().policies)
    return answers.ContractDraft(
        dataset=record.reference, name=name, document=canonical(contracts.draft(record, hidden))
    )


@router.get("/{name}", dependencies=[signed_in(KNOWN)])
def get_contract(shown: Shown, name: Name) -> answers.Contract:
    """One contract: its rules with their states, its breaches, and the ODCS document."""
    return shown.get(name)


@router.post(
    "/{name}/check",
    dependencies=[needs("scan", others="admins and stewards of a domain, contracts of its datasets", unseen=True)],
)
def check_contract(shown: Shown, identity: From[Identity], caller: Caller, name: Name) -> answers.Contract:
    """Check every dataset of a contract by its last profile, without reading a record. The queries of rules that need one are run
    by the worker soon after."""
    for record in shown.records(name):
        require_on(identity, caller, Power.SCAN, record.reference)
    return shown.recheck(name)
