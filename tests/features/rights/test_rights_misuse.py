"""What must not happen to ACLs: others' ACLs deleted, readers cut off, one person in the place of two."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from catalog.broker_acls import BrokerAcl, Operation, Resource
from catalog.errors import Conflict, SettingsError
from policies.broker_rights.ledger import ApplyState
from policies.broker_rights.reconcile import Reconciliation
from tests.api_world import ApiWorld
from tests.features.rights.test_rights_plan import (
    BILLING,
    BROKER,
    DECLARED,
    FRAUD,
    NOT_FRAUD,
    acl,
    applied,
    keep,
    later,
    live,
    opened,
    plan,
    post,
    settings,
    subject,
)
from tests.features.rights.test_rights_watch import ENFORCED, RAW, Watched
from tests.scim_world import service
from tests.twins.catalog.broker_acls import Killed

OTHER_NAME = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: also}
spec: {bootstrapServers: "localhost:9092"}
"""
PLACE = f"kafka://{BROKER}"
PROGRAM = """
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: pipeline}
spec: {roles: [admin]}
"""


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    yield from opened(tmp_path / "weir")


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[ApiWorld]:
    """A plan of more than three changes needs two persons."""
    yield from opened(tmp_path / "weir", settings=settings(above=3))


def two_persons(weir: ApiWorld) -> None:
    shown = plan(weir)
    post(weir.admin, "apply", plan=shown["id"])
    assert post(weir.user("boss"), "apply", plan=shown["id"])["state"] == "done"


# --- undo ---


def test_what_an_undo_made_again_is_nobodys_where_the_cluster_is_enforced_later(weir: ApiWorld) -> None:
    adopted = acl("User:billing", "orders")
    keep(weir, adopted)
    post(weir.admin, "adopt", principal="User:billing")
    applied(weir)
    assert adopted not in live(weir)
    post(weir.admin, "undo")
    weir.apply(ENFORCED)
    Watched(weir).look()
    assert adopted in live(weir)


def test_an_undo_of_many_changes_needs_a_second_person(guarded: ApiWorld) -> None:
    weir = guarded
    two_persons(weir)
    first = post(weir.admin, "undo")
    assert (first["state"], first["done"], live(weir)) == ("waiting", 0, FRAUD | BILLING)
    again = post(weir.admin, "undo", 403)
    assert "a second person has to undo it, as you were the first" in again["error"]["message"]
    second = post(weir.user("boss"), "undo")
    assert (second["state"], second["by"], second["approvedBy"]) == ("done", "admin", "boss")
    assert live(weir) == set()
    assert "There is nothing to undo" in post(weir.admin, "undo", 409)["error"]["message"]


def test_an_undo_that_waits_is_no_first_word_for_a_plan(guarded: ApiWorld) -> None:
    """A plan has the id of an earlier one once the same changes are due again."""
    weir = guarded
    two_persons(weir)
    post(weir.admin, "undo")
    ledger = weir.services[Reconciliation].ledger
    ledger.forget(PLACE, list(ledger.entries(PLACE)))
    keep(weir)
    shown = plan(weir)
    assert shown["id"] == plan(weir)["last"]["plan"] and shown["waiting"] is None
    assert post(weir.user("boss"), "apply", plan=shown["id"])["state"] == "waiting"
    assert live(weir) == set()


def test_the_last_apply_of_a_person_is_undone_behind_many_of_weir_itself(weir: ApiWorld) -> None:
    applied(weir)
    rights = weir.services[Reconciliation]
    record = rights.comparison.record(None)
    for _ in range(101):
        rights.make("weir", record, [], weir.acls.by_address[BROKER].acls, rights.ledger.begun(record.namespace))
    assert post(weir.admin, "undo")["state"] == "done"
    assert live(weir) == set()
    assert plan(weir)["last"]["undoOf"] is not None
    assert "There is nothing to undo" in post(weir.admin, "undo", 409)["error"]["message"]


def test_an_undo_keeps_the_last_acl_of_a_topic_that_everybody_could_use_then(weir: ApiWorld) -> None:
    keep(weir, *(acl("User:other", topic) for topic in ("orders", "sensors")))
    applied(weir)
    left = live(weir) - {acl("User:other", "orders")}
    keep(weir, *left, everyone_if_no_acl=True)
    undone = post(weir.admin, "undo")
    assert live(weir) == {RAW, acl("User:other", "sensors")}
    assert any("it is the last ACL of the topic orders" in each for each in undone["problems"])


# --- two persons ---


def test_a_program_is_no_person(guarded: ApiWorld) -> None:
    weir = guarded
    weir.apply(PROGRAM)
    program, shown = service(weir, "pipeline", ["manage"]), plan(weir)
    refused = post(program, "apply", 403, plan=shown["id"])
    assert "pipeline is a program" in refused["error"]["message"]
    post(weir.admin, "apply", plan=shown["id"])
    post(program, "apply", 403, plan=shown["id"])
    assert live(weir) == set()


