"""A pattern that fits no dataset is taken, with a warning by `apply` and `diff`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api_world import ApiWorld, orders, world

API = "/api/v1"
HEAD = "apiVersion: weir/v1\nkind: {}\nmetadata: {{name: {}}}\nspec: {}\n"
SPECS = {
    "Visibility": "{{match: {{datasets: [{0}]}}, existence: owners}}",
    "Policy": "{{type: mask, match: {{datasets: [{0}]}}, mask: {{type: MASK_HASH}}}}",
    "Domain": "{{datasets: [{0}]}}",
    "AccessReview": "{{scope: {{datasets: [{0}]}}, reviewers: {{owners: true}}, due: 14d, onNoAnswer: keep}}",
}


@pytest.fixture(scope="module")
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("fits"), {"hr.pay": orders(5)}) as opened:
        opened.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["hr.pay"])
        yield opened


def noted(w: ApiWorld, text: str, dry: bool) -> dict[str, list[str]]:
    answer = w.admin.post(f"{API}/apply", content=text.encode(), params={"dryRun": dry})
    assert answer.status_code == 200, answer.text
    return {each["name"]: [one["message"] for one in each["warnings"]] for each in answer.json()["changes"]}


@pytest.mark.parametrize("kind", SPECS)
@pytest.mark.parametrize("dry", [True, False])
def test_a_pattern_that_fits_nothing_is_noticed(w: ApiWorld, kind: str, dry: bool) -> None:
    at = f"a-{'dry' if dry else 'wet'}-{kind.lower()}"

    def notes(pattern: str) -> list[str]:
        return noted(w, HEAD.format(kind, at, SPECS[kind].format(f'"{pattern}"')), dry)[at]

    assert notes("PROD/hr.*") == [
        "PROD/hr.* fits no dataset yet; prod/hr.pay differs from it by the case of letters alone."
    ]
    assert notes("prod/none.*") == ["prod/none.* fits no dataset yet."]
    if kind != "Domain" or dry:  # two domains cannot have the same dataset
        assert notes("prod/hr.*") == []
    w.admin.delete(f"{API}/declared/{kind}/{at}")


def test_a_dataset_declared_beside_it_counts(w: ApiWorld) -> None:
    dataset = HEAD.format("Dataset", "new.topic, cluster: prod", "{description: later}")
    both = f"{dataset}---\n{HEAD.format('Visibility', 'beside', SPECS['Visibility'].format('prod/new.*'))}"
    assert noted(w, both, True)["beside"] == []


def test_every_dataset_of_an_empty_catalog_is_no_mistake(w: ApiWorld) -> None:
    every = HEAD.format("Visibility", "every", SPECS["Visibility"].format('"*"'))
    assert noted(w, every, True)["every"] == []
