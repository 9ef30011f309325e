"""Granted, possible, used over HTTP: rows, findings, principals, and who may see which of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.errors import Unavailable
from catalog.topic_details import AclsKnown
from lineage.observed.groups import ConsumerGroup, GroupName, GroupTopic, event_of
from policies.audit.log import AuditLog
from tests.api_world import ApiWorld, orders, record, world

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
kind: Dataset
metadata: {cluster: prod, name: sensors}
spec: {owners: [{user: tina}, {group: sensor-team}]}
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
kind: User
metadata: {name: ana}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {}
---
apiVersion: weir/v1
kind: User
metadata: {name: tina}
spec: {}
---
apiVersion: weir/v1
kind: Group
metadata: {name: sensor-team}
spec: {members: [gus]}
---
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod-again}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Principal
metadata: {name: gus-by-mail}
spec: {principals: ["User:gus@example.org"], subject: {user: gus}}
---
apiVersion: weir/v1
kind: User
metadata: {name: aud}
spec: {roles: [auditor]}
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
  principals: ["User:fraud-check"]
  subject: {serviceAccount: fraud-check}
---
apiVersion: weir/v1
kind: Principal
metadata: {name: billing}
spec:
  clusters: [prod]
  principals: ["User:CN=billing,O=Example"]
  subject: {serviceAccount: billing}
  consumerGroups: ["billing-*"]
  produces: ["prod/sensors"]
"""


def acl(principal: str, operation: Operation, name: str, **changed: Any) -> BrokerAcl:
    given: dict[str, Any] = {
        "resource": Resource.TOPIC,
        "pattern": Pattern.LITERAL,
        "host": "*",
        "allow": True,
    } | changed
    return BrokerAcl(name=name, principal=principal, operation=operation, **given)


BILLING = "User:CN=billing,O=Example"
ACLS = (
    acl("User:fraud-check", Operation.READ, "orders"),
    acl("User:fraud-check", Operation.READ, "fraud", resource=Resource.GROUP),
    acl(BILLING, Operation.READ, "ord", pattern=Pattern.PREFIXED),
    acl(BILLING, Operation.WRITE, "sensors"),
    acl("User:ana", Operation.READ, "orders", host="10.0.0.7"),
    acl("User:mystery", Operation.WRITE, "orders"),
    acl("User:gus@example.org", Operation.WRITE, "sensors"),
    acl("User:*", Operation.DESCRIBE, "*"),
)


class Groups:
    """Consumer groups from memory."""

    def __init__(self, groups: Sequence[ConsumerGroup]) -> None:
        self.groups = {each.name: each for each in groups}

    def names(self) -> list[GroupName]:
        return [GroupName(each.name, each.state) for each in self.groups.values()]

    def describe(self, groups: Sequence[GroupName], lag: bool = False) -> list[ConsumerGroup]:
        return [self.groups[each.name] for each in groups]


ORDERS = (GroupTopic("orders", 1),)
GROUPS = Groups(
    [
        ConsumerGroup("billing-1", "STABLE", 1, ("billing-client",), ORDERS),
        ConsumerGroup("fraud", "EMPTY", 0, (), ORDERS),
        ConsumerGroup("idle", "EMPTY"),
        ConsumerGroup("nobody-knows", "STABLE", 1, ("x",), ORDERS),
        ConsumerGroup("_weir-own", "STABLE", 1, ("weir",), ORDERS),
    ]
)


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    folder: Path = tmp_path_factory.mktemp("rights")
    topics = {"orders": orders(50), "sensors": [record({"degrees": n}, offset=n) for n in range(5)]}
    with world(folder, topics, groups_of=lambda _: GROUPS) as opened:
        opened.apply(DECLARED, allowUnknown="true")
        opened.scan(cluster="prod", topics=["orders", "sensors"])
        opened.acls.by_address["localhost:9092"] = BrokerAcls(
            AclsKnown.YES,
            ACLS,
            super_users=frozenset({"User:root"}),
            topics=frozenset({"orders", "sensors", "elsewhere", "_weir.lineage"}),
        )
        yield opened


def rows(weir: ApiWorld, **params: Any) -> dict[tuple[str, str], dict[str, Any]]:
    answer = weir.admin.get("/api/v1/rights", params=params)
    assert answer.status_code == 200, answer.text
    return {(r["dataset"], r["principal"]): r for r in answer.json()["rights"]}


