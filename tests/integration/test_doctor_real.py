"""`weir doctor` on real servers: nothing is at fault, and the executors of both engines ran a task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli import app
from tests.conftest import Stack

pytestmark = pytest.mark.integration


def test_the_servers_of_the_stack_are_well(stack: Stack, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    environment = {
        "WEIR_HOME": str(home),
        "WEIR_KAFKA__BOOTSTRAP_SERVERS": stack.kafka,
        "WEIR_SCHEMA_REGISTRY__URL": stack.registry,
        "WEIR_NEO4J__URI": stack.neo4j,
        "WEIR_NEO4J__USER": stack.neo4j_auth[0],
        "WEIR_NEO4J__PASSWORD": stack.neo4j_auth[1],
        "WEIR_ELASTICSEARCH__URL": stack.elasticsearch,
        "WEIR_SPARK__REMOTE": stack.spark,
        "WEIR_QUERY__REMOTE": stack.engine,
    }
    result = CliRunner().invoke(app, ["doctor", "-o", "json"], env=environment)
    answer = json.loads(result.stdout)
    states = {each["name"]: each["state"] for each in answer["findings"]}
    faults = [each for each in answer["findings"] if each["state"] == "fault"]
    assert faults == []
    assert result.exit_code == 0
    for name in ("kafka", "kafka rights", "registry", "neo4j", "neo4j clock", "elasticsearch", "elasticsearch rights"):
        assert states[name] == "ok", name
    for name in ("spark", "spark jars", "spark clock", "spark executors"):
        assert states[name] == "ok", name
