"""Arrows inside a room, and where drivers may be imported. The arrows between rooms are import-linter's (pyproject.toml)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("catalog", "connectors", "scanners", "lineage", "policies", "views")
DRIVERS = {
    "neo4j",
    "elasticsearch",
    "confluent_kafka",
    "pyspark",
    "presidio_analyzer",
    "sqlalchemy",
    "alembic",
    "httpx",
}
FILES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
SERVICES = [path for path in FILES if "adapters" not in path.parts]
PRODUCT = [*FILES, *(path for room in ("api", "stack") for path in sorted((ROOT / room).rglob("*.py")))]


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Every module a file imports, at its top or inside a function; not those for the type checker alone."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text())
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_drivers_stand_only_in_adapters() -> None:
    used = {name_of(path): {module.split(".")[0] for module in imported(path)} & DRIVERS for path in SERVICES}
    wrong = {name: drivers for name, drivers in used.items() if drivers}
    assert not wrong, f"drivers belong in an adapters folder, not into {wrong}"


def test_services_never_import_adapters() -> None:
    wrong = {name_of(p): m for p in SERVICES for m in imported(p) if ".adapters" in m}
    assert not wrong, f"only api/wiring joins adapters, not {wrong}"


@pytest.mark.parametrize("room", ROOMS)
def test_only_api_wires_adapters(room: str) -> None:
    parts = {"wiring", "wiring.py", "demo"}  # a feature wires its own services in its wiring.py
    others = [path for path in (ROOT / "api").rglob("*.py") if not parts & set(path.parts)]
    wrong = {name_of(p): m for p in others for m in imported(p) if m.startswith(f"{room}.adapters")}
    assert not wrong, f"only wiring imports adapters, not {wrong}"


def test_only_the_command_line_and_the_keeper_of_engines_start_servers() -> None:
    kept = ROOT / "api" / "wiring" / "engines.py"  # see docs/decisions/0064-an-engine-for-queries.md
    others = [p for p in (ROOT / "api").rglob("*.py") if "cli" not in p.parts and "demo" not in p.parts and p != kept]
    wrong = [name_of(p) for p in others for m in imported(p) if m.split(".")[0] == "stack"]
    assert not wrong, f"only api/cli and api/wiring/engines.py import stack, not {wrong}"


def test_the_check_notices_a_wrong_arrow(tmp_path: Path) -> None:
    wrong = tmp_path / "service.py"
    wrong.write_text("def f():\n    from tests.twins.catalog.store import Store\n    import neo4j\n")
    assert {"tests.twins.catalog.store", "neo4j"} <= set(imported(wrong))


def test_no_product_file_imports_a_twin_or_a_tool() -> None:
    wrong = {name_of(p): m for p in PRODUCT for m in imported(p) if m.split(".")[0] in ("tests", "tools", "benchmarks")}
    assert not wrong, f"no wheel holds what is imported here: {wrong}"


def test_every_room_is_looked_at() -> None:
    named = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"benchmarks", "tools"}
    assert named == {*ROOMS, "api", "stack"}
