"""The Helm chart without Helm: its values, their schema, and the settings and commands that its templates name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from api import VERSION
from api.cli import tree
from api.config.settings import BARE, documented
from catalog.record_keys import KEYS
from tests.unit.distribution.chart_values import ALL, ALSO_REQUIRED, LEAST, REQUIRED

ROOT = Path(__file__).resolve().parents[3]
CHART = ROOT / "distribution" / "helm" / "weir"
PAGE = ROOT / "docs" / "how-to" / "kubernetes.md"
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
TEMPLATES = {path.name: path.read_text() for path in sorted((CHART / "templates").iterdir())}


def leaves(values: dict[str, Any], above: str = "") -> Iterator[str]:
    """Paths of values; a map that is empty by default counts as one."""
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{above}{name}.")
        else:
            yield f"{above}{name}"


def is_in_schema(path: str) -> bool:
    part = SCHEMA
    for name in path.split("."):
        if name not in part.get("properties", {}):
            return part.get("additionalProperties", True) is not False
        part = part["properties"][name]
    return True


def test_the_schema_is_one() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("values", [VALUES, LEAST, ALL], ids=["defaults", "least", "all"])
def test_values_hold_to_the_schema(values: dict[str, Any]) -> None:
    jsonschema.validate(values, SCHEMA)


@pytest.mark.parametrize(
    "values",
    [
        {"neo4j": {"url": "bolt://neo4j"}},
        {"neo4j": {"uri": "http://neo4j"}},
        {"serve": {"replicas": "two"}},
        {"worker": {"replicas": -1}},
        {"settings": {"LOG_LEVEL": "DEBUG"}},
        {"elasticsearch": {"auth": "token"}},
        {"database": {"password": "secret"}},
    ],
)
def test_a_value_that_is_wrong_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values, SCHEMA)


def test_every_value_is_in_the_schema_and_in_a_template() -> None:
    text = "\n".join(TEMPLATES.values())
    paths = list(leaves(VALUES))
    assert [path for path in paths if not is_in_schema(path)] == []
    unused = [path for path in paths if not _is_used(path, text)]
    assert unused == []


def _is_used(path: str, text: str) -> bool:
    parts = path.split(".")
    whole = any(f".Values.{'.'.join(parts[:length])}" in text for length in range(len(parts), 1, -1))
    return whole or f".Values.{path}" in text or (parts[0] in ("serve", "worker") and f'"{parts[-1]}"' in text)


@pytest.mark.parametrize("path", [*REQUIRED, *ALSO_REQUIRED])
def test_a_required_value_is_one_that_exists(path: str) -> None:
    assert path in set(leaves(VALUES))
    assert any(f'"name" "{path}"' in text for text in TEMPLATES.values())


def test_every_setting_that_a_template_names_is_one_of_weir() -> None:
    known = {name for name, _, _ in documented()} | BARE
    named = {
        name
        for text in TEMPLATES.values()
        # What stands in comments is about variables that Weir does not know.
        for name in re.findall(r"WEIR_[A-Z_0-9]+", re.sub(r"^\s*#.*$", "", text, flags=re.M))
    }
    assert len(named) > 20
    assert named - known == set()


def test_every_setting_of_the_samples_and_the_page_is_one_of_weir() -> None:
    known = {name for name, _, _ in documented()} | BARE
    named = set(ALL["settings"]) | set(re.findall(r"WEIR_[A-Z_]+__[A-Z_0-9]+", PAGE.read_text()))
    assert named - known == set()


def test_no_secret_is_a_value() -> None:
    secret = re.compile(r"(password|token|apiKey|secret)$", re.I)
    named = [path for path in leaves(VALUES) if secret.search(path)]
    assert set(named) == {
        "ingress.tlsSecret",
        *(path for path in leaves(VALUES) if path.endswith(".existingSecret")),
    }


def test_the_processes_are_commands_of_weir() -> None:
    args = [words for text in TEMPLATES.values() for words in re.findall(r"args: \[([a-z, -]+)\]", text)]
    assert len(args) == 2
    for words in args:
        command: Any = tree(words.split(", "))
        for word in words.split(", "):
            command = command.commands[word]


def test_the_chart_is_of_this_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (VERSION, VERSION)


def test_the_page_names_every_key_and_every_required_value() -> None:
    page = PAGE.read_text()
    assert [name for name in KEYS if name not in page] == []
    assert [path for path in REQUIRED if path not in page] == []
