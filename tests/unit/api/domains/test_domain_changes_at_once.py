"""A change by somebody of a domain while the administrators take their right away: what is written counts, not what was asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.features.detections.review_limits import ReviewLimits
from catalog.apply.apply import Applier
from policies.campaigns.snapshot import Snapshots
from policies.requests.approvals import Approvals
from tests.api_world import ApiWorld, orders, world

API = "/api/v1"
POLICY = """
apiVersion: weir/v1
kind: Policy
metadata: {name: hr.hash, domain: hr}
spec: {type: mask, match: {datasets: ["prod/hr.*"]}, mask: {type: MASK_HASH}}
"""


def domain(admins: str, name: str = "hr") -> str:
    return (
        f"{{apiVersion: weir/v1, kind: Domain, metadata: {{name: {name}}}, spec: {{datasets: ['prod/{name}.*'],"
        f" admins: {admins}}}}}\n"
    )


@pytest.fixture(scope="module")
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("at-once"), {"hr.pay": orders(5)}) as opened:
        opened.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["hr.pay"])
        yield opened


class Held:
    """Lets the next change of one thread wait between the first look at its rights and the writing."""

    def __init__(self, patch: pytest.MonkeyPatch, method: str, of: type = Applier, behind: bool = False) -> None:
        """`behind`: it waits when the method is done."""
        self.reached, self.go = threading.Event(), threading.Event()
        self._free = False
        known = getattr(of, method)

        def waiting(applier: Any, *given: Any, **named: Any) -> Any:
            answer = known(applier, *given, **named) if behind else None
            if not self._free:
                self._free = True
                self.reached.set()
                assert self.go.wait(30)
            return answer if behind else known(applier, *given, **named)

        patch.setattr(of, method, waiting)


def during(pause: Held, asked: Any, change: Any) -> Any:
    """What is asked by one thread, while another makes a change between its look and its writing."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(asked)
        try:
            assert pause.reached.wait(30)
            change()
        finally:
            pause.go.set()
        return answer.result(30)


def declared(client: TestClient) -> int:
    return client.post(f"{API}/apply", content=POLICY.encode()).status_code


def names(w: ApiWorld) -> set[str]:
    documents = w.admin.get(f"{API}/declared/Policy").json()["documents"]
    return {each["metadata"]["name"] for each in documents}


@pytest.mark.parametrize("by", ["name", "group"])
def test_who_is_no_admin_any_more_when_it_is_written_declares_nothing(
    w: ApiWorld, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = "{apiVersion: weir/v1, kind: Group, metadata: {name: leads}, spec: {members: [%s]}}\n"
    w.apply(group % "ada" + "---\n" + domain("{users: [ada]}" if by == "name" else "{groups: [leads]}"))
    ada = w.user("ada")
    taken = domain("{users: [olga]}") if by == "name" else group % "olga"
    pause = Held(monkeypatch, "_check")
    assert during(pause, lambda: declared(ada), lambda: w.apply(taken)) == 403
    assert "hr.hash" not in names(w)


def test_nor_deletes_it(w: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    w.apply(domain("{users: [ada]}") + "---" + POLICY)
    ada = w.user("ada")
    pause = Held(monkeypatch, "delete")

    def asked() -> int:
        return ada.delete(f"{API}/declared/Policy/hr.hash").status_code

    assert during(pause, asked, lambda: w.apply(domain("{users: [olga]}"))) == 403
    assert "hr.hash" in names(w)
    assert w.user("olga").delete(f"{API}/declared/Policy/hr.hash").status_code == 200


def test_who_still_is_declares_while_another_changes_something_else(
    w: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    w.apply(domain("{users: [ada]}"))
    ada = w.user("ada")
    pause = Held(monkeypatch, "_check")
    assert during(pause, lambda: declared(ada), lambda: w.apply(domain("{users: [finn]}", "fin"))) == 200
    assert "hr.hash" in names(w)


def stewards(users: str) -> str:
    return domain("{users: [olga]}").replace("admins:", f"stewards: {{users: {users}}}, admins:")


WORD = {"path": "value.customer.email", "entity": "EMAIL_ADDRESS", "state": "rejected"}


def state_of(w: ApiWorld) -> str:
    rows = w.admin.get(f"{API}/datasets/prod/hr.pay/classifications").json()
    return str(next(each["state"] for each in rows if each["path"] == WORD["path"]))


@pytest.mark.parametrize("many", [False, True])
def test_who_is_no_steward_any_more_when_it_is_written_reviews_nothing(
    w: ApiWorld, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    w.apply(stewards("[stan]"))
    stan = w.user("stan")
    waits = Held(monkeypatch, "refused", ReviewLimits, behind=True)

    def asked() -> Any:
        if not many:
            return stan.post(f"{API}/datasets/prod/hr.pay/classifications", json=WORD)
        return stan.post(
            f"{API}/classifications/review", json={"items": [{**WORD, "namespace": "prod", "name": "hr.pay"}]}
        )

    answer = during(waits, asked, lambda: w.apply(stewards("[sam]")))
    if many:
        assert answer.json()["refused"] == 1
    else:
        assert answer.status_code == 403
    assert state_of(w) != "rejected"


def test_who_is_no_admin_any_more_when_it_is_written_decides_on_no_request(
    w: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    w.apply(domain("{users: [ada]}"))
    ada, rita = w.user("ada"), w.user("rita")
    request = rita.post(f"{API}/access-requests", json={"dataset": "prod/hr.pay", "purpose": "x"}).json()["id"]
    waits = Held(monkeypatch, "may_see", type(w.services[Approvals].deciders), behind=True)

    def asked() -> int:
        return ada.post(f"{API}/access-requests/{request}/approve").status_code

    assert during(waits, asked, lambda: w.apply(domain("{users: [olga]}"))) in (403, 404)
    assert rita.get(f"{API}/access-requests/{request}").json()["state"] == "pending"


def test_who_is_no_admin_any_more_when_it_is_written_starts_no_access_review(
    w: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    w.apply(domain("{users: [ada]}"))
    ada = w.user("ada")
    waits = Held(monkeypatch, "take", Snapshots)
    spec = {
        "domain": "hr",
        "scope": {"datasets": ["prod/hr.*"]},
        "items": ["owners"],
        "reviewers": {"owners": True},
        "onNoAnswer": "keep",
    }

    def asked() -> int:
        return ada.post(f"{API}/access-reviews", json={"name": "x", "spec": spec}).status_code

    assert during(waits, asked, lambda: w.apply(domain("{users: [olga]}"))) == 403
    assert w.admin.get(f"{API}/access-reviews").json()["total"] == 0
