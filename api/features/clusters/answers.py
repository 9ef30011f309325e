"""Answers of `/clusters`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about, absent
from catalog.records import ClusterRecord, rfc3339


class ClusterBase(Answer):
    """A Kafka cluster."""

    name: str
    namespace: str = about("The canonical namespace of its datasets.")
    cluster_id: str | None = about("As the brokers call it; null until one has answered.")
    bootstrap_servers: list[str] = about("HOST:PORT.")
    schema_registry: str | None
    created_at: Time | None
    updated_at: Time | None


class ListedCluster(ClusterBase):
    """A cluster in the list."""

    datasets: int = about("How many the catalog holds.")
    declared: bool = about("False: only a scan met it.")

    @classmethod
    def of(cls, record: ClusterRecord, datasets: int, declared: bool) -> ListedCluster:
        return cls(
            name=record.name,
            namespace=record.namespace,
            cluster_id=record.cluster_id,
            bootstrap_servers=list(record.bootstrap),
            schema_registry=record.registry_url,
            created_at=rfc3339(record.created_at),
            updated_at=rfc3339(record.updated_at),
            datasets=datasets,
            declared=declared,
        )


class Clusters(Answer):
    """Every cluster."""

    clusters: list[ListedCluster]


class Cluster(ClusterBase):
    """One cluster."""

    aliases: list[str] = about("Other spellings of its namespace.")

    @classmethod
    def of(cls, record: ClusterRecord, aliases: list[str]) -> Cluster:
        return cls(
            name=record.name,
            namespace=record.namespace,
            cluster_id=record.cluster_id,
            bootstrap_servers=list(record.bootstrap),
            schema_registry=record.registry_url,
            created_at=rfc3339(record.created_at),
            updated_at=rfc3339(record.updated_at),
            aliases=aliases,
        )


class ClusterCheck(Answer):
    """Whether one server of a cluster answers."""

    what: str = about("Kafka, schema registry or Kafka Connect.")
    ok: bool
    message: str = about("What answers, or what is wrong and how to put it right.")


class TestedCluster(Answer):
    """How a cluster is reached, as a document writes it. Nothing was stored."""

    checks: list[ClusterCheck]
    cluster_id: str | None
    brokers: list[str] = about("HOST:PORT, as the brokers call themselves.")
    topics: int | None = about("Topics that this user may see; null where they were not listed.")
    known_as: str | None = about("The cluster of the catalog that answers there; null for one that is new.")


class DeletedCluster(Answer):
    """A cluster that was removed."""

    name: str
    declared: bool
    datasets: int = about("How many left the catalog.")
    kind: str = absent("Of a declared cluster.")
    action: Literal["delete"] = absent("Of a declared cluster.")
    problem: str = absent("What could not be done outside of Weir yet, and is tried again.")
