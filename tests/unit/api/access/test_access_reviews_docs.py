"""The examples of docs/how-to/access-reviews.md are applied, started and decided as they are written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from api.cli import app
from api.features.access_reviews.service import AccessReviews
from policies.campaigns.model import Campaign
from policies.declared.state import GovernanceState
from tests.api_world import orders, world

PAGE = (Path(__file__).parents[4] / "docs/how-to/access-reviews.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.S)
COMMANDS = [line for kind, text in BLOCKS if not kind for line in text.splitlines()]


def test_the_declared_review_applies_and_starts_by_its_schedule(tmp_path: Path) -> None:
    (declared,) = [text for kind, text in BLOCKS if kind == "yaml"]
    with world(tmp_path, {"orders": orders(5)}) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        assert weir.apply(declared)["changes"][0]["action"] == "create"
        (kept,) = weir.admin.get("/api/v1/declared/AccessReview").json()["documents"]
        assert kept["spec"]["onNoAnswer"] == yaml.safe_load(declared)["spec"]["onNoAnswer"]
        weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: [steward]}\n")
        requests = [text.split("\n", 1) for kind, text in BLOCKS if kind == "json"]
        for head, body in requests:
            method, path = head.split()
            if path.endswith("/access-reviews"):
                answer = weir.admin.post(path, json=json.loads(body))
                assert method == "POST" and answer.status_code == 201, answer.text
        (started,) = weir.services[AccessReviews].campaigns.store.campaigns()
        assert isinstance(started, Campaign)
        petra = weir.user("petra")
        (item,) = petra.get(f"/api/v1/access-reviews/{started.id}/items").json()["items"]
        (decision,) = [json.loads(body) for head, body in requests if "decisions" in head]
        done = petra.post(
            f"/api/v1/access-reviews/{started.id}/decisions", json={**decision, "items": [item["number"]]}
        )
        assert done.json()["decided"][0]["outcome"] == "ended", done.text
        assert weir.services[GovernanceState].view().subject("ana").roles == frozenset()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_one(command: str) -> None:
    words = command.split(" > ")[0].split()
    assert words[:2] == ["weir", "access-review"]
    shown = CliRunner().invoke(app, [*words[1:3], "--help"])
    assert shown.exit_code == 0
    for option in (word for word in words if word.startswith("-") and word not in ("-f", "-o")):
        assert option in shown.output, option