def test_a_first_person_who_left_or_asked_long_ago_does_not_count(guarded: ApiWorld) -> None:
    weir = guarded
    shown = plan(weir)
    post(weir.user("boss"), "apply", plan=shown["id"])
    assert weir.admin.delete("/api/v1/declared/User/boss").status_code == 200
    assert post(weir.admin, "apply", plan=shown["id"])["state"] == "waiting"
    weir.apply(DECLARED)
    rights = weir.services[Reconciliation]
    rights._clock = lambda: datetime.now(UTC) + timedelta(hours=25)  # noqa: SLF001
    assert post(weir.user("boss"), "apply", plan=shown["id"])["state"] == "waiting"
    assert live(weir) == set()


def test_in_an_enforced_cluster_many_deletions_that_no_right_asks_for_wait_for_two_persons(guarded: ApiWorld) -> None:
    weir = guarded
    two_persons(weir)
    weir.apply(ENFORCED)
    watched = Watched(weir)
    watched.look()
    keep(weir, *weir.acls.by_address[BROKER].acls, topics=frozenset({"elsewhere"}))
    watched.look()
    assert live(weir) == FRAUD | BILLING
    assert "more than 3; two persons have to apply them" in watched.events()[0]


# --- a reading that is no whole one ---


def test_an_empty_answer_of_brokers_where_weir_made_acls_is_no_answer(weir: ApiWorld) -> None:
    """A client gives an empty list, too, where the broker refuses to show one."""
    applied(weir)
    every = weir.acls.by_address[BROKER].acls
    weir.apply(NOT_FRAUD)
    keep(weir)
    refused = weir.admin.get("/api/v1/rights/plan")
    assert refused.status_code == 409 and "show no ACL, though Weir made some" in refused.json()["error"]["message"]
    keep(weir, super_users=frozenset({"User:weir"}))  # nothing is refused to a super user
    assert plan(weir)["changes"]
    keep(weir, *every)
    assert [c["acl"] for c in plan(weir)["changes"]] == [str(RAW)]


def test_a_topic_that_weir_may_not_describe_counts_as_there(weir: ApiWorld) -> None:
    applied(weir)
    hidden = acl("User:weir", "orders", operation=Operation.DESCRIBE, allow=False)
    own = (
        acl("User:weir", "*", operation=Operation.ALL),
        acl("User:weir", "kafka-cluster", Resource.CLUSTER, Operation.ALL),
    )
    every = weir.acls.by_address[BROKER].acls
    keep(weir, *every, *own, hidden, topics=frozenset({"sensors"}))
    assert plan(weir)["changes"] == []
    keep(weir, *every, *own, topics=frozenset({"sensors"}))
    assert [(c["kind"], c["acl"]) for c in plan(weir)["changes"]] == [("topicGone", str(RAW))]


def test_another_name_of_a_cluster_changes_nothing(weir: ApiWorld) -> None:
    applied(weir)
    weir.apply(OTHER_NAME)
    answer = weir.admin.get("/api/v1/rights/plan", params={"cluster": "also"})
    assert answer.status_code == 200 and answer.json()["changes"] == []
    weir.apply(OTHER_NAME.replace("spec: {", "spec: {rights: {mode: enforce}, "))
    Watched(weir).look()
    assert live(weir) == FRAUD | BILLING
    weir.apply(NOT_FRAUD)
    Watched(weir).step()
    assert live(weir) == (FRAUD | BILLING) - {RAW}


@pytest.mark.parametrize("problem", [SettingsError("The secret is not there."), ValueError("unforeseen")])
def test_what_is_wrong_at_one_cluster_holds_no_other_up(weir: ApiWorld, problem: Exception) -> None:
    applied(weir)
    weir.apply(OTHER_NAME.replace("spec: {", "spec: {rights: {mode: enforce}, ").replace("localhost:9092", "nowhere:1"))
    read = weir.acls.read

    def without_secret(of: object, bootstrap: list[str]) -> object:
        if bootstrap[0] == "nowhere:1":
            raise problem
        return read({}, bootstrap)

    weir.acls.read = without_secret  # type: ignore[method-assign,assignment]
    weir.apply(NOT_FRAUD)
    with contextlib.suppress(ValueError):  # raised once every cluster was looked at
        assert Watched(weir).step() == 1
    assert RAW not in live(weir)


# --- an apply that is finished later ---


