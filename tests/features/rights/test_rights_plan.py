"""ACLs at the brokers made equal to what Weir grants: plan, apply by one and by two, undo, adopt, by HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.config.settings import Settings
from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.errors import Conflict, Unavailable
from catalog.topic_details import AclsKnown
from policies.broker_rights.reconcile import Reconciliation
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, orders, record, world
from tests.twins.catalog.broker_acls import Killed

BROKER = "localhost:9092"
DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: orders}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mails}
spec: {type: mask, match: {tags: [PII]}, mask: {type: MASK_HASH}, except: {groups: [fraud]}}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: privacy}
spec: {seesUnscanned: true, read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: fraud-check}
spec: {roles: [privacy], groups: [fraud]}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: billing}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: Principal
metadata: {name: fraud}
spec:
  principals: ["User:fraud"]
  subject: {serviceAccount: fraud-check}
  consumerGroups: ["fraud-*"]
  transactionalIds: ["fraud"]
  consumes: ["prod/*"]
---
apiVersion: weir/v1
kind: Principal
metadata: {name: billing}
spec:
  principals: ["User:billing"]
  subject: {serviceAccount: billing}
  consumerGroups: ["billing"]
  consumes: ["prod/orders", "prod/sensors"]
---
apiVersion: weir/v1
kind: User
metadata: {name: boss}
spec: {roles: [admin]}
"""
NOT_FRAUD = """
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: fraud-check}
spec: {roles: [reader]}
"""


def acl(
    principal: str,
    name: str,
    resource: Resource = Resource.TOPIC,
    operation: Operation = Operation.READ,
    pattern: Pattern = Pattern.LITERAL,
    **more: Any,
) -> BrokerAcl:
    return BrokerAcl(resource, pattern, name, principal, **{"host": "*", "allow": True, **more}, operation=operation)


FRAUD = {
    acl("User:fraud", "orders"),
    acl("User:fraud", "sensors"),
    acl("User:fraud", "fraud-", Resource.GROUP, pattern=Pattern.PREFIXED),
    acl("User:fraud", "fraud", Resource.TRANSACTIONAL_ID, Operation.WRITE),
}
BILLING = {acl("User:billing", "sensors"), acl("User:billing", "billing", Resource.GROUP)}


def settings(above: int = 100) -> Settings:
    given = Settings()
    given.policies.rights_second_person_above = above
    return given


def opened(folder: Path, **more: Any) -> Iterator[ApiWorld]:
    topics = {"orders": orders(30), "sensors": [record({"at": n}, offset=n) for n in range(30)]}
    with world(folder, topics, **more) as weir:
        weir.apply(DECLARED)
        weir.scan(cluster="prod", topics=["orders", "sensors"])
        keep(weir)
        yield weir


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    yield from opened(tmp_path / "weir")


def keep(weir: ApiWorld, *acls: BrokerAcl, **more: Any) -> None:
    """Let these be the ACLs of the brokers."""
    known = {"own": "User:weir", "topics": frozenset({"orders", "sensors"}), **more}
    weir.acls.by_address[BROKER] = BrokerAcls(AclsKnown.YES, tuple(sorted(acls)), **known)


def live(weir: ApiWorld) -> set[BrokerAcl]:
    """The ACLs at the brokers, without the mark of the installation."""
    return {each for each in weir.acls.by_address[BROKER].acls if each.allow}