def test_granted_possible_and_used_are_joined(weir: ApiWorld) -> None:
    listed = rows(weir)
    fraud = listed["prod/orders", "User:fraud-check"]
    assert (fraud["granted"]["shows"], fraud["granted"]["hidesRows"]) == ("clear", False)
    assert fraud["who"] == {"kind": "serviceAccount", "name": "fraud-check"}
    assert [(p["operation"], p["from"]) for p in fraud["possible"]] == [
        ("read", "everywhere"),
        ("describe", "everywhere"),
    ]
    assert [g["name"] for g in fraud["used"]["groups"]] == ["fraud"]
    assert fraud["used"]["state"] == "notKnown"
    billing = listed["prod/orders", BILLING]
    assert (billing["granted"]["shows"], billing["granted"]["masks"]) == ("partly", ["MASK_HASH"])
    assert (billing["used"]["state"], billing["used"]["groups"][0]["clients"]) == ("used", ["billing-client"])
    assert "allow User:CN=billing,O=Example read topic ord (prefixed) from *" in billing["acls"]
    ana = listed["prod/orders", "User:ana"]
    assert (ana["mapping"], ana["granted"]) == ("unmapped", None)
    assert next((p["operation"], p["from"], p["hosts"]) for p in ana["possible"]) == ("read", "hosts", ["10.0.0.7"])
    assert listed["prod/orders", "User:root"]["superUser"]
    assert listed["prod/orders", "User:*"]["possible"] == [
        {"operation": "describe", "from": "everywhere", "hosts": [], "but": []}
    ]
    assert listed["prod/orders", "User:ana"]["personal"] == "yes"


def test_a_list_of_one_dataset_person_or_principal(weir: ApiWorld) -> None:
    assert {dataset for dataset, _ in rows(weir, dataset="prod/sensors")} == {"prod/sensors"}
    assert {p for _, p in rows(weir, user="billing")} == {BILLING, "User:*"}
    assert {p for _, p in rows(weir, principal="User:mystery")} == {"User:mystery", "User:*"}
    topics = weir.admin.get("/api/v1/rights", params={"dataset": "prod/orders"}).json()["topics"]
    assert topics == [{"dataset": "prod/orders", "groups": ["nobody-knows"], "jobs": []}]
    cluster = weir.admin.get("/api/v1/rights").json()["clusters"][0]
    assert (cluster["acls"], cluster["superUsers"], cluster["topicsOutside"]) == (len(ACLS), ["User:root"], 1)


def findings(weir: ApiWorld, **params: Any) -> list[dict[str, Any]]:
    answer = weir.admin.get("/api/v1/rights/findings", params=params)
    assert answer.status_code == 200, answer.text
    listed: list[dict[str, Any]] = answer.json()["findings"]
    return listed


def test_findings_with_the_worst_first(weir: ApiWorld) -> None:
    listed = findings(weir)
    assert [f["severity"] for f in listed] == sorted(
        (f["severity"] for f in listed), key="high medium low info".split().index
    )
    by = {(f["kind"], f["dataset"], f["principal"]): f for f in listed}
    raw = by["rawReadWithoutGrant", "prod/orders", BILLING]
    assert raw["severity"] == "high"
    assert raw["text"] == (
        "User:CN=billing,O=Example (billing) may read prod/orders unmasked and whole at the brokers; Weir masks fields (MASK_HASH)"
        " for them."
    )
    assert "from 10.0.0.7" in by["rawReadWithoutGrant", "prod/orders", "User:ana"]["text"]
    assert ("rawReadWithoutGrant", "prod/orders", "User:fraud-check") not in by
    assert by["undeclaredProducer", "prod/orders", "User:mystery"]["severity"] == "medium"
    assert ("undeclaredProducer", "prod/sensors", BILLING) not in by
    assert ("undeclaredProducer", "prod/sensors", "User:gus@example.org") not in by  # a group of theirs owns it
    assert {f["cluster"] for f in listed} == {"prod"}  # prod-again is another name of it
    assert by["superUser", None, "User:root"]["severity"] == "high"
    assert by["wildcard", None, "User:*"]["severity"] == "info"
    assert "The person ana has this name." in by["unmappedPrincipal", None, "User:ana"]["text"]
    idle = [f["text"] for f in listed if f["kind"] == "idleGroup"]
    assert idle == ["The consumer group idle has no members and no committed offsets: it reads nothing."]
    assert {f["severity"] for f in findings(weir, severity="high")} == {"high"}
    assert {f["kind"] for f in findings(weir, kind=["superUser", "wildcard"])} == {"superUser", "wildcard"}


