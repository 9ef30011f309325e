"""The protocol's own conformance suite judges the server for agents.

It runs where WEIR_TEST_MCP_CONFORMANCE is the command of the suite, `node .../conformance/dist/index.js`, with a
Node.js of version 22 or newer. Most of its scenarios call tools of an example server; those that every server can pass are
here.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent_world import AgentWorld
from tests.served import served
from tests.signed_in import SignedIn

COMMAND = os.environ.get("WEIR_TEST_MCP_CONFORMANCE", "")
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-error",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)

pytestmark = pytest.mark.skipif(not COMMAND, reason="WEIR_TEST_MCP_CONFORMANCE is not the command of the suite")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    try:
        with served(SignedIn(world.app, world.tokens["ana"])) as url:
            yield f"{url.replace('127.0.0.1', 'localhost')}/mcp"
    finally:
        world.services.close()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_suite_passes(address: str, scenario: str, tmp_path: Path) -> None:
    words = [*shlex.split(COMMAND), "server", "--url", address, "--scenario", scenario]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    passed = re.search(r"Passed: (\d+)/(\d+), (\d+) failed", done.stdout)
    assert done.returncode == 0 and passed is not None and passed[3] == "0", done.stdout[-3000:]