def plan(weir: ApiWorld, client: CheckedClient | None = None) -> dict[str, Any]:
    answer = (client or weir.admin).get("/api/v1/rights/plan")
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def post(client: CheckedClient, path: str, status: int = 200, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/v1/rights/{path}", json=body)
    assert answer.status_code == status, answer.text
    given: dict[str, Any] = answer.json()
    return given


def applied(weir: ApiWorld) -> dict[str, Any]:
    return post(weir.admin, "apply", plan=plan(weir)["id"])


def test_a_plan_opens_topics_to_those_alone_who_may_see_them_whole(weir: ApiWorld) -> None:
    shown = plan(weir)
    assert weir.acls.changed == []  # a plan changes nothing
    assert {(c["action"], c["acl"]) for c in shown["changes"] if c["kind"] != "installationMark"} == {
        ("create", str(each)) for each in FRAUD | BILLING
    }
    reasons = {c["acl"]: c["reason"] for c in shown["changes"]}
    assert reasons[str(acl("User:fraud", "orders"))] == (
        "User:fraud (fraud-check) may see all of prod/orders by role privacy, and consumes it."
    )
    done = applied(weir)
    assert (done["state"], done["done"], done["problems"]) == ("done", len(shown["changes"]), [])
    assert live(weir) == FRAUD | BILLING
    assert plan(weir)["changes"] == []
    audit = weir.admin.get("/api/v1/audit", params={"action": "rights.apply"}).json()["entries"]
    assert [(e["actor"], e["target"]) for e in audit] == [("admin", "prod")]
    assert "7 changes (2 groupRead, 1 installationMark, 3 topicRead, 1 transactionalWrite)" in audit[0]["reasons"][0]


def test_a_right_that_ended_loses_its_acls_and_others_acls_stay(weir: ApiWorld) -> None:
    by_hand = {acl("User:other", "orders"), acl("User:billing", "orders", operation=Operation.WRITE)}
    keep(weir, *by_hand)
    applied(weir)
    weir.apply(NOT_FRAUD)
    shown = plan(weir)
    assert {(c["action"], c["kind"], c["acl"]) for c in shown["changes"]} == {
        ("delete", "rightEnded", str(acl("User:fraud", "orders"))),
    }
    assert "sees fields of prod/orders masked" in shown["changes"][0]["reason"]
    applied(weir)
    assert live(weir) == (FRAUD | BILLING | by_hand) - {acl("User:fraud", "orders")}


def test_a_deletion_says_what_still_opens_the_topic(weir: ApiWorld) -> None:
    applied(weir)
    wide = acl("User:fraud", "ord", pattern=Pattern.PREFIXED)
    keep(weir, *weir.acls.by_address[BROKER].acls, wide)
    weir.apply(NOT_FRAUD)
    (change,) = plan(weir)["changes"]
    assert f"It can still be read by what Weir did not make: {wide}" in change["reason"]


def test_a_stale_plan_is_refused_in_a_sentence(weir: ApiWorld) -> None:
    old = plan(weir)["id"]
    weir.apply(NOT_FRAUD)
    refused = post(weir.admin, "apply", 409, plan=old)
    assert f"The plan {old} is stale" in refused["error"]["message"] and weir.acls.changed == []
    by_hand = plan(weir)["id"]
    keep(weir, acl("User:billing", "sensors"))
    assert post(weir.admin, "apply", 409, plan=by_hand)
    applied(weir)
    nothing = post(weir.admin, "apply", 409, plan=plan(weir)["id"])
    assert nothing["error"]["message"] == "There is nothing to apply: the ACLs of prod are equal to Weir."


def test_many_changes_need_a_second_person(tmp_path: Path) -> None:
    for weir in opened(tmp_path / "weir", settings=settings(above=3)):
        boss, reader = weir.user("boss"), weir.user("otto")
        shown = plan(weir)
        assert (shown["secondPerson"], shown["waiting"], shown["mayApply"]) == (True, None, True)
        first = post(weir.admin, "apply", plan=shown["id"])
        assert (first["state"], first["done"], live(weir)) == ("waiting", 0, set())
        assert plan(weir)["waiting"]["by"] == "admin"
        again = post(weir.admin, "apply", 403, plan=shown["id"])
        assert "a second person has to apply it, as you were the first" in again["error"]["message"]
        post(reader, "apply", 403, plan=shown["id"])
        second = post(boss, "apply", plan=shown["id"])
        assert (second["state"], second["by"], second["approvedBy"]) == ("done", "admin", "boss")
        assert live(weir) == FRAUD | BILLING


def test_the_last_apply_is_undone(weir: ApiWorld) -> None:
    adopted, by_hand = acl("User:billing", "orders"), acl("User:other", "orders")
    keep(weir, adopted, by_hand)
    post(weir.admin, "adopt", principal="User:billing")
    applied(weir)
    assert live(weir) == FRAUD | BILLING | {by_hand}
    undone = post(weir.admin, "undo")
    assert (undone["state"], undone["done"]) == ("done", len(FRAUD | BILLING) + 1)
    assert live(weir) == {adopted, by_hand}
    # What was made again is nobody's: it would be deleted at once.
    assert str(adopted) not in {c["acl"] for c in plan(weir)["changes"]}
    refused = post(weir.admin, "undo", 409)
    assert "There is nothing to undo at prod: the last apply" in refused["error"]["message"]


def test_an_undo_that_waits_for_a_second_person_is_in_the_plan(tmp_path: Path) -> None:
    for weir in opened(tmp_path / "weir", settings=settings(above=0)):
        boss = weir.user("boss")
        first = plan(weir)["id"]
        assert post(weir.admin, "apply", plan=first)["state"] == "waiting"
        assert post(boss, "apply", plan=first)["state"] == "done"
        assert plan(weir)["waitingUndo"] is None
        assert post(weir.admin, "undo")["state"] == "waiting"
        waiting = plan(weir, boss)["waitingUndo"]
        assert (waiting["by"], waiting["undoOf"]) == ("admin", plan(weir)["last"]["id"])
        post(boss, "undo")
        assert plan(weir)["waitingUndo"] is None


def test_adopted_acls_outlive_their_document_and_end_with_the_right(weir: ApiWorld) -> None:
    mine, wide = acl("User:fraud", "orders"), acl("User:fraud", "sens", pattern=Pattern.PREFIXED)
    keep(weir, mine, wide, acl("User:fraud", "orders", operation=Operation.ALL), acl("User:*", "sensors"))
    answer = post(weir.admin, "adopt", principal="User:fraud")
    assert (
        answer["adopted"] == sorted(map(str, (mine, wide))) and "only an ACL that allows READ" in answer["refused"][0]
    )
    everybody = post(weir.admin, "adopt", 404, principal="User:*")
    assert "it is everybody's" in everybody["error"]["message"]
    assert weir.admin.delete("/api/v1/declared/Principal/fraud").status_code == 200
    assert {c["acl"] for c in plan(weir)["changes"] if c["action"] == "delete"} == set()
    weir.apply(DECLARED)
    weir.apply(NOT_FRAUD)
    keep(weir, mine, wide)
    assert {c["acl"] for c in plan(weir)["changes"] if c["action"] == "delete"} == {str(mine)}


def test_a_wide_adopted_acl_is_replaced_by_those_that_hold(weir: ApiWorld) -> None:
    """Made before it is deleted: nobody is cut off from what they may read."""
    wide = acl("User:billing", "*")
    keep(weir, wide)
    post(weir.admin, "adopt", principal="User:billing")
    shown = plan(weir)
    assert [c["action"] for c in shown["changes"] if "billing" in c["principal"]] == ["create", "create", "delete"]
    applied(weir)
    assert weir.acls.changed[-1] == ("delete", wide)
    assert live(weir) == FRAUD | BILLING
    assert plan(weir)["changes"] == []


@pytest.mark.parametrize("fault", ["left", "deny", "super", "ambiguous", "gone", "open", "unknown"])
def test_faults_are_told_in_a_sentence(weir: ApiWorld, fault: str) -> None:
    applied(weir)
    mine, every = acl("User:fraud", "orders"), weir.acls.by_address[BROKER].acls
    if fault == "left":
        weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: gone}\nspec: {}\n")
        assert weir.admin.delete("/api/v1/declared/ServiceAccount/fraud-check").status_code == 200
        expected = {("delete", "personGone", str(mine))}
    elif fault == "deny":
        deny = acl("User:fraud", "orders", operation=Operation.ALL, allow=False)
        keep(weir, *(set(every) - {mine}), deny)
        assert plan(weir)["unopened"] == [
            {
                "acl": str(mine),
                "reason": f"An ACL that Weir did not make goes before it: {deny}. Remove that one first.",
            }
        ]
        expected = set()
    elif fault == "super":
        keep(weir, *every, super_users=frozenset({"User:fraud"}))
        expected = {("delete", "notDeclared", str(each)) for each in FRAUD}
    elif fault == "ambiguous":
        weir.apply(
            "apiVersion: weir/v1\nkind: Principal\nmetadata: {name: one}\nspec: {rules: [{rule: 'RULE:^(two)$/billing/'}]}\n---\n"
            "apiVersion: weir/v1\nkind: Principal\nmetadata: {name: two}\nspec: {rules: [{rule: 'RULE:^(two)$/fraud-check/'}]}\n"
        )
        keep(weir, *every, acl("User:two", "sensors"))
        post(weir.admin, "adopt", principal="User:two")
        expected = set()  # it counts as nobody's: nothing is opened, and what somebody else made stays
    elif fault == "gone":
        keep(weir, *every, topics=frozenset({"sensors"}))
        expected = {("delete", "topicGone", str(mine))}
    elif fault == "open":
        keep(weir, *(set(every) - {mine}), everyone_if_no_acl=True)
        expected = set()
    else:
        keep(weir, *(set(every) - {mine}), everyone_if_no_acl=None)
        assert "the first one would close it to all others" in plan(weir)["unopened"][0]["reason"]
        expected = set()
    changes = {(c["action"], c["kind"], c["acl"]) for c in plan(weir)["changes"]}
    assert expected <= changes if fault in ("left", "gone") else expected == changes


