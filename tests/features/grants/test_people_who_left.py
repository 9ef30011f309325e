"""What a person had is not good for the next person of that name: tokens, and requests that wait."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from catalog.errors import Conflict, InvalidInput
from policies.access.identity import Identity
from policies.declared.state import GovernanceState
from tests.api_world import ApiWorld
from tests.unit.policies.requests.test_approvals import ask
from tests.unit.policies.world import World, company

USER = "apiVersion: weir/v1\nkind: User\nmetadata: {name: %s}\nspec: {roles: [admin]}\n"


@pytest.fixture
def weir(tmp_path: Path) -> ApiWorld:
    return ApiWorld(tmp_path)


@pytest.mark.parametrize("how", ["deleted", "pruned"])
def test_a_token_of_somebody_who_was_deleted_stays_ended(weir: ApiWorld, how: str) -> None:
    weir.apply(USER % "leo")
    leo = weir.user("leo")
    assert leo.get("/api/v1/me").json()["user"] == "leo"
    if how == "deleted":
        assert weir.admin.delete("/api/v1/declared/User/leo").status_code == 200
    else:
        weir.apply(USER % "lia", prune="true")
    assert leo.get("/api/v1/me").status_code == 401
    weir.apply(USER % "leo")
    assert leo.get("/api/v1/me").status_code == 401
    assert weir.user("leo").get("/api/v1/me").status_code == 200


def test_a_document_of_the_admin_may_go(weir: ApiWorld) -> None:
    weir.apply(USER % "admin")
    assert weir.admin.delete("/api/v1/declared/User/admin").status_code == 200
    assert weir.admin.get("/api/v1/me").status_code == 200
    assert weir.services[Identity].tokens("admin")
    assert "admin" not in weir.services[GovernanceState].view().users


@pytest.mark.parametrize(("how", "why"), [("deleted", "was deleted"), ("disabled", "is disabled")])
def test_a_request_of_somebody_who_left_is_not_approved(how: str, why: str) -> None:
    world: World = company()
    request = ask(world)
    world.approvals.approve(world.user("otto"), request.id)
    if how == "deleted":
        world.state.delete("User", "ana")
    else:
        world.declare(("User", "ana", {"disabled": True}))
    with pytest.raises(Conflict, match=rf"^ana {why}, so access request {request.id} cannot be approved; deny it\.$"):
        world.approvals.approve(world.user("petra"), request.id)
    assert not world.state.view().grants
    assert world.approvals.deny(world.user("petra"), request.id).state == "denied"


GRANT = """
apiVersion: weir/v1
kind: Grant
metadata: {name: %s}
spec:
  subject: {user: leo}
  dataset: prod/orders
  purpose: analytics
  status: approved
  validFrom: 2020-01-01T00:00:00Z
  validTo: %s
"""


def test_who_declares_a_deleted_name_again_is_told_which_grants_are_good_again(weir: ApiWorld) -> None:
    grants = "---".join(GRANT % (f"g{n}", "2090-01-01T00:00:00Z") for n in range(4))
    weir.apply(f"{USER % 'leo'}---{grants}---{GRANT % ('over', '2021-01-01T00:00:00Z')}")
    assert weir.admin.delete("/api/v1/declared/User/leo").status_code == 200
    for dry_run in ("true", "false"):
        answer = weir.apply(USER % "leo", dryRun=dry_run)
        assert answer["changes"][0]["notes"] == [
            "leo was deleted before, and grants of then are good again: g0, g1, g2 and 1 more; revoke them if this is another"
            " person: weir access revoke NAME"
        ]
    assert weir.apply(USER.replace("[admin]", "[steward]") % "leo")["changes"][0]["notes"] == []


def test_a_delegate_is_named_as_declared() -> None:
    world: World = company()
    until = world.now + timedelta(days=3)
    with pytest.raises(InvalidInput, match=r"^Petra is another spelling of petra; name petra\.$"):
        world.approvals.delegations.set(world.user("otto"), ["grace", "Petra"], until)
    assert world.approvals.delegations.set(world.user("otto"), ["petra"], until).delegates == ("petra",)