@pytest.mark.parametrize(
    ("user", "status", "datasets"),
    [("aud", 200, {"prod/orders", "prod/sensors"}), ("otto", 200, {"prod/orders"}), ("ana", 403, set())],
)
def test_owners_see_their_topics_and_auditors_all(weir: ApiWorld, user: str, status: int, datasets: set[str]) -> None:
    client = weir.user(user)
    listed = client.get("/api/v1/rights")
    assert listed.status_code == client.get("/api/v1/rights/findings").status_code == status
    if status == 200:
        assert {r["dataset"] for r in listed.json()["rights"]} == datasets
        named = {f["dataset"] for f in client.get("/api/v1/rights/findings").json()["findings"]}
        assert (None in named) is (user == "aud")
        assert (listed.json()["clusters"][0]["superUsers"] is None) is (user != "aud")
    assert client.get("/api/v1/rights/principals").status_code == (200 if user == "aud" else 403)


def test_principals_with_suggestions(weir: ApiWorld) -> None:
    answer = weir.admin.get("/api/v1/rights/principals").json()
    by = {p["principal"]: p for p in answer["principals"]}
    assert by["User:ana"]["suggestions"] == [{"kind": "user", "name": "ana"}]
    assert (by["User:mystery"]["mapping"], by["User:mystery"]["suggestions"]) == ("unmapped", [])
    assert by[BILLING]["by"] == ["billing"]
    assert answer["unmapped"] == 3
    only = weir.admin.get("/api/v1/rights/principals", params={"mapping": "mapped"}).json()
    assert {p["principal"] for p in only["principals"]} == {BILLING, "User:fraud-check", "User:gus@example.org"}


def test_files_hold_all_rows(weir: ApiWorld) -> None:
    text = weir.admin.get("/api/v1/rights", params={"format": "csv"}).text
    written = {(r["dataset"], r["principal"]): r for r in csv.DictReader(io.StringIO(text))}
    fraud = written["prod/orders", "User:fraud-check"]
    assert (fraud["who"], fraud["granted"], fraud["possible"]) == ("fraud-check", "clear", "read; describe")
    lines = weir.admin.get("/api/v1/rights/findings", params={"format": "jsonl"}).text.splitlines()
    assert len(lines) == len(findings(weir)) + 1  # what is not known stands in the last line


def test_who_looked_is_in_the_audit(weir: ApiWorld) -> None:
    weir.user("aud").get("/api/v1/rights", params={"dataset": "prod/orders"})
    entries = weir.admin.get("/api/v1/audit", params={"action": "report.rights", "actor": "aud"}).json()["entries"]
    assert entries[0]["target"] == "prod/orders"


def test_a_cluster_without_an_authorizer_is_one_finding(weir: ApiWorld) -> None:
    before = weir.acls.by_address["localhost:9092"]
    try:
        weir.acls.by_address["localhost:9092"] = BrokerAcls(AclsKnown.NO_AUTHORIZER)
        listed = findings(weir)
        assert [(f["kind"], f["severity"]) for f in listed if f["kind"] != "idleGroup"] == [("noAuthorizer", "high")]
        everybody = rows(weir)["prod/orders", "User:*"]
        assert {"read", "write"} <= {p["operation"] for p in everybody["possible"]}
        weir.acls.by_address["localhost:9092"] = BrokerAcls(AclsKnown.NOT_ALLOWED)
        assert ("aclsNotReadable", "medium") in {(f["kind"], f["severity"]) for f in findings(weir)}
        assert {p["from"] for p in rows(weir)["prod/orders", "User:*"]["possible"]} == {"notKnown"}
    finally:
        weir.acls.by_address["localhost:9092"] = before


def test_brokers_that_do_not_answer_are_named_and_nothing_is_claimed(weir: ApiWorld) -> None:
    weir.acls.problem = Unavailable(
        "Kafka at localhost:9092 does not answer; check the address and that the broker runs."
    )
    try:
        answer = weir.admin.get("/api/v1/rights/findings")
        assert answer.status_code == 200
        assert any("does not answer" in note for note in answer.json()["notes"])
        assert [f["kind"] for f in answer.json()["findings"]] == ["aclsNotReadable"]
    finally:
        weir.acls.problem = None