def test_the_last_acl_of_a_topic_is_not_deleted_where_that_opens_it_to_everybody(weir: ApiWorld) -> None:
    applied(weir)
    keep(weir, *weir.acls.by_address[BROKER].acls, everyone_if_no_acl=True)
    weir.apply(NOT_FRAUD)
    shown = plan(weir)
    assert shown["changes"] == [] and "it is the last ACL of the topic orders" in shown["unopened"][0]["reason"]


def test_missing_rights_of_weir_are_named_and_nothing_else_changes(weir: ApiWorld) -> None:
    shown = plan(weir)
    missing = "Kafka at localhost:9092 does not let User:weir change ACLs; allow it to ALTER the cluster."
    weir.acls.after, weir.acls.ends = 0, Conflict(missing)
    assert post(weir.admin, "apply", 409, plan=shown["id"])["error"]["message"] == missing
    weir.acls.after = None
    assert live(weir) == set() and plan(weir)["id"] == shown["id"] and plan(weir)["last"] is None
    weir.acls.by_address[BROKER] = replace(weir.acls.by_address[BROKER], known=AclsKnown.NOT_ALLOWED)
    refused = weir.admin.get("/api/v1/rights/plan")
    assert (
        refused.status_code == 409
        and "allow it to DESCRIBE and ALTER the cluster" in refused.json()["error"]["message"]
    )


