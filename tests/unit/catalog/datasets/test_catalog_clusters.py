"""One cluster, many spellings, one namespace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.declared.cluster_specs import ClusterSpec
from catalog.errors import Conflict, DatasetNotFound, InvalidInput, NotFound
from catalog.model import DatasetId
from catalog.namespaces import addresses, canonical, namespace_of
from catalog.topics import ClusterDescription
from tests.catalog_samples import World, scan

ID = ClusterDescription("id-1", ("broker-1.example:9092", "broker-2.example:9092"))


def register(
    world: World, name: str, bootstrap: str, description: ClusterDescription | None = ID, **more: object
) -> str:
    spec = ClusterSpec.model_validate({"bootstrapServers": bootstrap, **more})
    return world.datasets.register_cluster(name, spec, description).namespace


def test_all_spellings_of_a_cluster_are_one_namespace() -> None:
    world = World()
    assert (
        register(world, "prod", "Localhost:9092,other.example:9093", aliases=["kafka://kafka-prod"])
        == "kafka://localhost:9092"
    )
    for spelling in (
        "prod",
        "kafka://localhost:9092",
        "kafka://127.0.0.1:9092",
        "kafka://[::1]:9092",
        "kafka://OTHER.example:9093",
        "kafka://broker-2.example:9092",
        "kafka://unknown:1,broker-1.example:9092",
        "kafka://other.example:9093,localhost:9092/",
        "kafka://broker-1.example",
        "kafka://kafka-prod",
        "kafka",
    ):
        assert world.datasets.resolve(spelling, "orders") == DatasetId("kafka://localhost:9092", "orders"), spelling
    for other in ("kafka://localhost:9093", "postgres://db:5432", "staging", "kafka://elsewhere:9092"):
        assert world.datasets.resolve(other, "orders") == DatasetId(other, "orders")


def test_the_first_namespace_stays_when_the_address_changes() -> None:
    world = World()
    register(world, "prod", "localhost:9092")
    assert register(world, "prod", "localhost:19092") == "kafka://localhost:9092"
    assert world.datasets.resolve("kafka://127.0.0.1:19092", "x").namespace == "kafka://localhost:9092"
    assert world.clusters.get("prod").bootstrap == ("localhost:19092",)


def test_two_names_of_one_cluster_are_one_namespace() -> None:
    world = World()
    register(world, "prod", "a.example:9092")
    assert register(world, "same", "b.example:9092") == "kafka://a.example:9092"
    world.clusters.delete("same")
    assert world.datasets.resolve("kafka://b.example:9092", "x").namespace == "kafka://a.example:9092"


def test_datasets_move_when_a_second_name_turns_out_to_be_an_alias() -> None:
    world = World()
    register(world, "prod", "a.example:9092")
    register(world, "late", "b.example:9092", None)
    early = DatasetId("kafka://b.example:9092", "orders")
    world.datasets.record_scan(scan(early, ["value.a"]))
    assert world.datasets.get(early).id == early
    register(world, "late", "b.example:9092", ID)
    moved = DatasetId("kafka://a.example:9092", "orders")
    assert world.datasets.get(early).id == moved
    assert world.datasets.schema(moved).version == 1
    assert {h.source["namespace"] for h in world.search.search("").hits} == {"kafka://a.example:9092"}


def test_an_address_that_belongs_to_another_cluster_is_a_conflict() -> None:
    world = World()
    register(world, "prod", "a.example:9092")
    with pytest.raises(Conflict, match="belongs to cluster 'prod'"):
        register(world, "test", "a.example:9092", ClusterDescription("id-2"))


def test_a_cluster_made_anew_keeps_its_name_and_namespace() -> None:
    world = World()
    register(world, "prod", "a.example:9092")
    assert register(world, "prod", "a.example:9092", ClusterDescription("id-2")) == "kafka://a.example:9092"
    assert world.clusters.get("prod").cluster_id == "id-2"


def test_a_cluster_is_registered_before_its_brokers_answer() -> None:
    world = World()
    register(world, "prod", "a.example:9092", None)
    assert world.clusters.get("prod").cluster_id is None
    register(world, "prod", "a.example:9092", ID)
    assert world.clusters.get("prod").cluster_id == "id-1"
    register(world, "prod", "a.example:9092", None)
    assert world.clusters.get("prod").cluster_id == "id-1"


@pytest.mark.parametrize("text", ["", "localhost", "localhost:", "localhost:99999", "a b:1", "http://", ":9092", ","])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        addresses(text)


def test_references_as_people_write_them() -> None:
    world = World()
    register(world, "prod", "a.example:9092")
    register(world, "test", "b.example:9092", ClusterDescription("id-2"))
    for namespace, name in (("prod", "shop.orders"), ("prod", "both"), ("test", "both"), ("test", "only")):
        world.datasets.record_scan(scan(world.datasets.resolve(namespace, name), ["value.a"]))
    orders = DatasetId("kafka://a.example:9092", "shop.orders")
    for reference in (
        "prod/shop.orders",
        "prod.shop.orders",
        "shop.orders",
        "kafka://a.example:9092/shop.orders",
        "dataset:kafka://a.example:9092:shop.orders",
        "urn:li:dataset:(urn:li:dataPlatform:kafka,shop.orders,PROD)",
    ):
        assert world.datasets.find(reference) == orders, reference
    with pytest.raises(InvalidInput, match="prod/both, test/both"):
        world.datasets.find("both")
    assert world.datasets.find("test/both").namespace == "kafka://b.example:9092"
    with pytest.raises(DatasetNotFound, match="test/only"):
        world.datasets.find("prod/onyl")
    with pytest.raises(NotFound, match="known: prod, test"):
        world.clusters.get("nope")


@given(st.text(max_size=60))
def test_a_namespace_nobody_registered_comes_back_as_it_was(namespace: str) -> None:
    assert canonical(namespace, {}) == namespace


@given(st.lists(st.from_regex(r"\A[a-z]{1,8}:[1-9][0-9]{0,3}\Z"), min_size=1, max_size=4, unique=True), st.randoms())
def test_a_list_of_brokers_is_known_in_any_order(brokers: list[str], random: object) -> None:
    known = {namespace_of(b): "kafka://canon:1" for b in brokers}
    random.shuffle(brokers)  # type: ignore[attr-defined]
    assert canonical(namespace_of(",".join(brokers)), known) == "kafka://canon:1"
