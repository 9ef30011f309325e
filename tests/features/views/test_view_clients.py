"""Configurations of Kafka clients for the topic that a masked copy writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.views.test_view_types import COPY
from tests.served_view import ServedView, served_view

HIDDEN = """
apiVersion: weir/v1
kind: Visibility
metadata: {name: out}
spec: {match: {datasets: [prod/spend-out]}, existence: {users: [root]}}
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    served = ServedView(tmp_path)
    served.world.apply(COPY)
    yield served


def test_a_copy_has_clients_for_its_topic_and_no_secret(served: ServedView) -> None:
    answer = served.world.user("ana").get("/api/v1/views/spend/clients")
    assert answer.status_code == 200, answer.text
    given = answer.json()
    assert (given["cluster"], given["topic"]) == ("prod", "spend-out")
    ast.parse(given["clients"]["python"])
    assert 'subscribe(["spend-out"])' in given["clients"]["python"]
    assert "localhost:9092 --topic spend-out" in given["clients"]["console"]
    assert "YOUR-PRINCIPAL" in given["text"]


def test_a_view_without_a_topic_has_none(tmp_path: Path) -> None:
    with served_view(tmp_path) as view:
        private = view.world.admin.get("/api/v1/views/spend/clients")
    assert private.status_code == 404 and "writes no topic" in private.json()["error"]["message"]


def test_those_of_a_hidden_view_are_not_there(served: ServedView) -> None:
    served.world.apply(HIDDEN)
    hidden = served.world.user("bob").get("/api/v1/views/spend/clients")
    never = served.world.user("bob").get("/api/v1/views/nothing/clients")
    assert (hidden.status_code, never.status_code) == (404, 404)
    assert hidden.text.replace("spend", "nothing") == never.text
