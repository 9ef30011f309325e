"""Filters as people type them, and the spelling that is offered: on the memory twin and on Elasticsearch."""

from __future__ import annotations

import pytest

from catalog.declared.dataset_specs import DatasetSpec
from catalog.model import DatasetId
from catalog.search.service import Search
from tests.catalog_samples import NAMESPACE, World, scan
from tests.contract.test_catalog_index import find, index, paths, world

__all__ = ["index", "world"]


@pytest.mark.parametrize(
    "typed",
    [
        "owner:OTTO",
        "Owner:otto",
        "OWNER:Otto",
        "owner:Team-Pay",
        "owner:GROUP:TEAM-PAY",
        'owner:"otto',
        'owner:"Otto"',
        "tag:DOMAIN.Sales",
        "tag:credit_card",
        "Dataset:PAYMENTS",
    ],
)
def test_filters_fit_in_any_case(world: World, typed: str) -> None:
    assert find(world, f"card kind:dataset {typed}") == find(world, f"kind:dataset {typed}") == ["payments"]


def test_values_that_weir_names_fit_in_any_case(world: World) -> None:
    assert find(world, "kind:DATASET") == ["github", "payments", "shop.orders"]
    assert find(world, "kind:dataset format:JSON") == find(world, kind="dataset", format="Json")
    assert find(world, "kind:dataset source:CATALOG") == find(world, "kind:dataset")


def test_other_letters_have_one_case(world: World) -> None:
    spec = DatasetSpec.model_validate({"owners": [{"user": "Ängström"}]})
    world.datasets.declare(DatasetId(NAMESPACE, "waves"), spec, "otto")
    world.search.refresh()
    assert find(world, "owner:ÄNGSTRöM") == find(world, "owner:Ängström") == ["waves"]
    assert find(world, "owner:ängström") == []


def test_a_filter_without_its_value_is_not_a_word(world: World) -> None:
    for typed in ("card owner:", 'card owner:""', 'card owner:"', "owner: card", "OWNER: card"):
        assert find(world, typed) == find(world, "card"), typed


def test_a_filter_that_is_typed_and_given_takes_either_value(world: World) -> None:
    either = find(world, "kind:dataset dataset:github", dataset="payments")
    assert either == ["github", "payments"]


def test_many_values_are_taken(world: World) -> None:
    owners = [f"nobody{n}" for n in range(3000)]
    answer = world.search.search("", filters={"owner": [*owners, "otto"], "kind": ["dataset"]})
    assert paths(answer) == ["payments"]


@pytest.mark.parametrize("q", ["shop.orders.value.customer.email", "Shop.Orders.value.items[].giftContact"])
def test_a_field_behind_its_dataset_is_first_with_its_root_or_without(world: World, q: str) -> None:
    world.datasets.record_scan(
        scan(DatasetId(NAMESPACE, "other"), ["value.customer.email", "value.items[].giftContact"])
    )
    world.search.refresh()
    for typed in (q, q.replace("value.", "")):
        first = world.search.search(typed).hits[0].source
        assert (first["name"], first["path"]) == ("shop.orders", q.removeprefix(q[:12])), typed


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("paymnets", "payments"),
        ("where are the paymnets?", "where are the payments?"),
        ('"card payments" setled', '"card payments" settled'),
        ("owner:otto paymnets", "payments"),
        ("custmer_email", "customer_email"),
        ("custmer.email", "customer.email"),
        ("paymnets  PAYMNETS", "payments payments"),
        ("customer email", None),
        ("custo", None),
    ],
)
def test_the_offered_spelling_keeps_what_is_right(world: World, typed: str, offered: str | None) -> None:
    assert world.search.search(typed).did_you_mean == offered


def test_the_offered_spelling_is_of_any_hit(world: World) -> None:
    """A hit that has a word by a guess at its meaning may be first; the slip of the finger is a slip all the same."""

    class Near:
        def vectors(self, texts: list[str]) -> object:
            import numpy as np

            return np.array([[1.0, 0.0] if text in ("custmer", "buyer") else [0.0, 1.0] for text in texts])

    world.datasets.record_scan(scan(DatasetId(NAMESPACE, "stock"), ["value.buyer"]))
    world.search.refresh()
    search = Search(world.store, world.index, world.clusters, Near())  # type: ignore[arg-type]
    search.warm()
    assert search.search("custmer").did_you_mean == "customer"
