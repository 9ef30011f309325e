"""The services of clusters: the trial of one that is not declared yet."""

from __future__ import annotations

from api.features.clusters.cluster_trial import ClusterTrial
from api.joins.cluster_removal import ClusterRemoval
from api.joins.connections import Connections
from api.joins.connectors.places import Places
from api.joins.observing import Observing
from api.joins.second_person import SecondPerson
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.adapters.port_check import port_state
from catalog.datasets.datasets import Datasets
from policies.audit.log import AuditLog


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""

    def trial() -> ClusterTrial:
        return ClusterTrial(
            parts.brokers,
            instance[Connections],
            parts.registry,
            parts.secrets,
            instance[SecondPerson],
            port_state,
            instance[Observing].count_connectors,
            parts.servers,
            parts.store,
        )

    def removal() -> ClusterRemoval:
        return ClusterRemoval(instance[Places].named_of, instance[Datasets], instance[AuditLog])

    instance.provide(ClusterTrial, trial)
    instance.provide(ClusterRemoval, removal)
