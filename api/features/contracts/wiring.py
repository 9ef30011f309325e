"""The services of contracts: the checks of new records, and rules that queries decide."""

from __future__ import annotations

from api.config.settings import Settings
from api.features.contracts.checker import NewRecordChecker
from api.features.contracts.rule_queries import GovernedRuleQueries
from api.joins.connections import Connections
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from catalog.contracts.new_records import NewRecordContracts
from catalog.contracts.queried import QueriedRules
from catalog.contracts.service import Contracts
from catalog.ports import CatalogStore
from policies.access.identity import Identity
from policies.query.service import GovernedQuery
from scanners.scan.new_records import NewRecords


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what the worker asks for."""

    def checker() -> NewRecordChecker:
        contracts = NewRecordContracts(instance[CatalogStore], now, instance[Contracts])
        records = NewRecords(parts.records, parts.offsets, parts.registry, instance[Settings].scanners)
        return NewRecordChecker(instance[CatalogStore], contracts, records, instance[Connections], now)

    def queried() -> QueriedRules:
        store, contracts = instance[CatalogStore], instance[Contracts]
        queries = GovernedRuleQueries(store, contracts, instance[Identity], instance[GovernedQuery])
        return QueriedRules(store, now, contracts, queries)

    instance.provide(NewRecordChecker, checker)
    instance.provide(QueriedRules, queried)
