"""Somebody knows that a dataset exists and not its schema, its personal data, or its lineage; and a setting that is closed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from catalog.search.service import Search
from tests.api_world import ApiWorld, orders, record, world
from tests.unit.api.visible.test_hidden_dataset import API, BROKER, FIELD, NAME, calls, gets, posts, ran, secret

DECLARED = f"""
apiVersion: weir/v1
kind: Role
metadata: {{name: analyst}}
spec: {{read: [{{dataset: "*"}}]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: ana}}
spec: {{roles: [analyst]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: eve}}
spec: {{roles: [analyst], groups: [modellers]}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {{name: {NAME}, cluster: prod}}
spec: {{owners: [{{user: otto}}], description: the ledger}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: mails}}
spec: {{type: mask, match: {{tags: [EMAIL_ADDRESS]}}, mask: {{type: MASK_HASH}}}}
---
apiVersion: weir/v1
kind: Visibility
metadata: {{name: parts}}
spec:
  match: {{datasets: [prod/{NAME}]}}
  schema: {{groups: [modellers]}}
  evidence: owners
  lineage: owners
"""
CLOSED = """
apiVersion: weir/v1
kind: Role
metadata: {name: clerk}
spec: {read: [{dataset: prod/orders}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: cleo}
spec: {roles: [clerk]}
---
apiVersion: weir/v1
kind: Visibility
metadata: {name: list}
spec: {match: {datasets: [prod/clicks]}, existence: everyone}
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    topics = {"orders": orders(50), "clicks": [record({"page": "/p"}, offset=n) for n in range(50)], NAME: secret(50)}
    with world(tmp_path_factory.mktemp("parts"), topics) as built:
        built.scan(bootstrapServers="localhost:9092", cluster="prod")
        built.apply(DECLARED)
        for event in (ran("fill", "orders", NAME), ran("drain", NAME, "clicks")):
            assert built.admin.post(f"{API}/lineage", json=event).status_code == 201
        built.fold()
        built.services[Search].reindex_dirty()
        yield built


def test_nobody_finds_the_fields_of_a_schema_that_is_hidden(weir: ApiWorld) -> None:
    ana, problems, asked = weir.user("ana"), [], 0
    for path, operation in gets(weir):
        for at, query in calls(path, operation, NAME):
            question = f"{at} {json.dumps(query)}"
            text = ana.get(at, params=query).text
            asked += 1
            problems += [
                f"{question}: shows {word}: {text[:400]}"
                for word in (FIELD, "value.contact")
                if word in text and word not in question
            ]
    for path, body in posts(NAME):
        text = ana.post(API + path, json=body).text
        if FIELD in text and FIELD not in json.dumps(body):
            problems.append(f"{path} {body}: {text[:400]}")
    assert asked > 300 and not problems, "\n".join(problems[:20])


def test_what_is_known_in_part_is_found_by_it(weir: ApiWorld) -> None:
    ana, eve, otto = weir.user("ana"), weir.user("eve"), weir.user("otto")

    def results(client: TestClient, q: str, **more: str) -> list[tuple[str, str]]:
        hits = client.get(f"{API}/search", params={"q": q, **more}).json()["hits"]
        return [(hit["kind"], hit.get("path") or hit["name"]) for hit in hits if hit["name"] == NAME]

    assert results(ana, NAME) == [("dataset", NAME)]
    assert results(ana, FIELD) == [] and results(ana, "", entity="PII") == []
    assert ("field", f"value.{FIELD}") in results(eve, FIELD) and results(eve, "", entity="PII") == []
    assert ("field", "value.contact") in results(otto, "", entity="EMAIL_ADDRESS")
    assert len(results(weir.admin, NAME, kind="dataset")) == 1, "faces are for those who know in part"
    facets = {c: dict(v) for c, v in ((x, _facet(y, "entity")) for x, y in (("ana", ana), ("otto", otto)))}
    assert facets["ana"].get("EMAIL_ADDRESS", 0) < facets["otto"]["EMAIL_ADDRESS"]


def _facet(client: TestClient, name: str) -> list[tuple[str, int]]:
    listed = client.get(f"{API}/search").json()["facets"][name]
    return [(each["value"], each["count"]) for each in listed]


def test_each_aspect_is_refused_by_its_name(weir: ApiWorld) -> None:
    ana, eve, otto = weir.user("ana"), weir.user("eve"), weir.user("otto")
    at = f"{API}/datasets/prod/{NAME}"
    shown = ana.get(at).json()
    assert shown["knows"] == {"existence": True, "schema": False, "evidence": False, "lineage": False}
    assert (shown["fields"], shown["entities"], shown["schemaVersion"]) == (0, [], 0)
    assert [client.get(f"{at}/schema").status_code for client in (ana, eve, otto)] == [403, 200, 200]
    assert [client.get(f"{at}/classifications").status_code for client in (ana, eve, otto)] == [403, 403, 200]
    listed = eve.get(f"{API}/classifications").json()["classifications"]
    assert not [row for row in listed if row["name"] == NAME]
    denied = ana.post(f"{API}/query", json={"sql": f"SELECT * FROM {NAME}"})
    assert denied.status_code == 403 and "schema" in denied.text and FIELD not in denied.text
    decided = [client.post(f"{API}/decisions", json={"dataset": f"prod/{NAME}"}) for client in (ana, eve, otto)]
    assert [each.json()["effect"] for each in decided] == ["deny", "allow", "allow"]
    assert FIELD not in decided[0].text and FIELD in decided[1].text
    assert ["EMAIL_ADDRESS" in each.text for each in decided] == [False, False, True]
    rules = otto.get(f"{at}/visibility").json()
    assert [each["aspect"] for each in rules["aspects"] if each["documents"]] == ["schema", "evidence", "lineage"]
    assert ana.get(f"{at}/visibility").status_code == 403


@pytest.mark.parametrize("who", ["ana", "eve"])
def test_requests_and_decisions_are_no_oracle(weir: ApiWorld, who: str) -> None:
    client, reference = weir.user(who), f"prod/{NAME}"

    def asked(path: str, **more: object) -> tuple[int, str]:
        answer = client.post(f"{API}{path}", json={"dataset": reference, **more})
        # Hints name fields alone that the person may know; which one is near depends on the word that was written.
        return answer.status_code, re.sub(
            r"did you mean [^?]+\?|write a path [^\"]+|\d{4}-\d\d-\d\dT[\d:.]+Z", "-", answer.text
        )

    def pair(path: str, one: str, other: str, key: str) -> None:
        def make(word: str) -> object:
            return f"{word} = '1'" if key == "rows" else [word]

        more = {} if path == "/decisions" else {"purpose": "x", "reason": "y"} if "glass" in path else {"purpose": "x"}
        mine, theirs = asked(path, **more, **{key: make(one)}), asked(path, **more, **{key: make(other)})
        assert (mine[0], mine[1].replace(one, "WORD")) == (theirs[0], theirs[1].replace(other, "WORD")), (path, one)

    for path in ("/access-requests", "/access-requests/break-glass"):
        pair(path, "EMAIL_ADDRESS", "CREDIT_CARD", key="fields")
    if who == "ana":
        for path in ("/access-requests", "/access-requests/break-glass", "/decisions"):
            pair(path, "value.contact", "value.nosuch", key="fields")
        pair("/access-requests", FIELD, "nosuch", key="rows")
        pair("/access-requests/break-glass", FIELD, "nosuch", key="rows")


def test_documents_show_no_more_than_is_known(weir: ApiWorld) -> None:
    extra = f"""
apiVersion: weir/v1
kind: Dataset
metadata: {{name: {NAME}, cluster: prod}}
spec:
  owners: [{{user: otto}}]
  description: the ledger
  fields: [{{path: value.{FIELD}, description: obsidianword, tags: [IBAN_CODE]}}]
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: fieldpol}}
spec: {{type: mask, match: {{fields: [{{dataset: prod/{NAME}, path: value.{FIELD}}}]}}, mask: {{type: MASK_HASH}}}}
"""
    weir.apply(extra)
    ana, eve, otto = weir.user("ana"), weir.user("eve"), weir.user("otto")
    texts = [
        [client.get(f"{API}{path}").text for path in ("/declared/Dataset", "/declared/Policy", "/policies", "/scans")]
        for client in (ana, eve, otto)
    ]
    assert not [text for text in texts[0] if FIELD in text or "IBAN" in text or "obsidianword" in text]
    assert FIELD in texts[1][0] and not [text for text in texts[1] if "IBAN" in text]
    assert "IBAN" in texts[2][0] and FIELD in texts[2][1]
    rows = [row for scan in ana.get(f"{API}/scans").json()["scans"] for row in scan["datasets"] if row["name"] == NAME]
    assert rows and not any(row["fields"] or row["entities"] for row in rows)
    assert weir.admin.delete(f"{API}/declared/Policy/fieldpol").status_code == 200
    weir.apply(DECLARED)


def test_lineage_that_is_hidden_leaves_the_dataset_alone(weir: ApiWorld) -> None:
    ana, otto = weir.user("ana"), weir.user("otto")
    node = f"dataset:{BROKER}:{NAME}"
    alone = ana.get(f"{API}/lineage", params={"nodeId": node}).json()
    assert [each["id"] for each in alone["nodes"]] == [node] and alone["edges"] == []
    around = ana.get(f"{API}/lineage", params={"nodeId": f"dataset:{BROKER}:clicks"}).json()
    assert NAME not in json.dumps(around) and any(each.get("hidden") for each in around["nodes"])
    assert len(otto.get(f"{API}/lineage", params={"nodeId": node}).json()["edges"]) > 1


def test_a_changed_document_counts_at_once_and_for_the_index(weir: ApiWorld) -> None:
    eve = weir.user("eve")
    hits = lambda: eve.get(f"{API}/search", params={"q": FIELD}).json()["total"]  # noqa: E731
    assert hits() == 2
    weir.apply(DECLARED.replace("groups: [modellers]}\n  evidence", "groups: [nobody]}\n  evidence"))
    assert eve.get(f"{API}/datasets/prod/{NAME}/schema").status_code == 403 and hits() == 0
    weir.apply(DECLARED)
    assert eve.get(f"{API}/datasets/prod/{NAME}/schema").status_code == 200 and hits() == 2
    assert weir.admin.delete(f"{API}/declared/Visibility/parts").status_code == 200
    total = weir.user("ana").get(f"{API}/search", params={"q": NAME, "kind": "dataset"}).json()["total"]
    assert total == 1, "faces went with the document"
    weir.apply(DECLARED)


def test_closed_one_knows_what_one_may_read_and_what_a_document_opens(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    topics = {"orders": orders(50), "clicks": [record({"page": "/p"})] * 9, NAME: secret(50)}
    with world(tmp_path_factory.mktemp("closed"), topics, visibility="closed") as built:
        built.scan(bootstrapServers="localhost:9092", cluster="prod")
        built.apply(CLOSED)
        cleo = built.user("cleo")
        names = [each["name"] for each in cleo.get(f"{API}/datasets").json()["datasets"]]
        assert names == ["clicks", "orders"]
        assert cleo.get(f"{API}/datasets/prod/clicks").json()["knows"]["schema"] is False
        assert cleo.get(f"{API}/datasets/prod/orders").json()["knows"]["evidence"] is True
        answer = cleo.get(f"{API}/search", params={"kind": "dataset"}).json()
        assert sorted(hit["name"] for hit in answer["hits"]) == ["clicks", "orders"] and answer["total"] == 2
        assert cleo.get(f"{API}/clusters").json()["clusters"][0]["datasets"] == 2
        assert built.user("nobody").get(f"{API}/datasets").json()["total"] == 1
        assert built.admin.get(f"{API}/datasets").json()["total"] == 3