def test_brokers_that_refuse_some_acls_are_told(weir: ApiWorld) -> None:
    weir.acls.refused[acl("User:billing", "sensors")] = "INVALID_REQUEST: too many ACLs"
    done = applied(weir)
    assert done["problems"] == [
        "The brokers did not create allow User:billing read topic sensors (literal) from *: INVALID_REQUEST: too many ACLs"
    ]
    assert done["done"] == done["changes"] - 1
    assert [c["acl"] for c in plan(weir)["changes"]] == [str(acl("User:billing", "sensors"))]


@pytest.mark.parametrize("ends", [Killed(), Unavailable("Kafka at localhost:9092 does not answer.")])
def test_an_apply_that_stops_half_way_is_finished_by_the_next_run(weir: ApiWorld, ends: BaseException) -> None:
    """At every step: see unit/policies/broker_rights/test_applying.py."""
    shown = plan(weir)
    service = weir.services[Reconciliation]
    weir.acls.after, weir.acls.ends = 3, ends
    with pytest.raises((Killed, Unavailable)):
        service.apply(subject(), shown["id"], None)
    weir.acls.after = None
    with later(service):
        service.resume(service.comparison.record(None))
    assert live(weir) == FRAUD | BILLING
    assert len(weir.acls.changed) == 7  # nothing twice
    assert plan(weir)["changes"] == [] and plan(weir)["last"]["state"] == "done"
    # All of it is Weir's: it goes with the right.
    weir.apply(NOT_FRAUD)
    assert [c["kind"] for c in plan(weir)["changes"]] == ["rightEnded"]


def test_what_is_not_right_any_more_is_left_out_when_an_apply_is_finished(weir: ApiWorld) -> None:
    shown = plan(weir)
    service = weir.services[Reconciliation]
    weir.acls.after = 0
    with pytest.raises(Killed):
        service.apply(subject(), shown["id"], None)
    weir.acls.after = None
    weir.apply(NOT_FRAUD)
    with later(service):
        done = service.resume(service.comparison.record(None))
    assert done is not None and done.problems == (
        f"Left out: create {acl('User:fraud', 'orders')}. The right to it ended meanwhile.",
    )
    assert acl("User:fraud", "orders") not in live(weir)
    assert plan(weir)["changes"] == []


def subject() -> Any:
    from policies.model import Subject

    return Subject("admin", roles=frozenset({"admin"}))


def later(service: Reconciliation) -> Any:
    """A minute later, when the lease of a process that died is over."""
    from unittest.mock import patch

    return patch.object(service._applying, "_clock", lambda: datetime.now(UTC) + timedelta(minutes=1))  # noqa: SLF001