def test_what_would_close_a_topic_to_others_is_left_out_when_an_apply_is_finished(weir: ApiWorld) -> None:
    shown = plan(weir)
    rights = weir.services[Reconciliation]
    weir.acls.after = 0
    with pytest.raises(Killed):
        rights.apply(subject(), shown["id"], None)
    weir.acls.after = None
    keep(weir, acl("User:x", "x"), everyone_if_no_acl=None)
    with later(rights):
        done = rights.resume(rights.comparison.record(None))
    assert done is not None and live(weir) == {acl("User:x", "x")}
    assert any("the first one would close it to all others" in each for each in done.problems)


def test_the_last_acl_of_a_topic_stays_when_an_apply_is_finished(weir: ApiWorld) -> None:
    applied(weir)
    every = weir.acls.by_address[BROKER].acls
    keep(weir, *every, acl("User:other", "orders"), everyone_if_no_acl=True)
    weir.apply(NOT_FRAUD)
    rights = weir.services[Reconciliation]
    shown = plan(weir)
    weir.acls.after = len(weir.acls.changed)
    with pytest.raises(Killed):
        rights.apply(subject(), shown["id"], None)
    weir.acls.after = None
    keep(weir, *every, everyone_if_no_acl=True)
    with later(rights):
        rights.resume(rights.comparison.record(None))
    assert RAW in live(weir)


def test_of_several_whose_right_ended_one_acl_alone_keeps_the_topic_closed(weir: ApiWorld) -> None:
    weir.apply(
        DECLARED.replace("roles: [reader]", "roles: [privacy], groups: [fraud]")  # billing, too, may see all
    )
    applied(weir)
    mine = {each for each in live(weir) if each.name == "orders" and each.resource is Resource.TOPIC}
    assert len(mine) == 2
    keep(weir, *weir.acls.by_address[BROKER].acls, everyone_if_no_acl=True)
    weir.apply(DECLARED)
    weir.apply(NOT_FRAUD)
    applied(weir)
    assert len(live(weir) & mine) == 1


# --- others' ACLs, clocks ---


def test_what_weir_deleted_and_somebody_made_again_is_reported_where_observed(weir: ApiWorld) -> None:
    applied(weir)
    watched = Watched(weir)
    watched.look()
    weir.apply(NOT_FRAUD)
    watched.step()
    assert RAW not in live(weir)
    watched.by_hand(RAW)
    assert watched.look() == 0 and RAW in live(weir)
    assert watched.events() == [f"ACLs made by hand at prod let somebody read past Weir: {RAW}."]
    assert [each["acls"] for each in watched.findings()] == [[str(RAW)]]


def test_what_somebody_makes_again_long_after_it_was_gone_is_not_weirs(weir: ApiWorld) -> None:
    """It was removed by hand, then the right ended, then somebody made it by hand."""
    applied(weir)
    watched = Watched(weir)
    watched.look()
    watched.by_hand(without=RAW)
    weir.apply(NOT_FRAUD)
    watched.step(timedelta(minutes=2))
    watched.by_hand(RAW)
    for _ in range(3):
        watched.look()
    assert RAW in live(weir)
    assert any("made by hand" in each and str(RAW) in each for each in watched.events())


def test_a_clock_that_is_put_back_stops_no_duty(weir: ApiWorld) -> None:
    applied(weir)
    watched = Watched(weir)
    watched.look()
    watched.ahead -= timedelta(hours=2)
    every = weir.acls.by_address[BROKER].acls
    watched.by_hand(without=RAW)
    watched.step()
    assert watched.events() == [f"{RAW} was removed by hand at prod."]
    keep(weir, *every)
    assert not set(every) - set(weir.acls.by_address[BROKER].acls)


def test_weir_adopts_no_acl_of_its_own_user(weir: ApiWorld) -> None:
    keep(weir, acl("User:weir", "*"))
    refused = post(weir.admin, "adopt", 404, principal="User:weir")
    assert "Weir signs in as User:weir" in refused["error"]["message"]


def test_an_apply_that_came_between_makes_a_plan_stale(weir: ApiWorld) -> None:
    """The second one of two at once has looked at ACLs and rights that are over."""
    shown = plan(weir)
    rights = weir.services[Reconciliation]
    of = rights.comparison.of
    record = rights.comparison.record(None)

    def meanwhile(*args: object) -> object:
        compared = of(record)
        rights.comparison.of = of  # type: ignore[method-assign]
        rights.apply(subject(), shown["id"], None)
        post(weir.admin, "undo")
        return compared

    rights.comparison.of = meanwhile  # type: ignore[method-assign,assignment]
    with pytest.raises(Conflict, match="look at the plan again"):
        rights.apply(subject(), shown["id"], None)
    assert live(weir) == set()
    assert rights.ledger.applies(record.namespace, [ApplyState.RUNNING]) == []


def test_names_of_others_weirs_are_shown_without_what_a_terminal_would_run(weir: ApiWorld) -> None:
    name = "_weir.rights.\x1b[2J" + "x" * 500
    deny = BrokerAcl(Resource.GROUP, acl("a", "a").pattern, name, f"User:{name}", "*", Operation.DESCRIBE, allow=False)
    keep(weir, deny)
    (note,) = [each for each in plan(weir)["notes"] if "other Weir" in each]
    assert "\x1b" not in note and len(note) < 300


