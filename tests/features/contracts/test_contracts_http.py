"""Contracts over HTTP: a draft, a promise, a producer that breaks it at a known offset, the event and the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.api_world import ApiWorld, orders, record, world

AT = "/api/v1/contracts"
CLUSTER = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: orders}
spec: {owners: [{user: olga}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: olga}
spec: {email: olga@example.org}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {}
"""


@pytest.fixture
def topics() -> dict[str, Any]:
    return {"orders": orders(50)}


@pytest.fixture
def weir(tmp_path: Path, topics: dict[str, Any]) -> Iterator[ApiWorld]:
    with world(tmp_path, topics) as created:
        created.apply(CLUSTER)
        yield created


def declared(document: dict[str, Any], name: str = "prod.orders") -> str:
    return yaml.safe_dump({"apiVersion": "weir/v1", "kind": "Contract", "metadata": {"name": name}, "spec": document})


def promised(weir: ApiWorld) -> dict[str, Any]:
    """The draft of the topic, promised."""
    draft = weir.admin.get(f"{AT}/draft", params={"dataset": "prod/orders"}).json()
    assert draft["name"] == "prod.orders"
    document = {**draft["document"], "status": "active"}
    weir.apply(declared(document))
    return document


def events(weir: ApiWorld) -> list[dict[str, Any]]:
    listed = weir.admin.get("/api/v1/events", params={"type": "weir.contract.*"}).json()["events"]
    return list(reversed(listed))


def test_a_draft_is_promised_broken_at_a_known_offset_reported_and_kept_again(
    weir: ApiWorld, topics: dict[str, Any]
) -> None:
    weir.scan(cluster="prod", topics=["orders"])
    promised(weir)
    before = weir.admin.get(f"{AT}/prod.orders").json()
    assert before["state"] == "holds"
    assert before["rules"]["broken"] == 0 < before["rules"]["holds"]
    assert "mail.example.com" not in json.dumps(before)

    good = {"order_id": "O-1", "customer": {"name": "A B", "email": "a@mail.example.com"}, "region": "EU"}
    topics["orders"] += [record({**good, "region": n}, offset=n) for n in range(50, 55)]
    weir.scan(cluster="prod", topics=["orders"], sample={"strategy": "full"})
    broken = weir.admin.get(f"{AT}/prod.orders").json()
    assert broken["state"] == "broken"
    (rule,) = [r for p in broken["promises"] for r in p["rules"] if r["id"] == "value.region:type"]
    assert (rule["state"], rule["count"]) == ("broken", 5)
    assert (rule["first"]["partition"], rule["first"]["offset"]) == (0, 50)
    reports = [each for each in events(weir) if each["data"]["rule"] == "value.region:type"]
    assert [each["type"] for each in reports] == ["weir.contract.broken"]
    assert reports[0]["data"]["first"]["offset"] == 50
    assert reports[0]["data"]["dataset"] == "prod/orders"

    topics["orders"][:] = [record(good, offset=n) for n in range(55, 105)]
    weir.scan(cluster="prod", topics=["orders"], sample={"strategy": "full"})
    after = weir.admin.get(f"{AT}/prod.orders").json()
    assert [b["endedAt"] is not None for b in after["breaches"] if b["rule"] == "value.region:type"] == [True]
    types = [each["type"] for each in events(weir) if each["data"]["rule"] == "value.region:type"]
    assert types == ["weir.contract.broken", "weir.contract.kept"]


def test_a_contract_of_a_topic_that_is_not_there_waits_and_the_plan_says_so(weir: ApiWorld) -> None:
    element = {"name": "later", "customProperties": [{"property": "dataset", "value": "prod/later"}]}
    element["properties"] = [
        {"name": "id", "logicalType": "string", "quality": [{"type": "text", "description": "Nice"}]}
    ]
    document = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "l", "version": "1", "status": "active"}
    answer = weir.apply(declared({**document, "schema": [element]}, "later"), dryRun="true")
    assert answer["changes"][0]["notes"] == [
        "prod/later is not in the catalog yet; its rules wait for its first scan.",
        "prod/later: the rule value.id:text stays undecided: it is text for people.",
    ]
    weir.apply(declared({**document, "schema": [element]}, "later"))
    assert weir.admin.get(f"{AT}/later").json()["state"] == "waiting"
    assert [c["name"] for c in weir.admin.get(AT).json()["contracts"]] == ["later"]
    assert weir.admin.get(AT, params={"dataset": "prod/orders"}).json() == {"contracts": []}
    assert weir.admin.get(f"{AT}/nothing").status_code == 404


def test_what_is_no_contract_is_refused_in_one_sentence(weir: ApiWorld) -> None:
    refused = weir.admin.post("/api/v1/apply", content=declared({"kind": "DataContract", "id": "x"}).encode())
    assert refused.status_code == 400
    assert "has no version, apiVersion, which ODCS requires" in refused.json()["error"]["message"]