def test_what_brokers_hide_is_told_and_may_be_declared(weir: ApiWorld) -> None:
    before = weir.acls.by_address["localhost:9092"]
    hidden = BrokerAcls(AclsKnown.YES, ACLS[-3:-2], super_users=None, everyone_if_no_acl=None)
    try:
        weir.acls.by_address["localhost:9092"] = hidden
        answer = weir.admin.get("/api/v1/rights").json()
        assert sum("do not show" in note for note in answer["notes"]) == 2
        weir.apply(
            'apiVersion: weir/v1\nkind: Cluster\nmetadata: {name: prod}\nspec: {bootstrapServers: "localhost:9092",'
            ' authorizer: {superUsers: ["User:boss"], allowEveryoneIfNoAclFound: true}}\n'
        )
        answer = weir.admin.get("/api/v1/rights").json()
        assert not any("do not show" in note for note in answer["notes"])
        assert answer["clusters"][0]["superUsers"] == ["User:boss"]
        text = {f["kind"]: f for f in findings(weir, dataset="prod/sensors") if f["dataset"]}
        assert "allow.everyone.if.no.acl.found" in text["rawReadWithoutGrant"]["fix"]
    finally:
        weir.acls.by_address["localhost:9092"] = before
        weir.apply(DECLARED.split("---")[0])


def test_a_principal_is_one(weir: ApiWorld) -> None:
    second = (
        "apiVersion: weir/v1\nkind: Principal\nmetadata: {name: again}\n"
        'spec: {principals: ["User:fraud-check"], subject: {user: ana}}\n'
    )
    refused = weir.admin.post("/api/v1/apply", content=second.encode())
    assert refused.status_code == 400
    assert "is the service account fraud-check by the document fraud" in refused.text
    elsewhere = second.replace("User:fraud-check", BILLING).replace("subject:", "clusters: [test], subject:")
    assert weir.admin.post("/api/v1/apply", content=elsewhere.encode()).status_code == 200


def test_an_unknown_cluster_and_no_days(weir: ApiWorld) -> None:
    missing = weir.admin.get("/api/v1/rights", params={"cluster": "nope"})
    assert (missing.status_code, "known: prod" in missing.text) == (404, True)
    assert weir.admin.get("/api/v1/rights", params={"days": 0}).status_code == 400


LATER = """
apiVersion: weir/v1
kind: Grant
metadata: {name: g-tina}
spec:
  subject: {user: tina}
  dataset: prod/orders
  purpose: fraud
  unmask: ["*"]
  validFrom: 2026-01-01T00:00:00Z
  validTo: 2126-01-01T00:00:00Z
  status: approved
---
apiVersion: weir/v1
kind: Principal
metadata: {name: tina}
spec: {principals: ["User:tina"], subject: {user: tina}}
"""


def test_a_grant_without_an_acl_and_an_acl_that_nobody_uses(weir: ApiWorld) -> None:
    weir.apply(LATER)
    text = {(f["kind"], f["principal"]): f["text"] for f in findings(weir)}
    assert text["grantWithoutAcl", "User:tina"].startswith(
        "User:tina (tina) may see all of prod/orders by grant g-tina, and may not READ the topic at the brokers"
    )
    assert ("unusedAcl", "User:fraud-check") not in text
    last = datetime.now(UTC) - timedelta(days=200)
    fraud = ConsumerGroup("fraud", "STABLE", 1, ("fraud-client",), ORDERS)
    event = event_of("kafka://localhost:9092", fraud, last)
    assert weir.admin.post("/api/v1/lineage", json=event).status_code == 201
    weir.fold()
    row = rows(weir)["prod/orders", "User:fraud-check"]
    assert (row["used"]["state"], row["used"]["seen"][:10]) == ("unused", f"{last:%Y-%m-%d}")
    text = {(f["kind"], f["principal"]): f["text"] for f in findings(weir)}
    assert (
        f"last had a consumer there on {last:%Y-%m-%d}, more than 90 days ago" in text["unusedAcl", "User:fraud-check"]
    )
    within = {(f["kind"], f["principal"]) for f in findings(weir, days=365)}
    assert ("unusedAcl", "User:fraud-check") not in within


def test_reading_through_weir_is_shown_beside(weir: ApiWorld) -> None:
    weir.services[AuditLog].record("fraud-check", "query", "prod/orders", "allow")
    assert rows(weir)["prod/orders", "User:fraud-check"]["used"]["throughWeir"]
    assert rows(weir)["prod/orders", BILLING]["used"]["throughWeir"] is None
