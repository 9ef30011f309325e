"""What is known of a view's output topic: of every generation whose records may be in it, declared or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from policies.ports import FactsSource
from tests.served_view import ServedView

SINK = """
apiVersion: weir/v1
kind: View
metadata: {name: spend}
spec:
  sql: SELECT email, sum(amount) AS total FROM prod.orders GROUP BY email
  runAs: {user: ana}
  sink: {cluster: prod, topic: spend-out}
"""
EMAIL = ["value.email", "prod/orders", "value.email", None]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    served = ServedView(tmp_path)
    served.world.apply(SINK)
    yield served


def topics(served: ServedView) -> set[tuple[str, tuple[str, ...]]]:
    """(generation, fields of the sources) that a decision on the topic rests on."""
    facts = served.world.services[FactsSource].facts("prod/spend-out")
    paths = tuple(sorted(field.path for source in facts.sources for field in source.fields))
    return {(facts.generation, paths)}


def test_every_generation_of_which_there_are_records_counts(served: ServedView) -> None:
    def generation(number: int, made_of: list[object]) -> object:
        return served.generation(number, private=False, topic="spend-out", made_of=made_of)

    masked, clear = generation(1, []), generation(2, [EMAIL])
    served.serve(masked)  # type: ignore[arg-type]
    assert topics(served) == {(masked.id, ())}  # type: ignore[attr-defined]
    for place in ("building", "retired", "lingering"):
        served.serve(masked, building=None, retired=[], lingering=[])  # type: ignore[arg-type]
        served.serve(masked, **{place: clear if place == "building" else [clear]})  # type: ignore[arg-type]
        ((ids, paths),) = topics(served)
        assert ids.split() == [masked.id, clear.id] and paths == ("value.email",), place  # type: ignore[attr-defined]


@pytest.mark.tail
def test_a_view_that_was_deleted_counts_until_its_records_are_gone(served: ServedView) -> None:
    left = served.generation(1, private=False, topic="spend-out", made_of=[EMAIL])
    served.serve(None, retired=[left])
    served.world.admin.delete("/api/v1/declared/View/spend").raise_for_status()
    assert topics(served) == {(left.id, ("value.email",))}
    reader = served.world.user("otto")
    assert reader.post("/api/v1/query", json={"sql": "SELECT email FROM prod.`spend-out`"}).status_code in (403, 404)


def test_what_a_generation_is_made_of_is_known_or_nothing_is_opened(served: ServedView) -> None:
    served.serve(served.generation(1, private=False, topic="spend-out", made_of=None))
    decision = served.world.user("ana").post("/api/v1/decisions", json={"dataset": "prod/orders"}).json()
    assert decision["effect"] == "allow"
    refused = served.world.user("ana").get("/api/v1/views/spend/rows")
    assert refused.status_code == 403 and "is unknown" in refused.text