# --- who may not see all of a topic ---

GROUP = """
apiVersion: weir/v1
kind: Group
metadata: {name: fraud}
spec: {roles: [privacy]}
---
apiVersion: weir/v1
kind: Principal
metadata: {name: team}
spec: {principals: ["User:team"], subject: {group: fraud}, consumes: ["prod/orders"]}
"""
CUTS = {
    "row filter": """
kind: Role
metadata: {name: privacy}
spec: {seesUnscanned: true, read: [{dataset: "prod/*"}], rowFilters: [{dataset: "prod/orders", where: "amount > 5"}]}
""",
    "inherited row filter": """
kind: Role
metadata: {name: eu}
spec: {rowFilters: [{dataset: "prod/*", where: "amount > 5"}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: privacy}
spec: {seesUnscanned: true, inherits: [eu], read: [{dataset: "prod/*"}]}
""",
    "rows": """
kind: Policy
metadata: {name: eu}
spec: {type: row-filter, match: {datasets: ["prod/orders"]}, where: "amount > 5"}
""",
    "purpose": """
kind: Policy
metadata: {name: purpose}
spec: {type: access, match: {datasets: ["prod/orders"]}, requires: {grant: true, purpose: [fraud]}}
""",
    "mask of a place": """
kind: Policy
metadata: {name: ids}
spec: {type: mask, match: {fields: [{dataset: "prod/orders", path: value.order_id}]}, mask: {type: REDACT}}
""",
    "role without all": """
kind: Role
metadata: {name: privacy}
spec: {seesUnscanned: true, read: [{dataset: "prod/orders", path: value.order_id}]}
""",
    "unreadable role": "",
}


@pytest.mark.parametrize("cut", sorted(CUTS))
def test_who_may_not_see_all_of_a_topic_gets_no_acl_and_loses_it(weir: ApiWorld, cut: str) -> None:
    weir.apply(GROUP)
    applied(weir)
    team = acl("User:team", "orders")
    assert {RAW, team} <= live(weir)
    if CUTS[cut]:
        weir.apply(f"apiVersion: weir/v1\n{CUTS[cut].strip()}\n")
    else:
        assert weir.admin.delete("/api/v1/declared/Role/privacy").status_code == 200
    due = {c["acl"] for c in plan(weir)["changes"] if c["action"] == "create"}
    assert not due & {str(RAW), str(team)}
    Watched(weir).step()
    assert not live(weir) & {RAW, team}


def test_a_principal_of_two_gets_nothing(weir: ApiWorld) -> None:
    applied(weir)
    two = DECLARED.split("---")
    document = next(each for each in two if "kind: Principal" in each and "name: fraud}" in each)
    answer = weir.admin.post(
        "/api/v1/apply",
        content=document.replace("name: fraud}", "name: second}").replace("fraud-check", "billing").encode(),
    )
    assert answer.status_code >= 400  # the second document is refused, and names the first


def test_a_group_reads_what_all_of_its_members_may_see(weir: ApiWorld) -> None:
    """They share its principal."""
    weir.apply(GROUP)
    applied(weir)
    team = acl("User:team", "orders")
    assert team in live(weir)
    weir.apply(
        "apiVersion: weir/v1\nkind: User\nmetadata: {name: mia}\nspec: {groups: [fraud]}\n---\n"
        "apiVersion: weir/v1\nkind: Policy\nmetadata: {name: mia}\n"
        'spec: {type: row-filter, match: {datasets: ["prod/orders"]}, subjects: {users: [mia]}, where: "amount > 5"}\n'
    )
    changes = {c["acl"]: c["reason"] for c in plan(weir)["changes"]}
    assert changes == {
        str(team): "mia of the group fraud may not see all of prod/orders, and reads with User:team too."
    }
    Watched(weir).step()
    assert live(weir) & {RAW, team} == {RAW}


def test_a_user_named_by_a_rule_in_another_spelling_is_nobody(weir: ApiWorld) -> None:
    weir.apply(
        "apiVersion: weir/v1\nkind: Principal\nmetadata: {name: rules}\n"
        "spec: {rules: [{rule: 'RULE:^CN=(.*?),.*$/$1/'}]}\n"
    )
    names = ["User:CN=Fraud-Check,O=x", "User:CN=fraud-check\n,O=x", "User:CN=fraud-check ,O=x"]
    keep(weir, *(acl(name, "orders") for name in names))
    shown = weir.admin.get("/api/v1/rights/principals").json()["principals"]
    assert {p["mapping"] for p in shown if p["principal"] in names} == {"unmapped"}