def test_figures_are_for_who_may_read_every_row_and_drafts_for_owners(weir: ApiWorld, topics: dict[str, Any]) -> None:
    weir.scan(cluster="prod", topics=["orders"])
    promised(weir)
    topics["orders"] += [record({"order_id": 7}, offset=50)]
    weir.scan(cluster="prod", topics=["orders"], sample={"strategy": "full"})
    ana, olga = weir.user("ana"), weir.user("olga")
    seen = ana.get(f"{AT}/prod.orders").json()
    assert seen["state"] == "broken"
    (promise,) = seen["promises"]
    assert promise["withheld"] == ["rows"]
    for rule in [r for r in promise["rules"] if r["state"] == "broken"] + seen["breaches"]:
        assert (rule["reason"], rule["count"], rule["share"], rule["first"], rule["last"]) == (
            "",
            None,
            None,
            None,
            None,
        )
    assert any(r["count"] for p in olga.get(f"{AT}/prod.orders").json()["promises"] for r in p["rules"])
    assert ana.get(f"{AT}/draft", params={"dataset": "prod/orders"}).status_code == 403
    assert olga.get(f"{AT}/draft", params={"dataset": "prod/orders"}).status_code == 200
    assert ana.post(f"{AT}/prod.orders/check").status_code == 403
    assert weir.admin.post(f"{AT}/prod.orders/check").json()["state"] == "broken"


def test_the_owner_is_notified_of_a_breach(weir: ApiWorld, topics: dict[str, Any]) -> None:
    from catalog.event_model import EventFilter
    from catalog.events.events import Events
    from policies.notify.who import notified

    class People:
        def owners(self, dataset: str) -> list[str]:
            return {"prod/orders": ["olga"]}[dataset]

    weir.scan(cluster="prod", topics=["orders"])
    promised(weir)
    topics["orders"] += [record({"order_id": 7}, offset=50)]
    weir.scan(cluster="prod", topics=["orders"], sample={"strategy": "full"})
    events = weir.services[Events]
    assert events.list(EventFilter(types=["weir.contract.*"], after=0))
    opened = events.list(EventFilter(types=["weir.incident.*"], after=0))
    assert opened
    assert {each.user for event in opened for each in notified(event, People())} == {"olga"}  # type: ignore[arg-type]


def test_a_dataset_is_promised_once_whatever_it_is_called(weir: ApiWorld) -> None:
    weir.scan(cluster="prod", topics=["orders"])
    names = ("prod/orders", "kafka://localhost:9092/orders")
    elements = [{"name": "o", "customProperties": [{"property": "dataset", "value": each}]} for each in names]
    document = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "o", "version": "1", "schema": elements}
    refused = weir.admin.post("/api/v1/apply", content=declared(document).encode())
    assert refused.status_code == 400
    assert " and ".join(names) + " are the same dataset" in refused.json()["error"]["message"]
    endless = {**document, "schema": elements[:1], "slaProperties": [{"property": "latency", "value": 5, "unit": "m"}]}
    text = declared(endless).replace("value: 5", "value: 1e999")
    refused = weir.admin.post("/api/v1/apply", content=text.encode())
    assert refused.status_code == 400 and "larger number" in refused.json()["error"]["message"], refused.text


HIDING = """
apiVersion: weir/v1
kind: GlossaryTerm
metadata: {name: Region}
spec: {tags: [LOCATION]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: ids}
spec: {type: mask, match: {fields: [{dataset: prod/orders, path: value.order_id}]}, mask: {type: MASK_HASH}}
"""


def test_a_draft_has_nothing_of_the_contents_of_fields_that_a_term_or_a_policy_is_about(weir: ApiWorld) -> None:
    weir.scan(cluster="prod", topics=["orders"])
    orders_of = "apiVersion: weir/v1\nkind: Dataset\nmetadata: {cluster: prod, name: orders}\nspec: "

    def properties() -> dict[str, dict[str, Any]]:
        draft = weir.admin.get(f"{AT}/draft", params={"dataset": "prod/orders"}).json()["document"]
        return {each["name"]: each for each in draft["schema"][0]["properties"]}

    assert {"logicalTypeOptions"} <= set(properties()["order_id"]) & set(properties()["region"])
    weir.apply(HIDING + "---\n" + orders_of + "{fields: [{path: value.region, terms: [Region]}]}\n")
    hidden = properties()
    for name in ("order_id", "region"):
        assert hidden[name]["classification"] == "personal" and "logicalTypeOptions" not in hidden[name], name
    weir.apply(orders_of + "{tags: [PII]}\n")
    assert {each["classification"] for each in properties().values()} == {"personal"}
