"""A rule that is decided by another dataset: who may not read that one learns neither its name nor whether the rule holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from catalog.contracts.queried import QueriedRules
from catalog.event_model import Event, EventFilter
from catalog.events.events import Events
from policies.declared.state import GovernanceState
from policies.notify.notices import Channel, Notice
from policies.notify.who import Notified, notified
from policies.notify.words import kept, sentence
from policies.plan.errors import QueryFailed
from policies.query.service import GovernedQuery
from policies.requests.approvals import Approvals
from policies.requests.notified import RequestPeople
from tests.api_world import ApiWorld, record, world
from tests.query_door import ArrowEngine, NoOffsets

API = "/api/v1"
DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Role
metadata: {name: all}
spec: {read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: some}
spec: {read: [{dataset: "prod/orders"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [all]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ben}
spec: {roles: [some]}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: checks}
spec: {owner: ana, roles: [all]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: orders}
spec: {owners: [{user: ben}]}
---
apiVersion: weir/v1
kind: Visibility
metadata: {name: hidden}
spec: {match: {datasets: [prod/clients]}, existence: {users: [ana, checks]}}
"""
BROKEN = {"looked": 50, "missing": 3, "p1": 0, "o1": 7, "p2": 0, "o2": 41, "hits": 47}


def contract() -> str:
    relation = {"to": "clients.code", "customProperties": [{"property": "dataset", "value": "prod/clients"}]}
    statement = {"id": "odd", "type": "sql", "query": "SELECT count(*) FROM prod.clients", "mustBe": 1}
    element = {
        "name": "orders",
        "properties": [{"name": "code", "logicalType": "string", "relationships": [relation]}],
        "quality": [statement],
        "customProperties": [
            {"property": "dataset", "value": "prod/orders"},
            {"property": "runAs", "value": {"serviceAccount": "checks"}},
        ],
    }
    spec = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "o", "version": "1", "status": "active"}
    document = {"apiVersion": "weir/v1", "kind": "Contract", "metadata": {"name": "orders"}}
    return yaml.safe_dump({**document, "spec": {**spec, "schema": [element]}})


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    topics = {name: [record({"code": f"c{n}"}, offset=n) for n in range(50)] for name in ("orders", "clients")}
    with world(tmp_path, topics) as created:
        queries = created.services[GovernedQuery]
        queries._engine = ArrowEngine(pa.table({name: [value] for name, value in BROKEN.items()}))
        queries._offsets = queries.preparer._offsets = NoOffsets()
        created.apply(DECLARED)
        created.scan(cluster="prod", topics=["orders", "clients"])
        created.apply(contract())
        yield created


def run(weir: ApiWorld) -> None:
    while weir.services[QueriedRules].step():
        pass


def states(client: Any) -> dict[str, str]:
    shown = client.get(f"{API}/contracts/orders").json()
    return {rule["id"]: rule["state"] for promise in shown["promises"] for rule in promise["rules"]}


def test_who_reads_both_sees_the_state_and_the_place(weir: ApiWorld) -> None:
    assert states(weir.user("ana"))["value.code:reference"] == "waiting"
    run(weir)
    shown = weir.user("ana").get(f"{API}/contracts/orders").json()
    (rule,) = [r for p in shown["promises"] for r in p["rules"] if r["kind"] == "reference"]
    assert (rule["state"], rule["count"], rule["first"]["offset"]) == ("broken", 3, 7)
    assert rule["text"] == "value.code exists in value.code of prod/clients"
    assert "broken" in (shown["state"], *[b["rule"] for b in shown["breaches"]])
    (incident,) = weir.user("ana").get(f"{API}/incidents").json()["incidents"]
    assert (incident["rule"], incident["records"]) == ("value.code:reference", 3)


def test_who_may_not_know_the_other_dataset_learns_nothing_even_as_owner(weir: ApiWorld) -> None:
    run(weir)
    ben = weir.user("ben")
    assert ben.get(f"{API}/datasets", params={"q": "clients"}).status_code == 200
    shown = ben.get(f"{API}/contracts/orders").json()
    assert states(ben) == {"value.code:type": "holds", "value.code:reference": "undecided", "odd": "undecided"}
    assert shown["state"] == "holds"
    assert shown["rules"]["broken"] == 0
    assert shown["breaches"] == []
    assert shown["document"] is None
    for path in ("contracts", "contracts/orders", "incidents", "incidents/broken", "events", "inbox"):
        assert "clients" not in ben.get(f"{API}/{path}").text, path
    assert ben.get(f"{API}/incidents").json()["incidents"] == []
    (incident,) = weir.admin.get(f"{API}/incidents").json()["incidents"]
    assert ben.get(f"{API}/incidents/{incident['id']}").status_code == 404


