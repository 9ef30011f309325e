"""What is listed of pins: newer versions, known faults, and registries that do not answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stack.installed.versions import COMPONENTS
from tools import pins
from tools.pins import Row


def test_a_preview_is_no_newer_version() -> None:
    listed = "".join(f"<version>{each}</version>" for each in ("4.0.0", "4.0.10", "4.0.9", "4.1.0-rc1", "5.0.0.Alpha2"))
    text = f"<metadata><versioning><versions>{listed}</versions></versioning></metadata>"
    assert pins.newest_stable(text.encode()) == "4.0.10"
    assert pins.newest_stable(b"<m><version>3.1.0.Final</version><version>3.2.0.Final</version></m>") == "3.2.0.Final"
    with pytest.raises(LookupError):
        pins.newest_stable(b"<metadata/>")


def test_jars_that_have_no_answer_are_named() -> None:
    def read(url: str) -> bytes:
        if "kafka" in url:
            raise OSError("no route")
        return b"<m><version>5.26.12</version><version>5.26.13</version></m>"

    rows = list(pins.jars_outdated(read, ["org.neo4j:neo4j:5.26.12", "org.apache.kafka:kafka_2.13:4.1.0"]))
    assert [(row.state, row.name, row.note) for row in rows] == [
        ("outdated", "org.neo4j:neo4j", "5.26.13"),
        ("not known", "org.apache.kafka:kafka_2.13", "Maven Central gave no answer: no route."),
    ]


def test_packages_of_pages_are_compared_and_a_refused_audit_is_named() -> None:
    def run(command: list[str], _: Path) -> str:
        if "outdated" in command:
            return json.dumps(
                {"a": {"wanted": "1.0.0", "latest": "1.1.0"}, "b": {"wanted": "2.0.0", "latest": "2.0.0"}}
            )
        return json.dumps({"message": "405 Method Not Allowed"})

    assert list(pins.npm_outdated(run)) == [Row("npm", "outdated", "a", "1.0.0", "1.1.0")]
    [row] = pins.tried("npm vulnerable", lambda: pins.npm_vulnerable(run))
    assert (row.state, row.note) == ("not known", "The registry gave no usable answer: 405 Method Not Allowed.")


def test_a_vulnerable_package_has_its_number_and_the_fix() -> None:
    known = {"id": "PYSEC-2026-1", "fix_versions": ["1.2"]}
    answer = json.dumps(
        {"dependencies": [{"name": "a", "version": "1.1", "vulns": [known]}, {"name": "b", "version": "1"}]}
    )
    rows = list(pins.python_vulnerable(lambda command, _: answer if "pip-audit" in command[0] else ""))
    assert rows == [Row("python", "vulnerable", "a", "1.1", "PYSEC-2026-1, fixed in 1.2")]


def test_the_bill_of_materials_of_servers_has_every_coordinate() -> None:
    import importlib.util

    path = pins.ROOT / "distribution" / "sbom_servers.py"
    spec = importlib.util.spec_from_file_location("sbom_servers", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    parts = module.document()["components"]
    named = {f"{each['group']}:{each['name']}:{each['version']}" for each in parts}
    assert named == {each for component in COMPONENTS.values() for each in component.coordinates}
