"""Kinds of personal data that other packages add, by entry points `weir.detectors`: used as Weir's own; a bad one is a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scanners.detectors import registry
from scanners.detectors.core.checked_kind import CheckedKind
from scanners.detectors.core.fitness import obstacle
from scanners.detectors.rules import RULES

EXAMPLE = Path("docs/how-to/own-detectors.md").read_text().partition("```python\n")[2].partition("```")[0]
"""The detector that the documentation shows."""
SCAN = """
import json
from api.config import plugs
from catalog.model import Classification
from scanners.detectors.engine import Detector
from scanners.scan.recognizer_versions import versions
from policies.personal_data import is_personal_dataset
from tests.pii_corpus.columns import Column
from tests.pii_corpus.ours import sketch
from tests.twins.scanners import sealed
from scanners.scan.classify import classify

detector = Detector()
answers = {}
for name, values in json.loads(COLUMNS).items():
    verdicts, unscanned = classify(sealed("t", [sketch(Column(None, "full", (name,), values), detector)]))
    answers[name] = [[each.entity, each.score, each.evidence["recognizers"]] for each in verdicts], list(unscanned)
tags = {each: is_personal_dataset(each) for each in ("ORCID", "GOLD")}
own = {name: version for name, version in versions([]).items() if name.startswith("plug:")}
print(json.dumps({"columns": answers, "problems": plugs.problems(), "tags": tags, "versions": own}))
"""


def digit(number: int) -> str:
    """An ORCID iD with its check digit (ISO/IEC 7064, MOD 11-2), written as in its definition."""
    digits = f"0000000{1 + number % 3}{number:07d}"
    total = 0
    for each in digits:
        total = (total + int(each)) * 2
    check = (12 - total % 11) % 11
    whole = digits + ("X" if check == 10 else str(check))
    return "-".join(whole[place : place + 4] for place in range(0, 16, 4))


IDS = [digit(number) for number in range(1_000_000, 9_000_000, 123_457)]
WRONG = [each[:-1] + ("1" if each[-1] != "1" else "2") for each in IDS]


def scanned(folder: Path, code: str, points: dict[str, str], columns: dict[str, list[str]]) -> dict[str, object]:
    """What a process answers in which a package with these entry points is installed."""
    (folder / "acme_detectors.py").write_text(code)
    info = folder / "acme_detectors-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-detectors\nVersion: 1.0\n")
    lines = "".join(f"{name} = acme_detectors:{value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[weir.detectors]\n{lines}")
    path = os.pathsep.join([str(folder), *sys.path])
    command = [sys.executable, "-c", f"COLUMNS = {json.dumps(columns)!r}\n{SCAN}"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=True)
    answer: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return answer


def test_the_detector_of_the_page_works_as_one_of_weirs(tmp_path: Path) -> None:
    columns = {"orcid": IDS, "c7": IDS, "sku": IDS, "number": WRONG}
    answer = scanned(tmp_path, EXAMPLE, {"orcid": "KIND"}, columns)
    recognizers = [{"name": "plug:orcid", "version": "1"}]
    assert answer == {
        "columns": {
            "orcid": [[["ORCID", 0.95, recognizers]], []],
            "c7": [[["ORCID", 0.8, recognizers]], []],
            "sku": [[], []],
            "number": [[], []],
        },
        "problems": [],
        "tags": {"ORCID": True, "GOLD": False},
        "versions": {"plug:orcid": "1"},
    }


def test_one_that_fails_takes_nothing_for_clean(tmp_path: Path) -> None:
    rude = """
from dataclasses import replace

def fails(*_):
    raise RuntimeError("with a value in it")

SCORE = replace(KIND, score=fails)
"""
    answer = scanned(tmp_path, EXAMPLE + rude, {"score": "SCORE"}, {"c7": IDS})
    assert answer["columns"] == {"c7": [[["ORCID", 0.5, [{"name": "plug:orcid", "version": "1"}]]], []]}
    assert answer["problems"] == []


def test_bad_ones_are_sentences_and_the_others_work(tmp_path: Path) -> None:
    bad = """
from dataclasses import replace

TWICE = KIND
ENTITY = replace(KIND, entity="orcid")
PERSON = replace(KIND, entity="PERSON")
NO_EXAMPLE = replace(KIND, entity="ACME", patterns=(replace(KIND.patterns[0], entity="ACME", recognizer="acme"),), examples=())
TEXT = "ORCID"
"""
    points = {"a_good": "KIND", "absent": "GONE"}
    points |= {name.lower(): name for name in ("TWICE", "ENTITY", "PERSON", "NO_EXAMPLE", "TEXT")}
    answer = scanned(tmp_path, EXAMPLE + bad, points, {"orcid": IDS})
    assert answer["columns"] == {"orcid": [[["ORCID", 0.95, [{"name": "plug:orcid", "version": "1"}]]], []]}
    absent = "module 'acme_detectors' has no attribute 'GONE'"
    why = "The plug {} of the package acme-detectors (weir.detectors) is not used: {}."
    assert answer["problems"] == [
        why.format(
            "absent",
            f"importing acme_detectors:GONE raised AttributeError: {absent}",
        ),
        why.format("entity", "its entity is 'orcid'; write upper case, digits and _ as in ACME_CUSTOMER_NUMBER"),
        why.format("no_example", "it has no examples; write texts that hold a valid value"),
        why.format("person", "Weir detects PERSON itself; choose another entity"),
        why.format("text", "it is not a scanners.detectors.core.checked_kind.CheckedKind"),
        why.format("twice", "there is another detector of ORCID; choose another entity"),
    ]


@pytest.mark.parametrize("kind", registry.installed().kinds, ids=lambda kind: kind.entity)
def test_weirs_own_pass_the_same_checks_and_stand_in_the_documentation(kind: CheckedKind) -> None:
    others = [each for each in registry.installed().kinds if each is not kind]
    assert obstacle(kind, others, registry.LOOKED_AT) is None
    assert f"\n| {kind.entity} | {kind.validated_by} |\n" in Path("docs/how-to/personal-data.md").read_text()


def test_each_entity_has_one_place() -> None:
    national = {entity for entity in RULES if entity not in registry.LOOKED_AT}
    checked = {kind.entity for kind in registry.installed().kinds}
    assert RULES.keys() >= registry.LOOKED_AT and checked <= national and not checked & registry.LOOKED_AT