def test_nothing_counts_or_reports_such_a_breach_to_those_who_may_not_know(weir: ApiWorld) -> None:
    run(weir)
    events = weir.admin.get(f"{API}/events").json()["events"]
    assert not [each for each in events if each["type"].startswith(("weir.contract.", "weir.incident."))]
    assert "value.code:reference" not in json.dumps(events)
    assert "weir.reference" not in weir.user("ben").get(f"{API}/events").text
    assert weir.user("ben").get(f"{API}/search", params={"q": "is:broken"}).json()["total"] == 0


def test_an_account_without_a_right_decides_nothing_and_no_right_is_shown(weir: ApiWorld) -> None:
    weir.apply(DECLARED.replace("owner: ana, roles: [all]", "owner: ana, roles: [some]"))
    run(weir)
    shown = weir.user("ana").get(f"{API}/contracts/orders").json()
    (rule,) = [r for p in shown["promises"] for r in p["rules"] if r["kind"] == "reference"]
    assert (rule["state"], rule["reason"]) == ("undecided", "checks may not read what it is about")
    assert weir.admin.get(f"{API}/incidents").json()["incidents"] == []


def test_a_query_that_cannot_run_has_its_reason_for_those_who_may_know_what_it_reads(weir: ApiWorld) -> None:
    class Failing(ArrowEngine):
        def open(self, plan: Any) -> Any:
            raise QueryFailed("There is no column cod. The columns are code.")

    weir.services[GovernedQuery]._engine = Failing(pa.table({"n": [1]}))
    run(weir)

    def reason(client: Any) -> str:
        shown = client.get(f"{API}/contracts/orders").json()
        return next(str(r["reason"]) for p in shown["promises"] for r in p["rules"] if r["id"] == "odd")

    assert reason(weir.user("ana")) == "its query cannot run: There is no column cod. The columns are code"
    assert "column" not in reason(weir.user("ben"))


def notices(weir: ApiWorld) -> list[tuple[str, str]]:
    """(who, sentence) of what owners are notified of, oldest first."""
    state = weir.services[GovernanceState]
    people = RequestPeople(state, weir.services[Approvals].deciders)
    events = weir.services[Events].list(EventFilter(types=("reference.*",)), 10)
    return [
        (each.user, sentence(notice_of(event, each)))
        for event in sorted(events, key=lambda e: e.seq)
        for each in notified(event, people)
    ]


def notice_of(event: Event, each: Notified) -> Notice:
    data = kept(event.data)
    return Notice(
        "n",
        event.id,
        event.type,
        event.subject,
        each.user,
        Channel.MAIL,
        each.topic,
        each.why,
        event.time,
        "n",
        event.time,
        data,
    )


def test_owners_are_notified_in_words_that_hide_the_other_dataset_and_once_for_several_rules(weir: ApiWorld) -> None:
    weir.apply(DECLARED.replace("owners: [{user: ben}]", "owners: [{user: ben}, {user: ana}]"))
    run(weir)
    words = "prod/orders, which you own: a rule that reads another dataset is broken; who may read both sees more"
    assert notices(weir) == [("ana", words), ("ben", words)]
    run(weir)
    weir.scan(cluster="prod", topics=["orders"])
    run(weir)
    assert len(notices(weir)) == 2, "the same breach is reported once, whatever number of rules and checks sees it"
    (event,) = weir.services[Events].list(EventFilter(types=("reference.*",)), 10)
    assert event.data == {"dataset": "prod/orders"}
    assert weir.user("ben").get(f"{API}/incidents").json()["incidents"] == []
    (incident,) = weir.user("ana").get(f"{API}/incidents").json()["incidents"]
    assert incident["records"] == 3
    whole = {**BROKEN, "missing": 0, **dict.fromkeys(("p1", "o1", "p2", "o2"))}
    weir.services[GovernedQuery]._engine = ArrowEngine(pa.table({name: [value] for name, value in whole.items()}))
    weir.scan(cluster="prod", topics=["orders"])
    run(weir)
    kept_again = words.replace("is broken", "is kept again")
    assert notices(weir)[2:] == [("ana", kept_again), ("ben", kept_again)]


def test_a_breach_ends_when_the_query_sees_it_whole(weir: ApiWorld) -> None:
    run(weir)
    whole = {**BROKEN, "missing": 0, **dict.fromkeys(("p1", "o1", "p2", "o2"))}
    weir.services[GovernedQuery]._engine = ArrowEngine(pa.table({name: [value] for name, value in whole.items()}))
    weir.scan(cluster="prod", topics=["orders"])
    run(weir)
    assert states(weir.user("ana"))["value.code:reference"] == "holds"
    (incident,) = weir.admin.get(f"{API}/incidents", params={"state": "resolved"}).json()["incidents"]
    assert incident["resolution"] == "recovered"
