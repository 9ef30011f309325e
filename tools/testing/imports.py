"""Which test files a change of product modules touches, by the import graph.

A module that puts the application together, such as the wiring, imports most others. A way through such a module says
nothing about what a test is for, so it is not followed: else each change would touch every test of the application.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import grimp

ROOMS = ("catalog", "connectors", "scanners", "lineage", "policies", "views", "api", "stack")
JOINS = 25
"""A module that imports so many others of the product puts the application together."""


def distances(graph: grimp.ImportGraph, changed: Iterable[str]) -> dict[str, int]:
    """Modules that the changed ones reach through their importers -> imports on the shortest way, 0 for a changed one."""
    known = [name for name in changed if name in graph.modules]
    far = dict.fromkeys(known, 0)
    border = list(known)
    while border:
        following = []
        for name in border:
            if far[name] and _joins(graph, name):
                continue
            for importer in sorted(graph.find_modules_that_directly_import(name)):
                if importer not in far:
                    far[importer] = far[name] + 1
                    following.append(importer)
        border = following
    return {name: far[name] for name in far if not (far[name] and _joins(graph, name))}


def _joins(graph: grimp.ImportGraph, name: str) -> bool:
    return len(graph.find_modules_directly_imported_by(name)) >= JOINS


def imported(path: Path) -> Iterator[str]:
    """The modules that a Python file imports, at its top or inside a function; a name may be one or stand in one."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def files_by_distance(root: Path, far: Mapping[str, int], changed: Iterable[str] = ()) -> list[str]:
    """Test files that import a module of `far`, directly or through helpers in tests/; the nearest ones first.

    `changed`: paths of files below tests/ that changed. A changed test file is the nearest of all; a changed helper
    reaches the files that import it.
    """
    files = {_module(root, path): path for path in sorted((root / "tests").rglob("*.py"))}
    uses = {name: set(imported(path)) for name, path in files.items()}
    nearest: dict[str, int] = {name: 0 for name, path in files.items() if str(path.relative_to(root)) in set(changed)}
    for name, used in uses.items():
        steps = [far[module] + 1 for module in used if module in far]
        if steps:
            nearest[name] = min([*steps, nearest.get(name, steps[0])])
    while True:  # through helpers: the ways among them are few and short
        shorter = {
            name: step
            for name, used in uses.items()
            if (step := min((nearest[helper] + 1 for helper in used if helper in nearest), default=None)) is not None
            and step < nearest.get(name, step + 1)
        }
        if not shorter:
            break
        nearest.update(shorter)
    tests = [name for name in nearest if files[name].name.startswith("test_")]
    return [str(files[name].relative_to(root)) for name in sorted(tests, key=lambda name: (nearest[name], name))]


def _module(root: Path, path: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts)
