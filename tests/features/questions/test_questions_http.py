"""Questions about a dataset over HTTP: asked, answered, accepted, and who may do what."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api_world import ApiWorld, orders, world

API = "/api/v1"
AT = f"{API}/datasets/prod/orders/questions"
DECLARED = """
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {email: otto@example.org}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {email: ana@example.org}
---
apiVersion: weir/v1
kind: User
metadata: {name: bob}
spec: {}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{user: otto}]}
"""
HIDDEN = """
apiVersion: weir/v1
kind: Visibility
metadata: {name: payroll}
spec: {match: {datasets: [prod/payroll]}, existence: {users: [root]}}
"""


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path, {"orders": orders(20), "payroll": orders(5)}) as created:
        created.scan(bootstrapServers="localhost:9092", cluster="prod")
        created.apply(DECLARED)
        yield created


def ask(who: Any, text: str = "Is region ever null?") -> dict[str, Any]:
    answer = who.post(AT, json={"text": text})
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


def row_of(who: Any) -> dict[str, Any] | None:
    rows = who.get(f"{API}/inbox").json()["rows"]
    return next((each for each in rows if each["kind"] == "dataset-question"), None)


def test_a_question_is_asked_answered_accepted_and_closed(weir: ApiWorld) -> None:
    otto, ana = weir.user("otto"), weir.user("ana")
    asked = ask(ana)
    assert (asked["by"], asked["state"], asked["answers"], asked["decide"]) == ("ana", "open", [], True)
    waits = row_of(otto)
    assert waits is not None
    assert (waits["subject"], waits["text"]) == ("1 question", "waits for an answer: prod/orders")
    assert row_of(ana) is None
    answered = otto.post(f"{API}/questions/{asked['id']}/answers", json={"text": "Never."}).json()
    assert [each["text"] for each in answered["answers"]] == ["Never."]
    assert row_of(otto) is None
    accepted = ana.patch(f"{API}/questions/{asked['id']}", json={"accepted": answered["answers"][0]["id"]}).json()
    assert (accepted["state"], accepted["closed_by"] if "closed_by" in accepted else accepted["closedBy"]) == (
        "closed",
        "ana",
    )
    assert [each["accepted"] for each in accepted["answers"]] == [True]
    listed = otto.get(AT).json()
    assert (listed["waiting"], listed["notified"], len(listed["questions"])) == (0, ["otto"], 1)
    late = otto.post(f"{API}/questions/{asked['id']}/answers", json={"text": "More."})
    assert (late.status_code, late.json()["error"]["code"]) == (409, "conflict")
    assert ana.patch(f"{API}/questions/{asked['id']}", json={"state": "open"}).json()["state"] == "open"


def test_owners_and_askers_are_notified_and_all_is_in_the_audit(weir: ApiWorld) -> None:
    otto, ana = weir.user("otto"), weir.user("ana")
    asked = ask(ana, "A secret of the question")
    otto.post(f"{API}/questions/{asked['id']}/answers", json={"text": "Never."})
    events = weir.admin.get(f"{API}/events", params={"type": "weir.question.*"}).json()["events"]
    assert {each["type"] for each in events} == {"weir.question.asked", "weir.question.answered"}
    assert "secret" not in str(events)
    entries = weir.admin.get(f"{API}/audit").json()["entries"]
    actions = {each["action"] for each in entries if each["target"] == "prod/orders"}
    assert {"question.ask", "question.answer"} <= actions
    assert "secret" not in str(entries)


def test_a_text_of_somebody_else_stays_theirs(weir: ApiWorld) -> None:
    otto, ana, bob = weir.user("otto"), weir.user("ana"), weir.user("bob")
    asked = ask(ana)
    at = f"{API}/questions/{asked['id']}"
    answered = bob.post(f"{at}/answers", json={"text": "Perhaps."}).json()
    answer = answered["answers"][0]["id"]
    for who, call in (
        (bob, bob.patch(at, json={"text": "Changed"})),
        (bob, bob.patch(at, json={"accepted": answer})),
        (bob, bob.patch(at, json={"state": "closed"})),
        (bob, bob.delete(at)),
        (otto, otto.patch(at, json={"text": "Changed"})),
        (ana, ana.patch(f"{at}/answers/{answer}", json={"text": "Changed"})),
        (ana, ana.delete(f"{at}/answers/{answer}")),
    ):
        assert call.status_code == 403, (who, call.text)
    assert ana.patch(at, json={"text": "Is it?"}).json()["text"] == "Is it?"
    assert bob.patch(f"{at}/answers/{answer}", json={"text": "Yes."}).json()["answers"][0]["text"] == "Yes."
    assert otto.delete(f"{at}/answers/{answer}").json()["answers"] == []
    assert otto.delete(at).json() == {"id": asked["id"]}
    assert ana.get(at).status_code == 404


def test_questions_of_a_hidden_dataset_are_not_there(weir: ApiWorld) -> None:
    at = f"{API}/datasets/prod/payroll/questions"
    asked = weir.admin.post(at, json={"text": "Who is paid?"}).json()
    weir.apply(HIDDEN)
    ana = weir.user("ana")
    gone, never = ana.get(at), ana.get(f"{API}/datasets/prod/nothing/questions")
    assert (gone.status_code, never.status_code) == (404, 404)
    assert gone.text.replace("payroll", "nothing") == never.text
    hidden, unknown = ana.get(f"{API}/questions/{asked['id']}"), ana.get(f"{API}/questions/{'0' * 32}")
    assert hidden.status_code == unknown.status_code == 404
    assert hidden.text.replace(asked["id"], "0" * 32) == unknown.text
    calls = [
        ana.post(at, json={"text": "x"}),
        ana.post(f"{API}/questions/{asked['id']}/answers", json={"text": "x"}),
        ana.patch(f"{API}/questions/{asked['id']}", json={"text": "x"}),
        ana.delete(f"{API}/questions/{asked['id']}"),
    ]
    assert {each.status_code for each in calls} == {404}
    named = ask(weir.admin, "Does it join with prod/payroll?")
    assert ana.get(f"{API}/questions/{named['id']}").json()["text"] == ""


@pytest.mark.parametrize(
    "text, words",
    [("   ", "is empty"), ("x" * 10_001, "10"), ("a\u202eb", "cannot be seen"), ("", "")],
)
def test_a_text_that_cannot_be_kept_is_refused_with_a_sentence(weir: ApiWorld, text: str, words: str) -> None:
    refused = weir.user("ana").post(AT, json={"text": text})
    assert refused.status_code == 400, refused.text
    assert words in refused.json()["error"]["message"]
    assert weir.admin.get(AT).json()["questions"] == []


def test_markup_is_kept_as_the_text_it_is(weir: ApiWorld) -> None:
    text = "<img src=x onerror=alert(1)> **bold**\nand a second line"
    assert ask(weir.user("ana"), text)["text"] == text


def test_what_to_change_is_one_thing(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    at = f"{API}/questions/{ask(ana)['id']}"
    for body in ({}, {"text": "x", "state": "closed"}, {"state": None}, {"text": None}, {"state": "gone"}):
        assert ana.patch(at, json=body).status_code == 400, body
    assert ana.patch(at, json={"accepted": "nothing"}).status_code == 404
