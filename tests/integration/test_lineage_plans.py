"""No stored query walks by path: Neo4j's own plan of each of them proves it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lineage.adapters.neo4j import cypher
from lineage.adapters.neo4j.sent import sent
from lineage.settings import Neo4jSettings

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def driver(stack: Any) -> Iterator[Any]:
    from lineage.adapters.neo4j.graph import Neo4jGraph
    from lineage.adapters.neo4j.server import connect

    settings = Neo4jSettings(uri=stack.neo4j, user=stack.neo4j_auth[0], password=stack.neo4j_auth[1])
    driver = connect(settings)
    Neo4jGraph(driver, settings, "test-plans").prepare()
    yield driver
    driver.execute_query("MATCH (g:LineageGraph {name: 'test-plans'}) DELETE g")
    driver.close()


def operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"].removesuffix("@neo4j")
    for child in plan.get("children", ()):
        yield from operators(child)


@pytest.mark.sampled(30)
@pytest.mark.parametrize("name", sorted(cypher.all_reads()))
def test_walks_are_pruned_and_begin_at_a_key(driver: Any, name: str) -> None:
    given = {
        "keys": ["x"],
        "time": 1,
        "rows": 1,
        "nodes": 1,
        "graph": "x",
        "fragment": "x",
        "namespace": None,
        "holding": "",
    }
    text, given = sent(cypher.all_reads()[name], given | {"offset": 0, "limit": 1})
    summary = driver.execute_query("EXPLAIN " + text, given).summary
    used = list(operators(summary.plan))
    walks = [operator for operator in used if operator.startswith(("VarLength", "Shortest", "Stateful", "Repeat"))]
    assert all(operator == "VarLengthExpand(Pruning,BFS,All)" for operator in walks), used
    assert len(walks) == (1 if name.startswith("closure") else 0)
    assert not any("Scan" in operator and "Index" not in operator for operator in used), used
    assert any("IndexSeek" in operator for operator in used), used


def every_statement() -> dict[str, str]:
    """All that is ever sent, found in the module itself: a statement that is added is covered."""
    by_name = dict(cypher.all_reads())
    for name, statement in vars(cypher).items():
        texts = {"": statement} if isinstance(statement, str) else statement if isinstance(statement, dict) else {}
        if isinstance(statement, tuple) and name != "SCHEMA":
            texts = dict(enumerate(statement))
        for key, text in texts.items():
            if isinstance(text, str) and not name.startswith("_"):
                by_name[f"{name} {key}"] = text
        if name.endswith("_edges"):
            by_name |= {f"{name} {kind}": statement(kind) for kind in cypher.ENDS}
    return {name: text for name, text in by_name.items() if any(word in text for word in ("MATCH", "MERGE", "CREATE"))}


@pytest.mark.sampled(60)
@pytest.mark.parametrize("name", sorted(every_statement()))
def test_no_statement_enumerates_paths_or_scans_everything(driver: Any, name: str) -> None:
    with driver.session() as session:
        plan = session.run("EXPLAIN " + every_statement()[name]).consume().plan
    used = list(operators(plan))
    walks = [operator for operator in used if operator.startswith(("VarLength", "Shortest", "Stateful", "Repeat"))]
    assert set(walks) <= {"VarLengthExpand(Pruning,BFS,All)"}, used
    assert not any(operator.startswith("AllNodesScan") for operator in used), used
    if every_statement()[name].lstrip().startswith("UNWIND $"):  # planned once, however large the graph becomes
        assert any("IndexSeek" in operator for operator in used) and not any("LabelScan" in each for each in used), used


def test_the_statements_are_all_there() -> None:
    names = {name.split()[0] for name in every_statement()}
    assert {
        "BOOKS",
        "WRITE_BOOKS",
        "CONTEXT_LINKS",
        "NODES",
        "create_edges",
        "merge_edges",
        "remove_edges",
        "closure",
        "CLEAR",
    } <= names


def test_the_guard_notices_path_enumeration(driver: Any) -> None:
    bad = "MATCH (s:Dataset {key: 'x'})-[:FEEDS*1..20]->(y) RETURN count(*)"
    assert "VarLengthExpand(All)" in list(operators(driver.execute_query("EXPLAIN " + bad).summary.plan))


@pytest.mark.parametrize("depth", [0, 1, 2, 101, 10**9, -3])
def test_only_checked_numbers_become_part_of_a_query(depth: int) -> None:
    from lineage.model import Direction, Kind

    with pytest.raises(ValueError, match="depth"):
        cypher.closure(Kind.FEEDS, Direction.DOWNSTREAM, depth)


def test_an_edge_is_unique_by_its_id(driver: Any) -> None:
    rows = driver.execute_query("SHOW CONSTRAINTS YIELD name RETURN collect(name) AS names").records
    names = set(rows[0]["names"])
    assert {f"lineage_{name.lower()}_id" for name in cypher.TYPES.values()} <= names
