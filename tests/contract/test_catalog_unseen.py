"""What a reader may not know of is in no hit, no count and no suggestion: on the memory twin and on Elasticsearch."""

from __future__ import annotations

import pytest

from catalog.model import DatasetId
from catalog.search.documents import dataset_key
from catalog.search.service import Search
from catalog.search_model import Unseen
from tests.catalog_samples import NAMESPACE, World
from tests.contract.test_catalog_index import index, paths, world

__all__ = ["index", "world"]
ORDERS, GITHUB, PAYMENTS = (DatasetId(NAMESPACE, name) for name in ("shop.orders", "github", "payments"))


def keys(*datasets: DatasetId) -> frozenset[str]:
    return frozenset(map(dataset_key, datasets))


def seen(world: World, unseen: Unseen) -> Search:
    return world.search.seen_by(world.store, world.datasets.clusters, unseen)


@pytest.fixture
def faced(world: World) -> World:
    """Every dataset has faces."""
    world.search.partly_known = lambda _: True
    world.search.rebuild_search()
    world.search.refresh()
    return world


@pytest.mark.parametrize(
    "unseen",
    [Unseen(nothing=keys(ORDERS)), Unseen(only=keys(GITHUB, PAYMENTS)), Unseen(nothing=keys(ORDERS), only=None)],
)
def test_what_is_hidden_counts_nowhere(faced: World, unseen: Unseen) -> None:
    cut = seen(faced, unseen)
    whole = seen(faced, Unseen()).search("")
    answer = cut.search("", limit=100)
    assert {hit.source["name"] for hit in answer.hits} == {"github", "payments"}
    assert answer.total == len(answer.hits) < whole.total
    assert dict(answer.facets["entity"]).get("EMAIL_ADDRESS") is None and dict(whole.facets["entity"])["EMAIL_ADDRESS"]
    assert cut.search("email address").total == 0
    assert not [each for each in cut.suggest("shop") if each.text == "shop.orders"]
    assert cut.search("", grouped=True).total == 2


def test_nothing_is_known_of_an_empty_list(faced: World) -> None:
    answer = seen(faced, Unseen(only=frozenset())).search("")
    assert (answer.total, answer.hits) == (0, ())
    assert not any(answer.facets.values())


def test_faces_are_found_by_those_who_know_in_part_and_by_nobody_else(faced: World) -> None:
    bare, plain, full = (
        seen(faced, each) for each in (Unseen(bare=keys(ORDERS)), Unseen(plain=keys(ORDERS)), Unseen())
    )
    assert paths(bare.search("orders", limit=100)) == ["shop.orders"]
    assert paths(bare.search("email")) == [] and paths(bare.search("", filters={"entity": ["PII"], "cluster": []}))
    assert "value.email_address" in paths(plain.search("email", limit=100))
    assert not plain.search("", filters={"entity": ["EMAIL_ADDRESS"]}).total
    assert full.search("", filters={"entity": ["EMAIL_ADDRESS"]}).total == 2
    assert full.search("shop.orders", filters={"kind": ["dataset"]}).total == 1


def test_labels_are_those_of_what_is_seen(faced: World) -> None:
    index = faced.search._index
    whole = dict(index.labels(1000, Unseen()))
    cut = dict(index.labels(1000, Unseen(nothing=keys(ORDERS))))
    assert cut.items() < whole.items()


def test_outlines_are_of_every_dataset(world: World) -> None:
    listed = {each.id: each for each in world.store.outlines()}
    assert {ORDERS, GITHUB, PAYMENTS} <= listed.keys()
    record = world.store.dataset(PAYMENTS)
    assert record is not None and listed[PAYMENTS] == record.outline
    assert [str(owner) for owner in listed[PAYMENTS].owners] == ["otto", "group:team-pay"]
