"""Pages of a long answer: together they hold every answer once and in one order, however long they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog.model import DatasetId
from catalog.search.service import Search
from catalog.search_model import IndexPage, SearchQuery
from tests.catalog_samples import NAMESPACE, World, scan
from tests.twins.catalog.index import MemorySearchIndex


class OtherOrder(MemorySearchIndex):
    """Has an order of its own, as a search server has: it does not weigh words as the ranking does."""

    def search(self, query: SearchQuery) -> IndexPage:
        page = super().search(replace(query, limit=10_000, offset=0))
        hits = sorted(page.hits, key=lambda hit: hit.id[::-1])
        return replace(page, hits=tuple(hits[query.offset : query.offset + query.limit]))


class Meaning:
    """`block slot` is near to what is called a gizmo, and to nothing else."""

    def vectors(self, texts: list[str]) -> object:
        import numpy as np

        near = [text == "block slot" or "gizmo" in text.split() for text in texts]
        return np.array([[1.0, 0.0] if each else [0.0, 1.0] for each in near])


@pytest.fixture
def world() -> World:
    world = World(index=OtherOrder())
    for name in ("wide", "wider"):
        fields = [f"value.block_{n % 7}.slot_{n}" for n in range(120)]
        world.datasets.record_scan(scan(DatasetId(NAMESPACE, name), [*fields, "value.gizmo_block"]))
    return world


def paged(search: Search, q: str, length: int) -> tuple[list[str], set[int]]:
    """What all pages hold, and the totals that they state."""
    listed: list[str] = []
    totals: set[int] = set()
    while True:
        answer = search.search(q, limit=length, offset=len(listed))
        totals.add(answer.total)
        if not answer.hits:
            return listed, totals
        listed += [f"{hit.source['name']}:{hit.source.get('path', '')}" for hit in answer.hits]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("q", ["", "slot", "kind:field", "value block"])
def test_pages_hold_every_answer_once_whatever_their_length(world: World, q: str) -> None:
    whole, totals = paged(world.search, q, 1000)
    assert len(whole) == len(set(whole)) > 200 and totals == {len(whole)}
    for length in (7, 50, 120):
        assert paged(world.search, q, length) == (whole, totals), length


def test_what_is_near_in_meaning_counts_where_there_are_many(world: World) -> None:
    search = Search(world.store, world.index, world.clusters, Meaning())  # type: ignore[arg-type]
    search.warm()
    whole, totals = paged(search, "block slot", 1000)
    assert {"wide:value.gizmo_block", "wider:value.gizmo_block"} <= set(whole)
    assert len(whole) == len(set(whole)) and totals == {len(whole)}
    assert paged(search, "block slot", 30) == (whole, totals)
