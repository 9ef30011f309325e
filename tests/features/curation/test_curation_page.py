"""The YAML and the commands of docs/how-to/curation.md, one after another."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.api_world import ApiWorld
from tests.unit.api.cli.test_cli import CLUSTER, Weir, home, served, weir  # noqa: F401

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "curation.md").read_text()
ANA = "---\napiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {}\n"


def test_the_guide_is_followed_from_the_document_to_the_table(
    weir: Weir,  # noqa: F811
    served: ApiWorld,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
    Path("first.yaml").write_text(f"{CLUSTER}\n{ANA}")
    assert weir("apply", "-f", "first.yaml").code == 0
    served.scan(cluster="prod", topics=["orders"])
    Path("all.yaml").write_text(text)
    applied = weir("apply", "-f", "all.yaml")
    assert applied.code == 0, applied.out + applied.err
    printed = {}
    for line in re.findall(r"^weir (.*)$", PAGE, re.M):
        done = weir(*shlex.split(line))
        assert done.code == 0, line + done.out + done.err
        printed[line] = done.out
    for asked in ("is:certified", "property:retention=silver", "product:shop"):
        assert "orders" in printed[f"search '{asked}'"]
    assert "customer.email" in printed["search 'term:customer-email'"]
    assert "0 datasets change" in printed["catalog import catalog.csv --yes"]
    shown = json.loads(weir("dataset", "show", "prod/orders", "-o", "json").out)["curated"]
    assert shown["certification"] == {"by": "ana", "note": "Checked each hour"}
    assert (shown["deprecation"], shown["properties"]) == (None, {"retention": "silver"})
    assert [each["text"] for each in shown["announcements"]] == ["Late on Monday"]


def test_a_wrong_line_is_named_and_changes_nothing(weir: Weir, served: ApiWorld, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "first.yaml").write_text(CLUSTER)
    assert weir("apply", "-f", str(tmp_path / "first.yaml")).code == 0
    served.scan(cluster="prod", topics=["orders"])
    table = tmp_path / "catalog.csv"
    table.write_text("dataset,field,description\nprod/orders,,Orders\nprod/orders,value.nope,x\n")
    refused = weir("catalog", "import", str(table), "--yes")
    assert refused.code == 1
    assert "Line 3: prod/orders has no field value.nope." in refused.err
    table.write_text("dataset,colour\nprod/orders,red\n")
    assert "column 'colour'" in weir("catalog", "import", str(table), "--yes").err
