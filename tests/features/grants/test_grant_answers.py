"""Grants as `/grants` answers them."""

from __future__ import annotations

from typing import Any

from api.features.grants.answers import Grant
from policies import model
from tests.unit.policies.access.test_grants import grant, world  # noqa: F401, F811
from tests.unit.policies.world import START, World


def answer(of: model.Grant) -> dict[str, Any]:
    return Grant.of(of, START).model_dump(exclude_unset=True)


def test_a_grant_as_the_api_gives_it(world: World) -> None:  # noqa: F811
    world.declare(
        ("Grant", "all", grant({"role": "temp"}, fields=["key"], rows="a", requestedBy="ana", breakGlass=True))
    )
    grants = world.state.view().grants
    shown = answer(grants["ana-clear"])
    assert shown == {
        "name": "ana-clear",
        "status": "approved",
        "active": True,
        "subject": {"user": "ana"},
        "dataset": "prod/orders",
        "fields": ["*"],
        "unmask": ["value.customer.email"],
        "rows": None,
        "purpose": "fraud-investigation",
        "validFrom": "2026-05-01T00:00:00Z",
        "validTo": "2026-07-01T00:00:00Z",
        "requestedBy": None,
        "approvedBy": ["otto"],
        "breakGlass": False,
        "consumer": None,
    }
    assert answer(grants["team"])["subject"] == {"group": "fraud-team"}
    given = answer(grants["all"])
    assert (given["subject"], given["fields"], given["rows"]) == ({"role": "temp"}, ["key"], "a")
    assert (given["requestedBy"], given["breakGlass"]) == ("ana", True)
