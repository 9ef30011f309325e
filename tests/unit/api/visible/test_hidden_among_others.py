"""A hidden dataset beside a topic of the same name, with fields in its document, a view over it, and an alias of its cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from fastapi.testclient import TestClient

from api.visibility.readers import Readers
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.records import ClusterRecord
from catalog.search.service import Search
from policies.access.identity import Identity
from tests.api_world import ApiWorld
from tests.unit.api.visible.test_hidden_dataset import (
    API,
    BROKER,
    FIELD,
    NAME,
    OWNER,
    TAG,
    WORD,
    built,
    calls,
    gets,
    posts,
    ran,
)

PLANTED = (FIELD, OWNER, WORD, TAG, f"prod/{NAME}", f"prod.{NAME}", f"{BROKER}:{NAME}", "IBAN_CODE")
MORE = f"""
apiVersion: weir/v1
kind: Cluster
metadata: {{name: prod}}
spec: {{bootstrapServers: "localhost:9092", aliases: ["kafka://other:9093"]}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {{name: {NAME}, cluster: prod}}
spec:
  owners: [{{user: {OWNER}}}]
  description: {WORD} of the vault
  tags: [{TAG}]
  fields: [{{path: value.{FIELD}, description: {WORD}, tags: [IBAN_CODE]}}]
---
apiVersion: weir/v1
kind: View
metadata: {{name: spend}}
spec: {{sql: "SELECT {FIELD} FROM PROD.{NAME.upper()}", runAs: {{user: otto}}, owners: [{{user: otto}}]}}
---
apiVersion: weir/v1
kind: Visibility
metadata: {{name: later}}
spec: {{match: {{datasets: ["prod/zqfuture.*"]}}, existence: {{users: [{OWNER}]}}}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: future}}
spec: {{type: access, match: {{datasets: ["prod/zqfuture.*"]}}, requires: {{grant: true}}}}
---
apiVersion: weir/v1
kind: Visibility
metadata: {{name: pending}}
spec: {{match: {{datasets: [prod/waits]}}, existence: {{users: [{OWNER}]}}}}
---
apiVersion: weir/v1
kind: View
metadata: {{name: waits}}
spec: {{sql: "SELECT order_id AS {FIELD} FROM prod.orders", runAs: {{user: {OWNER}}}, owners: [{{user: {OWNER}}}]}}
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    for weir in built(tmp_path_factory.mktemp("others"), True):
        event = ran("aliased", NAME, "clicks")
        event["inputs"][0]["namespace"] = "kafka://other:9093"
        assert weir.admin.post(f"{API}/lineage", json=event).status_code == 201
        weir.fold()
        weir.apply(MORE)
        record = weir.services[CatalogStore].dataset(DatasetId(BROKER, NAME))
        assert record is not None
        weir.services[CatalogStore].put_cluster(ClusterRecord("dev", "kafka://devhost:9092", ("devhost:9092",)))
        other = replace(
            record, id=DatasetId("kafka://devhost:9092", NAME), cluster="dev", owners=(), tags=(), description=""
        )
        weir.services[CatalogStore].put_dataset(other)
        weir.fold()
        weir.services[Search].reindex_dirty()
        yield weir


@pytest.fixture(scope="module")
def outsider(weir: ApiWorld) -> TestClient:
    return weir.user("out")


def test_no_route_shows_it(weir: ApiWorld, outsider: TestClient) -> None:
    problems, asked = [], 0
    for path, operation in gets(weir):
        for at, query in calls(path, operation, NAME):
            answer = outsider.get(at, params=query)
            asked += 1
            question = f"{unquote(at)} {json.dumps(query)}"
            if answer.status_code >= 500 and answer.status_code != 503:
                problems.append(f"{question}: {answer.status_code} {answer.text[:200]}")
            shown = [each for each in PLANTED if each.lower() in answer.text.lower() and each not in question]
            problems += [f"{question}: shows {shown}: {answer.text[:500]}"] if shown else []
    for path, body in posts(NAME):
        text, question = outsider.post(API + path, json=body).text, f"{path} {json.dumps(body)}".replace("`", "")
        question += f" prod/{NAME}" if path == "/classifications/review" else ""  # it names both in its body
        shown = [each for each in PLANTED if each.lower() in text.lower() and each.lower() not in question.lower()]
        problems += [f"{path} {question}: shows {shown}: {text[:500]}"] if shown else []
    assert asked > 300 and not problems, f"{len(problems)}:\n" + "\n".join(problems[:20])


def test_the_other_of_the_same_name_is_there(outsider: TestClient) -> None:
    listed = outsider.get(f"{API}/datasets").json()["datasets"]
    assert ("dev", NAME) in [(each["cluster"], each["name"]) for each in listed]
    assert ("prod", NAME) not in [(each["cluster"], each["name"]) for each in listed]


def test_documents_about_it_are_not_listed_and_others_are(weir: ApiWorld, outsider: TestClient) -> None:
    def names(client: TestClient, kind: str) -> list[str]:
        return [each["metadata"]["name"] for each in client.get(f"{API}/declared/{kind}").json()["documents"]]

    assert names(outsider, "Dataset") == ["orders"] and names(outsider, "Visibility") == []
    assert names(outsider, "Policy") == ["mails"] and names(outsider, "View") == []
    assert len(names(weir.admin, "Visibility")) == 3 and "waits" in names(weir.admin, "View")


def test_scans_of_it_are_not_there(weir: ApiWorld, outsider: TestClient) -> None:
    for scan in weir.admin.get(f"{API}/scans").json()["scans"]:
        answer = outsider.get(f"{API}/scans/{scan['id']}")
        alone = scan["request"]["topics"] == [NAME]
        assert answer.status_code == (404 if alone else 200) and NAME not in answer.text


def test_a_reader_of_older_documents_opens_nothing_for_those_who_come_later(weir: ApiWorld) -> None:
    services = weir.services
    text = """
apiVersion: weir/v1
kind: Visibility
metadata: {name: race}
spec: {match: {datasets: [prod/none]}, existence: owners}
"""
    weir.apply(text)
    subject = services[Identity].current("out")
    early = services[Readers].of(subject)
    assert early.horizon is not None
    weir.apply(text.replace("prod/none", "prod/orders"))
    late = services[Readers].of(subject).horizon
    assert early.horizon.parted is not None and late is not None
    assert "orders" in {each.name for each in late.parted.nothing}
    assert weir.admin.delete(f"{API}/declared/Visibility/race").status_code == 200


def test_it_stays_hidden_without_its_cluster(tmp_path: Path) -> None:
    for weir in built(tmp_path, True):
        weir.admin.delete(f"{API}/clusters/prod")
        out = weir.user("out")
        assert out.get(f"{API}/datasets/{BROKER.replace('/', '%2F')}/{NAME}").status_code == 404
        assert out.get(f"{API}/datasets/{BROKER.replace('/', '%2F')}/{NAME}/schema").status_code == 404
        assert NAME not in out.get(f"{API}/events").text
        assert weir.user(OWNER).get(f"{API}/datasets").status_code == 200
