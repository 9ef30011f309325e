"""Reviews in bulk and trials of recognizers through the HTTP door and the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli import app
from api.config.settings import Settings
from api.terminal import http
from tests.api_world import ApiWorld, orders, prepared, record

GOVERNANCE = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {type: kafka, bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: payments}
spec: {owners: [{user: otto}]}
"""
EMPLOYEE = {
    "supported_entity": "EMPLOYEE_NUMBER",
    "name": "emp",
    "patterns": [{"name": "e", "regex": "EMP-[0-9]{6}", "score": 0.6}],
}


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    notes = [record({"note": f"EMP-{n:06d}", "mail": f"clerk{n}@shop.example.com"}, offset=n) for n in range(40)]
    with prepared(tmp_path, {"orders": orders(50), "payments": notes}, _state) as weir:
        yield weir


def _state(weir: ApiWorld) -> None:
    weir.apply(GOVERNANCE)
    weir.scan(cluster="prod", topics=["orders", "payments"])


@pytest.fixture
def command(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """`weir ...` against the application in this process."""
    monkeypatch.setenv("WEIR_HOME", str(tmp_path))

    def made(self: http.Api, home: object, user: str | None = None, timeout: float = 0) -> None:
        self.url, self._names, self._client = "http://testserver", None, weir.admin  # type: ignore[assignment]

    monkeypatch.setattr(http.Api, "__init__", made)
    return lambda *words: CliRunner().invoke(app, list(words))


def listed(weir: ApiWorld, **asked: Any) -> dict[str, Any]:
    answer: dict[str, Any] = weir.admin.get("/api/v1/classifications", params=asked).json()
    return answer


def item(path: str, name: str = "orders", **more: Any) -> dict[str, Any]:
    return {"namespace": "prod", "name": name, "path": path, "entity": "EMAIL_ADDRESS", **more}


def test_all_datasets_in_one_list_with_filters(weir: ApiWorld) -> None:
    mails = listed(weir, entity="EMAIL_ADDRESS")
    assert {(c["dataset"], c["path"]) for c in mails["classifications"]} == {
        ("prod/orders", "value.customer.email"),
        ("prod/orders", "headers.actor"),
        ("prod/payments", "value.mail"),
    }
    assert mails["total"] == 3 and mails["counts"]["state"] == {"suggested": 3}
    page = listed(weir, entity="EMAIL_ADDRESS", limit=1, offset=1)
    assert page["total"] == 3 and len(page["classifications"]) == 1
    assert listed(weir, dataset="prod/pay*")["total"] == 1
    assert listed(weir, state="confirmed")["total"] == 0
    refused = weir.admin.get("/api/v1/classifications", params={"state": "maybe"})
    assert refused.status_code == 400 and "state" in refused.text


def test_many_reviews_in_one_call(weir: ApiWorld) -> None:
    body = {
        "items": [
            item("value.customer.email"),
            item("headers.actor", state="rejected"),
            item("value.nope", state="rejected"),
        ],
        "state": "confirmed",
        "reason": "seen by hand",
    }
    answer = weir.admin.post("/api/v1/classifications/review", json=body).json()
    assert (answer["reviewed"], answer["refused"]) == (2, 1)
    assert [r.get("state") for r in answer["results"]] == ["confirmed", "rejected", None]
    assert "no classification" in answer["results"][2]["problem"]
    weir.scan(cluster="prod", topics=["orders"])
    states = {
        c["path"]: c["state"] for c in listed(weir, dataset="prod/orders", entity="EMAIL_ADDRESS")["classifications"]
    }
    assert states == {"value.customer.email": "confirmed", "headers.actor": "rejected"}
    audited = weir.admin.get("/api/v1/audit", params={"limit": 100}).json()["entries"]
    assert {e["decision"] for e in audited if e["action"] == "classification.review"} >= {"confirmed", "rejected"}
    notices = weir.admin.get("/api/v1/events").json()
    assert "weir.classification.reviewed" in json.dumps(notices)


def test_another_kind_is_named_in_one_step(weir: ApiWorld) -> None:
    mails = [item("value.customer.email"), item("headers.actor")]
    body = {"items": mails, "instead": "USERNAME", "reason": "sign-in names"}
    answer = weir.admin.post("/api/v1/classifications/review", json=body).json()
    assert (answer["reviewed"], answer["refused"]) == (2, 0)
    states = {
        (c["path"], c["entity"]): (c["state"], c["reason"])
        for c in listed(weir, dataset="prod/orders")["classifications"]
        if c["path"] in {"value.customer.email", "headers.actor"}
    }
    assert states["value.customer.email", "USERNAME"] == ("confirmed", "sign-in names")
    assert states["value.customer.email", "EMAIL_ADDRESS"] == ("rejected", "sign-in names")
    assert states["headers.actor", "USERNAME"][0] == "confirmed"
    audited = weir.admin.get("/api/v1/audit", params={"limit": 100}).json()["entries"]
    reasons = {e["decision"]: e["reasons"] for e in audited if e["action"] == "classification.review"}
    assert "value.customer.email USERNAME" in reasons["confirmed"]
    assert "value.customer.email EMAIL_ADDRESS" in reasons["rejected"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"instead": "EMAIL_ADDRESS"}, "this kind already"),
        ({"instead": "USERNAME", "state": "confirmed"}, "its state is rejected"),
        ({"instead": "USERNAME", "entity": "PERSON"}, "no classification PERSON"),
        ({"instead": "user name"}, "one word without spaces"),
    ],
)
def test_another_kind_that_cannot_be_named_changes_nothing(weir: ApiWorld, more: dict[str, str], problem: str) -> None:
    before = listed(weir)
    answer = weir.admin.post("/api/v1/classifications/review", json={"items": [item("value.mail", "payments", **more)]})
    assert answer.json()["refused"] == 1 and problem in answer.json()["results"][0]["problem"]
    assert listed(weir) == before


