"""The queries of all processes."""

from __future__ import annotations

from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from policies.plan.query_board import AllQueries
from policies.query.service import GovernedQuery


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(AllQueries, lambda: parts.all_queries(instance[GovernedQuery].running))
