"""Names that the glossary gives exist in the code, in the HTTP API or on the command line."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("catalog", "connectors", "scanners", "lineage", "policies", "views", "api", "stack", "client")
ROW = re.compile(r"\| ([^|]+) \| ([^|]+) \| ([^|]+) \|")


def rows() -> list[tuple[str, str, str]]:
    matches = ROW.findall((ROOT / "docs/reference/glossary.md").read_text())
    return [row for row in matches if row[0] != "term"]


def test_every_name_of_the_glossary_exists() -> None:
    code = "\n".join(file.read_text() for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    words = set(re.findall(r"\w+", code))
    pages = [
        page for page in (ROOT / "docs").rglob("*.md") if "decisions" not in page.parts and page.name != "glossary.md"
    ]
    usage = "\n".join(page.read_text() for page in pages)
    missing = []
    for term, _, names in rows():
        in_code, _, in_use = names.partition(";")
        missing += [
            (term, n) for n in re.findall(r"`([^`]+)`", in_code) if n not in words and not re.search(rf"\b{n}\b", code)
        ]
        in_yaml_or_api = [name.removeprefix("kind: ") for name in re.findall(r"`([^`]+)`", in_use)]
        missing += [(term, n) for n in in_yaml_or_api if n not in usage and n not in code]
    assert missing == []


def test_terms_are_many_unique_and_explained_in_one_sentence() -> None:
    terms = [term for term, _, _ in rows()]
    assert len(terms) >= 60
    assert len(set(terms)) == len(terms)
    assert [term for term, meaning, _ in rows() if not meaning.endswith(".")] == []