def test_an_owner_renames_only_their_own(weir: ApiWorld) -> None:
    both = {"items": [item("value.mail", "payments"), item("headers.actor")], "instead": "USERNAME"}
    answer = weir.user("otto").post("/api/v1/classifications/review", json=both).json()
    assert [r.get("state") for r in answer["results"]] == ["rejected", None]
    assert {c["path"] for c in listed(weir, entity="USERNAME")["classifications"]} == {"value.mail"}


def test_the_most_doubtful_first(weir: ApiWorld) -> None:
    certain = item("headers.actor", entity="PERSON", state="confirmed")
    weir.admin.post("/api/v1/classifications/review", json={"items": [certain]})
    by_dataset = [c["score"] for c in listed(weir)["classifications"]]
    scores = [c["score"] for c in listed(weir, order="doubt")["classifications"]]
    assert by_dataset != scores and scores == sorted(by_dataset) and scores[-1] == 1.0
    last = listed(weir, order="doubt", limit=1, offset=len(scores) - 1)["classifications"]
    assert [c["entity"] for c in last] == ["PERSON"]
    refused = weir.admin.get("/api/v1/classifications", params={"order": "mood"})
    assert refused.status_code == 400 and "order" in refused.text


def test_the_command_names_another_kind(command: Any, weir: ApiWorld) -> None:
    words = ("personal-data", "review", "prod/payments", "value.mail", "--entity", "EMAIL_ADDRESS")
    done = command(*words, "--instead", "USERNAME", "--reason", "sign-in names")
    assert done.exit_code == 0, done.output
    states = {c["entity"]: c["state"] for c in listed(weir, dataset="prod/payments")["classifications"]}
    assert states == {"EMAIL_ADDRESS": "rejected", "USERNAME": "confirmed"}
    both = command(*words, "--instead", "USERNAME", "--confirm")
    assert both.exit_code != 0 and "--instead" in str(both.exception)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"items": []}, "items"),
        ({"items": [item("value.customer.email")]}, "state"),
        ({}, "items"),
        ({"items": [item("value.customer.email")], "state": "perhaps"}, "state"),
    ],
)
def test_a_review_that_says_too_little_is_refused(weir: ApiWorld, body: Any, named: str) -> None:
    refused = weir.admin.post("/api/v1/classifications/review", json=body)
    assert refused.status_code == 400 and named in refused.json()["error"]["message"]


def test_owners_review_their_own_and_nobody_elses(weir: ApiWorld) -> None:
    otto, nina = weir.user("otto"), weir.user("nina")
    both = {"items": [item("value.mail", "payments"), item("headers.actor")], "state": "confirmed"}
    answer = otto.post("/api/v1/classifications/review", json=both).json()
    assert [r.get("state") for r in answer["results"]] == ["confirmed", None]
    assert "does not own prod/orders" in answer["results"][1]["problem"]
    assert nina.post("/api/v1/classifications/review", json=both).status_code == 403


def test_a_recognizer_is_tried_on_values_without_being_kept(weir: ApiWorld) -> None:
    values = [f"EMP-{n:06d}" for n in range(30)] + ["none"] * 10
    answer = weir.admin.post("/api/v1/recognizers/test", json={"recognizer": EMPLOYEE, "values": values}).json()
    assert (answer["matched"], answer["sampled"], answer["tagged"], answer["flagged"]) == (30, 40, True, [])
    assert answer["problem"] is None and "EMP-0" not in json.dumps(answer)
    loose = {**EMPLOYEE, "patterns": [{"name": "d", "regex": "[0-9]+", "score": 0.9}]}
    answer = weir.admin.post("/api/v1/recognizers/test", json={"recognizer": loose, "values": values}).json()
    assert "order numbers" in answer["flagged"] and answer["clean"] >= 20
    assert listed(weir, entity="EMPLOYEE_NUMBER")["total"] == 0


