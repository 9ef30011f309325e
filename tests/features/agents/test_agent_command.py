"""`weir token create --agent`, `weir agent` and `weir audit list --agent`, through the running application."""

from __future__ import annotations

import json
from pathlib import Path

from tests.api_world import ApiWorld
from tests.unit.api.cli.test_cli import CLUSTER, Weir, home, served, weir  # noqa: F401

PEOPLE = """
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: []}
"""
AGENT = ("--agent", "helper", "--purpose", "support", "--dataset", "prod/*", "--expires", "7d")


def test_an_agent_is_made_listed_shown_and_ended(weir: Weir, served: ApiWorld, home: Path) -> None:  # noqa: F811
    served.apply(CLUSTER + PEOPLE)
    (home / "tokens").mkdir(exist_ok=True)
    (home / "tokens" / "ana").write_text(served.admin.post("/api/v1/tokens", json={"user": "ana"}).json()["token"])
    assert "No agents." in weir("agent", "list").out
    token = weir("token", "create", *AGENT, "--masked-only", "--user", "ana").out.strip()
    assert token.startswith("weir_")
    assert served._client(token).get("/api/v1/datasets").status_code == 200
    (listed,) = json.loads(weir("agent", "list", "--all", "-o", "json").out)["agents"]
    assert (listed["user"], listed["datasets"], listed["maskedOnly"]) == ("ana", ["prod/*"], True)
    shown = weir("agent", "show", listed["id"])
    assert "helper acts for ana, for support, on prod/*: 1,000 rows an answer, 0 of 10,000 rows today" in shown.out
    assert "agent.create" in weir("audit", "list", "--agent", "helper").out
    assert weir("agent", "end", listed["id"]).out == f"Agent helper ({listed['id']}) is ended.\n"
    assert served._client(token).get("/api/v1/datasets").status_code == 401
    assert "no agent" in weir("agent", "show", "tok_none").err


def test_what_is_left_out_is_named(weir: Weir) -> None:  # noqa: F811
    for line, sentence in (
        (("--agent", "helper"), "This token needs --purpose PURPOSE."),
        (AGENT[:4], "This token needs --dataset CLUSTER/TOPIC."),
        (AGENT[:6], "This token needs --expires 7d."),
        ((), "This token needs --user NAME."),
        (("--user", "ana", "--masked-only"), "add --agent NAME"),
        (("--user", "ana", "--rows", "5"), "--rows is for a token of an agent; add --agent NAME."),
        (("--user", "ana", "--rows-a-day", "5"), "--rows-a-day is for a token of an agent; add --agent NAME."),
        ((*AGENT, "--days", "3"), "--days is not for a token of an agent; --expires is how long that is valid."),
        ((*AGENT, "--name", "mine"), "--name is not for a token of an agent; leave it out."),
        ((*AGENT, "--save"), "--save is not for a token of an agent; leave it out."),
    ):
        ended = weir("token", "create", *line)
        assert ended.code == 1
        assert sentence in ended.err, ended
