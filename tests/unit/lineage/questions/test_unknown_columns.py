"""Where columns are asked for and a job reported none, the answer names the job and what it can do."""

from __future__ import annotations

import pytest

from lineage.questions.filters import Only
from lineage.questions.queries import Lineage
from tests.lineage_answers import as_json
from tests.lineage_samples import IDENTITY, columns, dataset, graph_of, node, run
from tests.twins.lineage import MemoryGraph


@pytest.fixture(scope="module")
def graph() -> MemoryGraph:
    """orders -> clean, column by column; clean -> mart and clean -> lake, by jobs that report none."""
    lineage = columns({"email": [("orders", "email", IDENTITY)]})
    return graph_of(
        run(0, ["orders"], [dataset("clean", columnLineage=lineage)], job="cleaner", run_id="r1"),
        run(1, ["clean"], ["mart"], job="marter", run_id="r2"),
        run(2, ["clean"], ["lake"], job="sinker", run_id="r3", integration="SPARK"),
    )


def unknown(graph: MemoryGraph, start: str, **more: object) -> list[tuple[str, str, str | None]]:
    answer = as_json(Lineage(graph).lineage(start, level="column", **more))  # type: ignore[arg-type]
    return [(flow["source"], flow["target"], flow["job"]) for flow in answer["columnsUnknown"]]


MART = (node("clean"), node("mart"), "job:jobs:marter")
LAKE = (node("clean"), node("lake"), "job:jobs:sinker")


@pytest.mark.parametrize(
    "start", [node("orders"), node("orders", "value.email"), node("clean"), node("clean", "value.email")]
)
def test_flows_beside_what_is_reached(graph: MemoryGraph, start: str) -> None:
    assert unknown(graph, start) == [LAKE, MART]


def test_each_way_has_its_own(graph: MemoryGraph) -> None:
    assert unknown(graph, node("orders"), direction="upstream") == []
    assert unknown(graph, node("mart")) == [MART]
    assert unknown(graph, node("mart"), direction="downstream") == []
    assert unknown(graph, "job:jobs:marter", direction="upstream") == []
    assert unknown(graph, "job:jobs:marter") == [LAKE, MART]
    assert unknown(graph, node("clean"), only=Only(jobs=frozenset({"job:jobs:marter"}))) == [MART]


def test_between_datasets_nothing_is_said(graph: MemoryGraph) -> None:
    assert "columnsUnknown" not in as_json(Lineage(graph).lineage(node("clean")))


def test_the_way_depends_on_what_the_job_runs_on(graph: MemoryGraph) -> None:
    answer = as_json(Lineage(graph).lineage(node("clean"), level="column"))
    ways = {flow["job"]: flow["way"] for flow in answer["columnsUnknown"]}
    assert "weir_lineage.observe" in ways["job:jobs:sinker"] and "`columnLineage`" in ways["job:jobs:marter"]
    assert "job:jobs:marter" not in {each["id"] for each in answer["nodes"]}
