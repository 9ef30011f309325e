"""docs/tutorial.md, "Your own records", step by step: its file, its script, its document, and what it promises of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from tests.conftest import ROOT, Stack
from tests.integration.test_views import BASE
from tests.view_world import ViewWorld, view_world

pytestmark = pytest.mark.integration

PAGE = (ROOT / "docs/tutorial.md").read_text()
SECTION = PAGE.split("\n## Your own records\n")[1].split("\n## ")[0]
BLOCKS = dict(re.findall(r"^```(json|python|yaml)\n(.*?)^```", SECTION, re.M | re.S))
QUERY = next(iter(re.findall(r"weir query '(.+?)' --as otto", SECTION)))


@pytest.fixture
def world(stack: Stack, tmp_path: Path) -> Iterator[ViewWorld]:
    with view_world(tmp_path / "weir", stack) as world:
        world.apply(BASE % stack.kafka)
        yield world
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    admin.delete_topics(["visits"])["visits"].result()


def test_records_of_a_file_are_sent_scanned_and_read_by_their_owner(
    world: ViewWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "visits.jsonl").write_text(BLOCKS["json"])
    monkeypatch.chdir(tmp_path)
    exec(BLOCKS["python"].replace("127.0.0.1:9092", world.kafka), {})
    assert capsys.readouterr().out == "records that were not sent: []\n"

    world.scan("visits")
    details = world.admin.get("/api/v1/datasets/prod/visits").json()
    assert set(details["entities"]) == {"EMAIL_ADDRESS", "PERSON", "IBAN_CODE"}

    refused = world.admin.post("/api/v1/query", json={"sql": QUERY})
    assert refused.status_code == 403, refused.text
    world.apply(BLOCKS["yaml"])
    seen = world.user("otto").post("/api/v1/query", json={"sql": QUERY})
    assert {row[1] for row in seen.json()["rows"]} == {"maria.santos@example.org", "j.weber@example.com", None}
    refused = world.user("ana").post("/api/v1/query", json={"sql": QUERY})
    assert refused.status_code == 403 and "equest access" in refused.text
