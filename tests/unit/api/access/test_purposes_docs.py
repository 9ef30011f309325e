"""The examples of docs/how-to/purposes.md: the documents apply, and the decider agrees with the table of purposes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.api_world import ApiWorld, world
from tests.unit.api.access.test_purposes_http import decided, grant, refused

PAGE = (Path(__file__).parents[4] / "docs/how-to/purposes.md").read_text()
TREE = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)[0]
ROWS = re.findall(r"^\| `([\w.]+)` \| `([\w.]+)` \| `([\w.]+)` \| (allowed|denied)", PAGE, re.M)
SOON = (datetime.now(UTC) + timedelta(days=9)).isoformat()


@pytest.fixture
def w(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as opened:
        opened.scan(cluster="prod", bootstrapServers="localhost:9092")
        opened.apply(TREE)
        yield opened


def test_the_page_has_the_examples_that_are_tested() -> None:
    assert len(ROWS) == 5 and TREE.count("kind: Purpose") == 3


@pytest.mark.parametrize("row", ROWS)
def test_the_table_of_the_page(w: ApiWorld, row: tuple[str, str, str, str]) -> None:
    granted, asked, stated, expected = row
    policy = f"""
apiVersion: weir/v1
kind: Policy
metadata: {{name: need}}
spec: {{type: access, match: {{datasets: [prod/orders]}}, requires: {{purpose: ["{asked}"]}}}}
"""
    user = "apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {}\n"
    w.apply("---\n".join([policy, user, grant("g", granted)]))
    assert {"allow": "allowed", "deny": "denied"}[decided(w, stated)["effect"]] == expected


def test_the_sentence_of_the_page(w: ApiWorld) -> None:
    sentence = "There is no declared purpose 'fruad'; did you mean fraud or fraud.cards?"
    assert sentence in PAGE and sentence in refused(w, grant("g", "fruad"))


def test_what_is_inherited(w: ApiWorld) -> None:
    listed = {each["name"]: each for each in w.admin.get("/api/v1/purposes").json()["purposes"]}
    assert listed["fraud.cards"]["legalBasis"] == "legitimate-interests" and listed["support"]["retention"] == "30d"