def test_a_recognizer_is_tried_on_a_dataset(weir: ApiWorld) -> None:
    # What it counts is for who may read the field clear: the admin, who may read nothing, does not.
    weir.apply(
        "apiVersion: weir/v1\nkind: Role\nmetadata: {name: taster}\nspec: {read: [{dataset: '*'}], permissions: [scan]}\n---\n"
        "apiVersion: weir/v1\nkind: User\nmetadata: {name: tess}\nspec: {roles: [taster]}\n"
    )
    tess = weir.user("tess")
    asked = {
        "recognizer": {"kind": "Recognizer", "metadata": {"name": "staff"}, "spec": EMPLOYEE},
        "dataset": "prod/payments",
    }
    assert weir.admin.post("/api/v1/recognizers/test", json=asked).status_code == 403
    answer = tess.post("/api/v1/recognizers/test", json=asked).json()
    assert [(f["path"], f["matched"], f["sampled"]) for f in answer["fields"]] == [("value.note", 40, 40)]
    asked["field"] = "value.nope"
    refused = tess.post("/api/v1/recognizers/test", json=asked)
    assert refused.status_code == 400 and "value.nope" in refused.text
    assert listed(weir, entity="EMPLOYEE_NUMBER")["total"] == 0


@pytest.mark.parametrize("regex", [r"(?=(a+)+$)", r"(a+)+\1$"])
def test_a_hostile_pattern_ends_in_a_sentence(weir: ApiWorld, regex: str) -> None:
    weir.services[Settings].scanners.regex_seconds = 0.2
    spec = {**EMPLOYEE, "patterns": [{"name": "e", "regex": regex, "score": 0.6}]}
    asked = {"recognizer": spec, "values": ["a" * 3000 + "!"]}
    answer = weir.admin.post("/api/v1/recognizers/test", json=asked).json()
    assert "takes too long" in answer["problem"]


@pytest.mark.parametrize(
    ("recognizer", "named"),
    [
        ({}, "supported_entity"),
        ({"supported_entity": "x"}, "supported_entity"),
        ({"spec": 1}, "spec"),
        ({**EMPLOYEE, "patterns": [{"name": "e", "regex": "(", "score": 0.5}]}, "regular expression"),
        ({**EMPLOYEE, "patterns": []}, "patterns"),
    ],
)
def test_a_recognizer_that_is_none_is_refused(weir: ApiWorld, recognizer: Any, named: str) -> None:
    refused = weir.admin.post("/api/v1/recognizers/test", json={"recognizer": recognizer, "values": ["a"]})
    assert refused.status_code == 400 and named in refused.json()["error"]["message"]


def test_the_command_line_reviews_what_fits(weir: ApiWorld, command: Any) -> None:
    shown = command("personal-data", "review", "--entity", "EMAIL_ADDRESS", "-o", "json")
    assert shown.exception is None and json.loads(shown.stdout)["total"] == 3
    done = command(
        "personal-data", "review", "--entity", "EMAIL_ADDRESS", "--state", "suggested", "--confirm", "--reason", "seen"
    )
    assert done.exit_code == 0, done.stdout
    assert listed(weir, state="confirmed", entity="EMAIL_ADDRESS")["total"] == 3
    one = command("personal-data", "review", "prod/orders", "headers.actor", "--entity", "EMAIL_ADDRESS", "--reject")
    assert one.exit_code == 0 and listed(weir, state="rejected")["total"] == 1
    added = command("personal-data", "review", "prod/orders", "value.region", "--entity", "LOCATION", "--confirm")
    assert added.exit_code == 0 and listed(weir, entity="LOCATION")["total"] == 1
    assert command("personal-data", "review", "--confirm").exception is not None
    assert command("personal-data", "review", "prod/none", "value.x", "--entity", "X", "--reject").exception is not None


def test_the_command_line_tries_recognizers_of_either_form(command: Any, tmp_path: Path) -> None:
    values = tmp_path / "values.txt"
    values.write_text("EMP-000001\nEMP-000002\nno\n")
    ours = tmp_path / "ours.yaml"
    ours.write_text(
        "apiVersion: weir/v1\nkind: Recognizer\nmetadata: {name: emp}\nspec:\n  supported_entity: EMPLOYEE_NUMBER\n"
        "  patterns: [{name: e, regex: 'EMP-[0-9]{6}', score: 0.6}]\n"
    )
    theirs = tmp_path / "presidio.yaml"
    theirs.write_text(
        "recognizers:\n  - name: emp\n    supported_language: en\n    supported_entity: EMPLOYEE_NUMBER\n"
        "    patterns:\n      - {name: e, regex: 'EMP-[0-9]{6}', score: 0.6}\n    context: [staff]\n"
    )
    for file in (ours, theirs):
        done = command("personal-data", "test", "-f", str(file), "--sample", str(values), "-o", "json")
        assert done.exit_code == 0, done.stdout
        answer = json.loads(done.stdout)[0]
        assert (answer["matched"], answer["sampled"], answer["entity"]) == (2, 3, "EMPLOYEE_NUMBER")
    for bad in (tmp_path / "none.yaml", values):
        assert command("personal-data", "test", "-f", str(bad), "--sample", str(values)).exception is not None
