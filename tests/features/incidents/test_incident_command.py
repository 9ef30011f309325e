"""`weir incident`, by the commands and the contract of docs/how-to/incidents.md."""

from __future__ import annotations

import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

from catalog.datasets.datasets import Datasets
from catalog.incident_store import Incident, IncidentCause, RecordPlace
from catalog.incidents.fault import Fault
from catalog.incidents.service import Incidents
from tests.api_world import ApiWorld
from tests.unit.api.cli.test_cli import CLUSTER, Weir, home, served, weir  # noqa: F401

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "incidents.md").read_text()
ANA = "---\napiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {}\n"


def opened(world: ApiWorld, rule: str = "value.region:type") -> Incident:
    fault = Fault(
        dataset=world.services[Datasets].find("prod/orders"),
        cause=IncidentCause.CONTRACT,
        source="orders",
        rule=rule,
        title="value.region is string",
        reason="it is int64 in 10 % of the records",
        at=datetime.now(UTC),
        path="value.region",
        records=5,
        share=0.1,
        first=RecordPlace(0, 50),
        last=RecordPlace(0, 54),
    )
    return world.services[Incidents].report(fault)


def test_the_guide_is_followed_from_the_list_to_the_end(weir: Weir, served: ApiWorld, tmp_path: Path) -> None:  # noqa: F811
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
    (tmp_path / "all.yaml").write_text(f"{CLUSTER}\n{ANA}")
    (tmp_path / "contract.yaml").write_text(text)
    assert weir("apply", "-f", str(tmp_path / "all.yaml")).code == 0
    served.scan(cluster="prod", topics=["orders"])
    assert weir("apply", "-f", str(tmp_path / "contract.yaml")).code == 0
    assert "No incident." in weir("incident", "list").out
    id = opened(served).id
    for line in re.findall(r"^weir (incident .*)$", PAGE, re.M):
        done = weir(*shlex.split(line.replace("3f2a", id[:12])))
        assert done.code == 0, line + done.out + done.err
    shown = json.loads(weir("incident", "show", id, "-o", "json").out)
    assert (shown["state"], shown["resolution"], shown["assignee"]) == ("resolved", "fixed", "ana")
    kinds = [each["kind"] for each in shown["history"]]
    assert kinds == ["opened", "acknowledged", "assigned", "commented", "resolved"]
    table = weir("incident", "show", id).out
    assert "value.region is string: resolved" in table
    assert "0:50" in table
    assert "Fixed in 1.4" in table


def test_an_id_that_fits_none_or_several_is_one_sentence(weir: Weir, served: ApiWorld, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "all.yaml").write_text(CLUSTER)
    assert weir("apply", "-f", str(tmp_path / "all.yaml")).code == 0
    served.scan(cluster="prod", topics=["orders"])
    opened(served, "a")
    opened(served, "b")
    none = weir("incident", "show", "no-such")
    assert none.code == 1
    assert "There is no incident 'no-such'" in none.err
    several = weir("incident", "resolve", "")
    assert several.code != 0
    assert "2 incidents begin with ''" in several.err
    assert weir("incident", "assign", "x").code != 0
