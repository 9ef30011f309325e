"""Owners of what a planned change affects are notified: by the route, by the command, and what comes in their mail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli import app
from api.config.settings import Settings
from api.features.lineage import impact_command
from api.features.lineage.announcements import MOST_AN_HOUR
from api.terminal.http import Api
from tests.api_world import ApiWorld, deliver, orders, world
from tests.kept_mails import Mails
from tests.lineage_samples import IDENTITY, columns, dataset, node, run

API = "/api/v1"
AT = f"{API}/impact/announcements"
FIELD = node("orders", "value.region")
DECLARED = """
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {email: ana@example.com, groups: [reporting]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {email: otto@example.com, groups: [reporting]}
---
apiVersion: weir/v1
kind: User
metadata: {name: nils}
spec: {}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: clean, cluster: prod}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: mart, cluster: prod}
spec: {owners: [{user: nils}, {group: reporting}]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: secret, cluster: prod}
spec: {owners: [{user: petra}]}
"""
HIDDEN = """
apiVersion: weir/v1
kind: Visibility
metadata: {name: secret}
spec: {match: {datasets: [prod/secret]}, existence: {users: [root]}}
"""
SOURCE_HIDDEN = """
apiVersion: weir/v1
kind: Visibility
metadata: {name: orders}
spec: {match: {datasets: [prod/orders]}, existence: {users: [ana]}}
"""


def flows() -> list[dict[str, Any]]:
    """orders.region -> clean.region -> mart.region and secret.region; `loose` has no owner."""

    def job(time: float, source: str, target: str) -> dict[str, Any]:
        facet = columns({"value.region": [(source, "value.region", IDENTITY)]})
        return run(time, [source], [dataset(target, columnLineage=facet)], job=f"to-{target}", run_id=f"r-{target}")

    return [
        job(0, "orders", "clean"),
        job(10, "clean", "mart"),
        job(20, "clean", "secret"),
        job(30, "clean", "loose"),
    ]


@pytest.fixture
def weir(tmp_path: Path, mails: Mails) -> Iterator[ApiWorld]:
    settings = Settings()
    settings.notify.smtp_host = "mail.example.com"
    settings.api.public_url = "http://weir.example.com"
    topics = {name: orders(5) for name in ("orders", "clean", "mart", "secret", "loose")}
    with world(tmp_path, topics, settings=settings) as created:
        created.scan(bootstrapServers="localhost:9092", cluster="prod")
        created.apply(DECLARED)
        assert created.admin.post(f"{API}/lineage/batch", json=flows()).status_code == 200
        created.fold()
        deliver(created)
        yield created


def announce(who: Any, **more: Any) -> dict[str, Any]:
    answer = who.post(AT, json={"nodeId": FIELD, "change": "drop", "note": "On Monday", **more})
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


def events_of(weir: ApiWorld) -> list[dict[str, Any]]:
    where = {"type": "weir.impact.announced"}
    return weir.admin.get(f"{API}/events", params=where).json()["events"]  # type: ignore[no-any-return]


def test_each_set_of_owners_gets_one_message_with_what_is_theirs(weir: ApiWorld, mails: Mails) -> None:
    answer = announce(weir.user("ana"))
    owners = {each["name"]: each for each in answer["owners"]}
    assert {name: each["notified"] for name, each in owners.items()} == {
        "otto": True,
        "reporting": True,
        "nils": False,
        "petra": False,
    }
    assert owners["nils"]["problem"] == owners["petra"]["problem"] == "no address or channel"
    assert owners["otto"]["affected"] == 1 and answer["messages"] == 2
    assert "2 of 4 owners are notified. nils, petra: no address or channel." in answer["text"]
    assert answer["withoutOwner"] > 0 and "no owner" in answer["text"] and answer["hidden"] == 0
    deliver(weir)
    texts = [text for _, text in mails.sent]
    assert [to for to, _ in mails.sent] == ["otto@example.com"] * 2, (
        "otto owns clean and is of the group that owns mart"
    )
    assert any(
        "ana plans to drop prod/orders value.region; 1 thing that you own is affected: prod/clean" in t for t in texts
    )
    assert all('Note: "On Monday"' in each for each in texts)
    assert all(f"lineage?node={'datasetField%3Akafka'}" in each and "change=drop" in each for each in texts)


def test_the_audit_has_who_was_notified_and_not_the_note(weir: ApiWorld) -> None:
    announce(weir.user("ana"), note="A note of ana")
    entries = weir.admin.get(f"{API}/audit", params={"action": "impact.announce"}).json()["entries"]
    assert [(each["actor"], each["target"]) for each in entries] == [("ana", FIELD)]
    assert entries[0]["details"]["notified"] == ["otto", "reporting"]
    assert entries[0]["details"]["notNotified"] == ["nils", "petra"]
    assert "A note" not in str(entries)


def test_a_note_is_one_line_without_addresses(weir: ApiWorld) -> None:
    answer = announce(weir.user("ana"), note="See\nhttps://evil.example/x or mail bob@example.com\u202e now")
    assert answer["note"] == "See (link) or mail (address) now"
    assert {each["data"]["note"] for each in events_of(weir)} == {answer["note"]}
    long = weir.user("ana").post(AT, json={"nodeId": FIELD, "note": "x" * 201})
    assert long.status_code == 400 and "note" in long.text
    assert "note" not in events_of(weir)[0]["data"] or announce(weir.user("ana"), note="  ")["note"] == ""


def test_what_is_hidden_from_the_sender_is_counted_and_not_named(weir: ApiWorld) -> None:
    weir.apply(HIDDEN)
    answer = announce(weir.user("ana"))
    assert "petra" not in str(answer) and "secret" not in str(answer)
    assert answer["hidden"] > 0 and f"may not see {answer['hidden']} of what is affected" in answer["text"]
    weir.apply(SOURCE_HIDDEN)
    gone = weir.user("otto").post(AT, json={"nodeId": FIELD})
    never = weir.user("otto").post(AT, json={"nodeId": node("nothing", "value.region")})
    assert (gone.status_code, never.status_code) == (404, 404)
    assert gone.json()["error"]["code"] == never.json()["error"]["code"] == "not_found"


def test_a_message_names_no_source_that_an_owner_may_not_know_of(weir: ApiWorld, mails: Mails) -> None:
    weir.apply(SOURCE_HIDDEN)
    assert announce(weir.user("ana"))["messages"] == 2
    assert "orders" not in str([each["data"] for each in events_of(weir)])
    deliver(weir)
    texts = [text for _, text in mails.sent]
    assert texts and "orders" not in "".join(texts)
    assert all(
        "plans to drop something that you may not see" in each and "direction=upstream" in each for each in texts
    )


def test_nobody_floods_the_owners(weir: ApiWorld) -> None:
    ana, otto = weir.user("ana"), weir.user("otto")
    for _ in range(MOST_AN_HOUR):
        announce(ana)
    before = len(events_of(weir))
    refused = ana.post(AT, json={"nodeId": FIELD})
    assert refused.status_code == 429
    assert f"{MOST_AN_HOUR} times within an hour" in refused.json()["error"]["message"]
    assert len(events_of(weir)) == before
    assert announce(otto)["messages"] == 1, "of another person it is another count, and otto is not notified of his own"


def test_the_sender_and_an_empty_group_are_named_as_such(weir: ApiWorld) -> None:
    weir.apply(
        "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: mart, cluster: prod}\nspec: {owners: [{group: nowhere}]}\n"
    )
    owners = {each["name"]: each for each in announce(weir.user("otto"))["owners"]}
    assert owners["otto"]["problem"] == "you"
    assert owners["nowhere"]["problem"] == "nobody is in this group"


def test_nothing_downstream_is_stated(weir: ApiWorld) -> None:
    answer = announce(weir.user("ana"), nodeId=node("loose"), change="lose")
    assert (answer["owners"], answer["messages"]) == ([], 0)
    assert answer["text"].startswith("Nobody is notified")


def test_the_command_notifies_and_names_whom_it_could_not_reach(weir: ApiWorld, monkeypatch: Any) -> None:
    client = Api.__new__(Api)
    client.url, client._names = "http://testserver", None
    client._client = weir.user("ana")  # type: ignore[assignment]  # of httpx2, which has the methods of httpx
    monkeypatch.setattr(impact_command, "api", lambda user=None: client)

    def call(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["lineage", "impact", *arguments])

    shown = call("prod/orders", "--field", "value.region", "--change", "drop", "--notify", "On Monday")
    assert shown.exit_code == 0, shown.output
    assert "2 of 4 owners are notified. nils, petra: no address or channel." in " ".join(shown.stdout.split())
    assert events_of(weir)[0]["data"]["note"] == "On Monday"
    as_json = call("prod/orders", "--field", "value.region", "--notify", "", "-o", "json")
    assert '"announced"' in as_json.stdout and "owners are notified" in as_json.stderr
    for wrong in (("cluster:prod",), ("prod/orders", "--as-of", "2026-03-01T00:00:00Z")):
        refused = call(*wrong, "--notify", "x")
        assert refused.exit_code == 2 and "--notify needs" in " ".join(refused.output.split())
