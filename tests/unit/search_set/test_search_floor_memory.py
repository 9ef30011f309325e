"""Search does not fall below a floor on the judged queries over the demo, with the index in memory."""

from __future__ import annotations

from pathlib import Path

from api.features.search.answers import SearchAnswer
from tests.catalog_samples import World
from tests.search_set import catalogs
from tests.search_set.measure import means, scores

FLOOR = 0.82
"""nDCG@10 of all queries over the demo; raise it when search gets better, never lower it."""


def test_the_floor_holds() -> None:
    judged = catalogs.first(Path("/nowhere"))
    world = World()
    judged.write(world.store)
    world.search.rebuild_search()
    given = scores(
        judged.queries,
        lambda q: catalogs.places(
            SearchAnswer.of(world.search.search(q, limit=catalogs.SHOWN)).model_dump(mode="json", exclude_unset=True)
        ),
    )
    by_kind = {kind: round(mean.ndcg, 3) for kind, mean in means(judged.queries, given).items()}
    assert by_kind["all"] >= FLOOR, by_kind
