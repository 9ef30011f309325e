"""`weir quality` as its page has it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from tests.api_world import ApiWorld
from tests.features.quality.test_quality_http import CLUSTER
from tests.unit.api.cli.test_cli import Weir, home, served, weir  # noqa: F401


def test_the_page_of_quality_declares_a_sensitivity_and_its_commands_run(weir: Weir, served: ApiWorld) -> None:  # noqa: F811
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "quality.md").read_text()
    (declared,) = re.findall(r"```yaml\n(.*?)```", page, re.S)
    users = CLUSTER.split("---\n", 2)
    served.apply("---\n".join([users[0], declared, users[2]]))
    served.scan(cluster="prod", topics=["orders"], sample={"strategy": "full"})
    commands = [line for block in re.findall(r"```sh\n(.*?)```", page, re.S) for line in block.splitlines()]
    (unmark,) = [line for line in commands if " unmark " in line]
    assert len(commands) == 6
    for line in (each for each in commands if each != unmark):
        done = weir(*shlex.split(line)[1:])
        assert done.code == 0, f"{line}: {done.out}{done.err}"
    shown = weir("quality", "show", "prod/orders", "-o", "json")
    assert json.loads(shown.out)["sensitivity"] == "high"
    marks = json.loads(shown.out)["marks"]
    assert {each["kind"] for each in marks} == {"deploy", "replay"}
    removed = weir(*shlex.split(unmark.replace(" ID ", f" {marks[0]['id']} "), comments=True)[1:])
    assert removed.out.split() == ["id", "removed", marks[0]["id"], "yes"], removed.err
    assert json.loads(weir("quality", "show", "prod/orders", "-o", "json").out)["marks"] == marks[1:]
    table = weir("quality", "show", "prod/orders", "--path", "value.order_id").out
    assert "not enough history" in table
    assert "Nothing was unusual." in weir("quality", "anomalies", "prod/orders").out


def test_a_dataset_without_a_scan_names_the_command_that_adds_one(weir: Weir, served: ApiWorld) -> None:  # noqa: F811
    served.apply(CLUSTER)
    shown = weir("quality", "show", "prod/orders")
    assert shown.out == "No scan is in its quality yet; weir scan prod --topics orders adds one.\n"
