"""The syntax tree of our own code, which is read to know what Spark's workers have to import."""

from __future__ import annotations

import ast
import threading
from pathlib import Path

OURS = ("catalog", "scanners")
"""The packages that workers import."""
_ROOT = Path(__file__).resolve().parents[3]
_parsing = threading.Lock()


def file_of(module: str) -> Path | None:
    """The file of a module of ours; None of any other name."""
    if module.split(".")[0] not in OURS:
        return None
    path = _ROOT.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def parsed(source: str | bytes) -> ast.Module:
    """Raises SyntaxError.

    One thread at a time: CPython 3.11 counts the depth of a tree for all threads together, so two that parse at once may
    end in `SystemError: AST constructor recursion depth mismatch`.
    """
    with _parsing:
        return ast.parse(source)
