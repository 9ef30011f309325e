"""What waits for a person names no dataset of which they may not know any more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.config.settings import Settings
from tests.api_world import ApiWorld, deliver, world
from tests.kept_mails import Mails

API = "/api/v1"
PEOPLE = """
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {email: ana@example.com}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {email: otto@example.com}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{user: otto}]}
"""
HIDDEN = """
apiVersion: weir/v1
kind: Visibility
metadata: {name: orders}
spec: {match: {datasets: [prod/orders]}, existence: {users: [%s]}}
"""


@pytest.fixture
def weir(tmp_path: Path, mails: Mails) -> Iterator[ApiWorld]:
    settings = Settings()
    settings.notify.smtp_host = "mail.example.com"
    with world(tmp_path, settings=settings) as created:
        created.scan(bootstrapServers="localhost:9092", cluster="prod")
        created.apply(PEOPLE)
        deliver(created)
        yield created


@pytest.mark.parametrize(("knows", "answers"), [("root", 0), ("ana", 1)])
def test_an_answer_about_a_dataset_that_was_hidden_meanwhile(
    weir: ApiWorld, mails: Mails, knows: str, answers: int
) -> None:
    at = f"{API}/datasets/prod/orders/questions"
    asked: dict[str, Any] = weir.user("ana").post(at, json={"text": "Is it whole?"}).json()
    deliver(weir)
    assert [to for to, _ in mails.sent] == ["otto@example.com"]
    weir.apply(HIDDEN % knows)
    answered = weir.user("otto").post(f"{API}/questions/{asked['id']}/answers", json={"text": "Yes."})
    assert answered.status_code < 300, answered.text
    deliver(weir)
    sent = [text for to, text in mails.sent if to == "ana@example.com"]
    assert len(sent) == answers and all("prod/orders" in text for text in sent)
