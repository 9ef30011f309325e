"""What a search is asked over HTTP: values that Weir names are checked, in any case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api_world import ApiWorld, world

SEARCH = "/api/v1/search"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    folder: Path = tmp_path_factory.mktemp("search")
    with world(folder) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod")
        yield weir


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("has", "colour", "Tag"),
        ("is", "secret", "PERSONAL"),
        ("source", "file", "CATALOG"),
        ("kind", "topic", "FIELD"),
    ],
)
def test_a_value_that_does_not_exist_is_refused(weir: ApiWorld, name: str, wrong: str, right: str) -> None:
    refused = weir.admin.get(SEARCH, params={name: wrong})
    assert refused.status_code == 400 and name in refused.json()["error"]["message"], refused.text
    taken = weir.admin.get(SEARCH, params={name: right})
    assert (
        taken.status_code == 200
        and taken.json()["total"] == weir.admin.get(SEARCH, params={name: right.lower()}).json()["total"]
    )


def test_a_value_that_is_still_typed_is_not_refused(weir: ApiWorld) -> None:
    answer = weir.admin.get(SEARCH, params={"q": "has:des"})
    assert answer.status_code == 200 and answer.json()["total"] == 0


@pytest.mark.parametrize(
    "more", [{"owner": "otto"}, {"offset": 5}, {"explain": True}, {"group": "dataset"}, {"is": "personal"}]
)
def test_what_marquez_does_not_know_is_not_left_out_of_its_answer(weir: ApiWorld, more: dict[str, Any]) -> None:
    whole = weir.admin.get(SEARCH, params={"q": "orders", "sort": "name", "namespace": "x", "limit": 5})
    assert whole.status_code == 200 and "totalCount" in whole.json()
    answer = weir.admin.get(SEARCH, params={"q": "orders", "sort": "name", **more})
    assert answer.status_code == 400 and next(iter(more)) in answer.json()["error"]["message"]
