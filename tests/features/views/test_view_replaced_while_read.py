"""A query of a view whose rows are replaced while it runs ends with that, however short it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from policies.plan.model import Range, Window
from tests.query_door import ArrowEngine
from tests.served_view import ServedView, served_view

EMPTY = pa.table({"email": pa.array([], pa.string()), "total": pa.array([], pa.int64())})


class Cut:
    """`policies.plan.ports.Offsets`; the look comes after the rows of the generation were replaced and cut off."""

    def __init__(self) -> None:
        self.before: Any = lambda: None

    def window(self, *_: Any) -> Window:
        self.before()
        return Window((Range(0, 50, 50),))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    cut = Cut()
    with served_view(tmp_path, engine=ArrowEngine(EMPTY), window=cut) as view:
        view.engine = cut
        view.serve(view.generation(1))
        yield view


def test_rows_that_were_replaced_are_no_empty_answer(served: ServedView) -> None:
    ana = served.world.user("ana")
    body = {"sql": "SELECT email, total FROM spend"}
    for number, accept in ((2, "application/json"), (3, "text/csv")):
        served.engine.before = lambda: None
        assert ana.post("/api/v1/query", json=body, headers={"Accept": accept}).status_code == 200
        generation = served.generation(number)
        served.engine.before = lambda: served.serve(generation)  # noqa: B023 - called in this turn
        answer = ana.post("/api/v1/query", json=body, headers={"Accept": accept})
        assert "were replaced while they were read; ask again" in answer.text, (accept, answer.text)
