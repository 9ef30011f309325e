"""What descriptions were before: who changed them, when, and what of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.adapters.sql import questions
from tests.api_world import ApiWorld, orders, world

API = "/api/v1"
AT = f"{API}/datasets/prod/orders"
DECLARED = """
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {description: "Orders\\nof the shop", fields: [{path: value.region, description: Where}]}
"""


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path, {"orders": orders(20), "payroll": orders(5)}) as created:
        created.scan(bootstrapServers="localhost:9092", cluster="prod")
        created.apply(DECLARED)
        yield created


def history(who: Any, **asked: str) -> list[dict[str, Any]]:
    answer = who.get(f"{AT}/descriptions", params=asked)
    assert answer.status_code == 200, answer.text
    changes: list[dict[str, Any]] = answer.json()["changes"]
    return changes


def test_every_change_is_kept_with_its_author_and_its_difference(weir: ApiWorld) -> None:
    first = history(weir.admin)
    assert {(each["field"], each["before"], each["after"], each["by"]) for each in first} == {
        (None, "", "Orders\nof the shop", "admin"),
        ("value.region", "", "Where", "admin"),
    }
    weir.admin.patch(AT, json={"description": "Orders\nof the web shop"})
    newest = history(weir.admin)[0]
    assert newest["diff"].splitlines() == ["@@ -1,2 +1,2 @@", " Orders", "-of the shop", "+of the web shop"]
    weir.admin.patch(AT, json={"addTags": ["sales"]})
    assert len(history(weir.admin)) == 3
    assert [each["after"] for each in history(weir.admin, field="value.region")] == ["Where"]


def test_of_one_description_the_newest_are_kept(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "MOST_VERSIONS", 5)
    for number in range(8):
        assert weir.admin.patch(AT, json={"description": f"Version {number}"}).status_code == 200
    own = [each for each in history(weir.admin) if each["field"] is None]
    assert [each["after"] for each in own] == [f"Version {number}" for number in range(7, 2, -1)]
    assert len(history(weir.admin, field="value.region")) == 1


def test_history_shows_what_the_reader_may_know(weir: ApiWorld) -> None:
    weir.admin.patch(AT, json={"description": "Made of prod/payroll"})
    hidden = "apiVersion: weir/v1\nkind: Visibility\nmetadata: {name: v}\n"
    weir.apply(hidden + "spec: {match: {datasets: [prod/payroll]}, existence: {users: [admin]}}\n")
    ana = weir.user("ana")
    assert history(ana)[0]["after"] == ""
    weir.apply(
        hidden.replace("name: v", "name: w") + "spec: {match: {datasets: [prod/orders]}, schema: {users: [admin]}}\n"
    )
    assert [each["field"] for each in history(ana)] == [None, None]
    gone = ana.get(f"{API}/datasets/prod/payroll/descriptions")
    never = ana.get(f"{API}/datasets/prod/nothing/descriptions")
    assert gone.status_code == never.status_code == 404
    assert gone.text.replace("payroll", "nothing") == never.text
