"""A small world of lineage behind the HTTP door, for the tests of Weir's own shapes and of Marquez's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.api_world import ApiWorld, world
from tests.lineage_samples import IDENTITY, JOIN, MASKING, columns, dataset, node, run

EMAIL = node("orders", "value.email")


def events() -> list[dict[str, Any]]:
    """orders -> clean (email kept, phone masked) -> mart, at first; from second 100 on, cleaner writes clean2 instead."""

    def cleaner(time: float, run_id: str, output: str) -> dict[str, Any]:
        lineage = columns(
            {"email": [("orders", "email", IDENTITY)], "phone": [("orders", "phone", MASKING)]},
            [("orders", "status", JOIN)],
        )
        return run(
            time,
            ["orders"],
            [dataset(output, columnLineage=lineage)],
            job="cleaner",
            run_id=run_id,
            job_facets={
                "sourceCodeLocation": {"type": "git", "version": "0a1b2c3d4e5f6a7b", "url": "https://git/x"},
                "ownership": {"owners": [{"name": "team:data"}]},
            },
        )

    return [
        cleaner(0, "r1", "clean"),
        run(10, ["clean"], ["mart"], job="marter", run_id="r2"),
        cleaner(100, "r3", "clean2"),
        run(110, ["mart"], [], job="board", run_id="r4", kind="FAIL"),
    ]


@contextmanager
def told(folder: Path) -> Iterator[ApiWorld]:
    """A Weir that was sent the events and has folded them."""
    with world(folder) as weir:
        assert weir.admin.post("/api/v1/lineage/batch", json=events()).status_code == 200
        weir.fold()
        yield weir


def ask(weir: ApiWorld, path: str, **params: Any) -> Any:
    answer = weir.admin.get(f"/api/v1/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()
