"""Which Python packages Spark's Python workers need for a scan, read from the imports of our own code."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions

from scanners.adapters.spark.syntax import OURS, file_of, parsed

_FIRST = "scanners.adapters.spark.worker"
_ALSO = ("pyarrow", "pandas")
"""Spark's own worker imports them: for data as Arrow, and for the decoder of queries and views, which is a function on Arrow."""
OPTIONAL = ("hyperscan", "numba")
"""Of the extra `fast`: without them a scan is slower, with the same result."""


@dataclass(frozen=True, slots=True)
class WorkerPackages:
    """`direct`: modules that our code imports. `modules`: module -> package, of those and of all that they need.

    `packages`: the names of all of them, also of several that share a module.
    """

    direct: tuple[str, ...]
    modules: dict[str, str]
    packages: tuple[str, ...] = ()


@lru_cache(maxsize=2)
def worker_packages(optional: bool = False) -> WorkerPackages:
    """Packages that this process lacks itself are left out: they are optional, or its own start would have failed.

    `optional`: with those that only make a scan faster.
    """
    packages = packages_distributions()
    direct = sorted(
        {name for name in (*_imported(), *_ALSO) if name in packages and (optional or name not in OPTIONAL)}
        | {name for name in OPTIONAL if optional and name in packages}
    )
    wanted, seen = [package for name in direct for package in packages[name]], set[str]()
    while wanted:
        package = normal(wanted.pop())
        if package in seen:
            continue
        seen.add(package)
        wanted += _needs(package)
    modules = {
        name: normal(owners[0])
        for name, owners in packages.items()
        if any(normal(owner) in seen for owner in owners) and name.isidentifier() and not name.startswith("_")
    }
    return WorkerPackages(tuple(direct), modules, tuple(sorted(seen)))


def normal(name: str) -> str:
    """The name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _imported() -> set[str]:
    """Modules of others that the code of a worker imports, whatever a caught ImportError makes optional left out."""
    others, seen, waiting = set[str](), set[str](), [_FIRST]
    while waiting:
        module = waiting.pop()
        if module in seen or (file := file_of(module)) is None:
            continue
        seen.add(module)
        for name in _names(parsed(file.read_text(encoding="utf-8")).body):
            top = name.split(".")[0]
            if top in OURS:
                waiting += [name, name.rpartition(".")[0]]
            elif top not in sys.stdlib_module_names:
                others.add(top)
    return others


def _names(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield from (f"{module}.{alias.name}" for alias in node.names)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield from _names(node.orelse)
            case ast.Try() if any(_catches_import(handler) for handler in node.handlers):
                continue
            case _:
                for field in ("body", "orelse", "handlers", "finalbody"):
                    yield from _names(getattr(node, field, []))


def _catches_import(handler: ast.ExceptHandler) -> bool:
    names = {each.id for each in ast.walk(handler.type) if isinstance(each, ast.Name)} if handler.type else set()
    return bool(names & {"ImportError", "ModuleNotFoundError", "Exception"})


def _needs(package: str) -> Iterator[str]:
    """Packages that one needs here, without its extras."""
    others = _distribution(package)
    for line in (others.requires if others is not None else None) or ():
        name = re.match(r"[A-Za-z0-9._-]+", line)
        if name is not None and "extra ==" not in line and _distribution(name[0]) is not None:
            yield name[0]


def _distribution(package: str) -> Distribution | None:
    try:
        return distribution(package)
    except PackageNotFoundError:
        return None
