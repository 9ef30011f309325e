"""What would fail at the start of a view because a topic is compacted is refused when the view is applied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from catalog.errors import Unavailable
from tests.served_view import ServedView, served_view
from tests.view_twins import Fate, TwinTopics


class Topics(TwinTopics):
    """`compact` is the answer for every topic; `asked` counts."""

    compact: bool | None = True
    away = False
    asked = 0

    def compacted(self, kafka: Mapping[str, str], topic: str) -> bool | None:
        self.asked += 1
        if self.away:
            raise Unavailable("The cluster does not answer.", details={"server": "kafka"})
        return self.compact


@pytest.fixture
def topics() -> Topics:
    return Topics(Fate())


@pytest.fixture
def served(tmp_path: Path, topics: Topics) -> Iterator[ServedView]:
    with served_view(tmp_path, view_topics=topics) as view:
        yield view


def apply(served: ServedView, sql: str, more: str = "", dry: bool = False) -> Any:
    spec = f'{{sql: "{sql}", runAs: {{user: ana}}{more}}}'
    text = f"apiVersion: weir/v1\nkind: View\nmetadata: {{name: grouped}}\nspec: {spec}\n"
    return served.world.admin.post("/api/v1/apply", params={"dryRun": str(dry).lower()}, content=text.encode())


GROUPED = "SELECT email, sum(amount) AS total FROM prod.orders GROUP BY email"


@pytest.mark.parametrize(
    ("sql", "more", "cause"),
    [
        (GROUPED, "", "replace one another by key"),
        ("SELECT email, amount FROM prod.orders", ", key: [email]", "email is not that key; make it of _key"),
        ("SELECT upper(_key) AS k, amount FROM prod.orders", ", key: [k]", "k is not that key"),
    ],
)
def test_a_view_over_a_compacted_topic_is_refused(
    served: ServedView, topics: Topics, sql: str, more: str, cause: str
) -> None:
    for dry in (True, False):
        refused = apply(served, sql, more, dry)
        assert refused.status_code == 400 and cause in refused.text, refused.text
        assert "compactedAs: stream" in refused.text
    assert served.world.admin.get("/api/v1/views/grouped").status_code == 404
    assert apply(served, sql, more + ", compactedAs: stream").status_code == 200
    topics.compact = False
    assert apply(served, sql, more).status_code == 200
    topics.compact = True
    assert apply(served, sql, more).status_code == 200, "an unchanged document is applied again"


@pytest.mark.parametrize("compact", [False, None])
def test_other_topics_are_not_refused(served: ServedView, topics: Topics, compact: bool | None) -> None:
    topics.compact = compact
    assert apply(served, GROUPED).status_code == 200


def test_what_cannot_be_known_yet_is_left_to_the_start(served: ServedView, topics: Topics) -> None:
    topics.away = True
    assert apply(served, GROUPED).status_code == 200
    topics.away = False
    assert apply(served, "SELECT email FROM prod.later GROUP BY email").status_code == 200, "no such topic yet"


def test_no_cluster_is_asked_where_no_topic_would_be_refused(served: ServedView, topics: Topics) -> None:
    asked = topics.asked
    assert apply(served, "SELECT _key AS k, amount FROM prod.orders", ", key: [k]").status_code == 200
    assert topics.asked == asked
